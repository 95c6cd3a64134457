"""Keeps the processes of one `tht up` alive, and stops them in order."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals

from thoth.embedded.errors import ServiceFailed
from thoth.embedded.home import Home
from thoth.embedded.processes import (
    ProcessId,
    marked_processes,
    stop_child,
    stop_together,
    tail,
)

POLL_S = 0.2
BACKOFF_S = (0.2, 1.0, 2.0, 4.0, 8.0)
FORGIVE_AFTER_S = 60.0


@dataclass(slots=True)
class Child:
    """One supervised process: how to start it (ready when that returns) and how to stop it."""

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    stop_signals: tuple[Signals, ...]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    deaths: list[float] = field(default_factory=list)


class Supervisor:
    """Starts children in order, restarts the dead ones, stops all in reverse order."""

    def __init__(self, home: Home, say: Callable[[str], None]) -> None:
        self.home = home
        self.say = say
        self.children: list[Child] = []
        self.stopping = threading.Event()

    def add(self, child: Child) -> None:
        """Start a child and watch it from now on."""
        self._start(child)
        self.children.append(child)

    def watch(self) -> None:
        """Return when `stopping` is set.

        Raises: ServiceFailed `child_keeps_dying`.
        """
        while not self.stopping.wait(POLL_S):
            for child in self.children:
                if child.process is not None and child.process.poll() is not None:
                    self._restart(child)

    def stop_all(self) -> None:
        """All children are gone, the last started first."""
        for child in reversed(self.children):
            if child.process is not None:
                stop_child(child.process, signals=child.stop_signals)
            self._record(child).unlink(missing_ok=True)
        self.children.clear()

    def stop_leftovers(self) -> int:
        """End what an earlier supervisor of this home left running; returns how many."""
        leftovers = marked_processes(self.home.path)
        for record in self.home.run.glob("*.child.json"):
            process_id = ProcessId.read(record)
            if process_id is not None and process_id.alive() and process_id not in leftovers:
                leftovers.append(process_id)
        stop_together(leftovers)
        for record in self.home.run.glob("*.child.json"):
            record.unlink()
        return len(leftovers)

    def _start(self, child: Child) -> None:
        child.process = child.start()
        process_id = ProcessId.of(child.process.pid)
        if process_id is not None:
            process_id.write(self._record(child))

    def _restart(self, child: Child) -> None:
        assert child.process is not None
        code, now = child.process.returncode, time.monotonic()
        child.deaths = [moment for moment in child.deaths if now - moment < FORGIVE_AFTER_S]
        if len(child.deaths) >= len(BACKOFF_S):
            raise _keeps_dying(child)
        pause = BACKOFF_S[len(child.deaths)]
        child.deaths.append(now)
        self.say(f"{child.name} ended (status {code}); starting it again in {pause:g} s")
        # Children that it started itself must not outlive it and meet its successor.
        stop_child(child.process, signals=())
        if self.stopping.wait(pause):
            return
        try:
            self._start(child)
        except ServiceFailed as error:
            self.say(str(error))

    def _record(self, child: Child) -> Path:
        return self.home.run / f"{child.name}.child.json"


def _keeps_dying(child: Child) -> ServiceFailed:
    message = (
        f"{child.name} ended {len(child.deaths) + 1} times within {FORGIVE_AFTER_S:.0f} s. "
        f"Its log ({child.log}) ends with:\n{tail(child.log)}"
    )
    return ServiceFailed("child_keeps_dying", message)
