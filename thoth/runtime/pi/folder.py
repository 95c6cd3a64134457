"""The private folder of one run, and the sweep of those that a killed worker left behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

OWNER = "owner.json"
FOREIGN_AFTER_S = 24 * 3600.0  # folders of another host, or of nobody, are left alone that long


@dataclass(frozen=True, slots=True)
class RunFolder:
    """`home` is Pi's writable agent folder, `work` its empty working directory."""

    path: Path

    @property
    def home(self) -> Path:
        return self.path / "home"

    @property
    def work(self) -> Path:
        return self.path / "work"

    @classmethod
    def make(cls, root: Path) -> RunFolder:
        """A new folder under `root`, readable by its owner only."""
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = cls(Path(tempfile.mkdtemp(prefix="run-", dir=root)).resolve())
        folder.record(child=None)
        folder.home.mkdir()
        folder.work.mkdir()
        return folder

    def record(self, *, child: int | None) -> None:
        """Remember whose folder this is and which process works in it, for `sweep`."""
        owner = {
            "host": socket.gethostname(),
            "owner": _identity(os.getpid()),
            "child": _identity(child) if child else None,
        }
        (self.path / OWNER).write_text(json.dumps(owner))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def sweep(root: Path) -> int:
    """Remove the folders whose owner is gone, and end what still runs in them; returns how many."""
    removed = 0
    for path in root.glob("run-*"):
        owner = _owner(path)
        if _in_use(path, owner):
            continue
        _kill(owner.get("child"))
        shutil.rmtree(path, ignore_errors=True)
        removed += 1
    return removed


def _owner(path: Path) -> dict[str, object]:
    try:
        value = json.loads((path / OWNER).read_text())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _in_use(path: Path, owner: dict[str, object]) -> bool:
    if owner.get("host") == socket.gethostname():
        return _alive(owner.get("owner"))
    try:
        return time.time() - path.stat().st_mtime < FOREIGN_AFTER_S
    except OSError:
        return True  # somebody else is removing it


def _kill(child: object) -> None:
    if isinstance(child, list) and _alive(child):
        with contextlib.suppress(OSError):
            os.killpg(int(child[0]), signal.SIGKILL)


def _identity(pid: int) -> list[int] | None:
    """The pid and the tick at which it started: no later process has both."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    state, started = fields[0], fields[19]
    return None if state in "ZX" else [pid, int(started)]


def _alive(identity: object) -> bool:
    return isinstance(identity, list) and bool(identity) and _identity(int(identity[0])) == identity
