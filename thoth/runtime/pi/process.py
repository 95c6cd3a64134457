"""Pi as a process of its own group, with three pipes that never block us."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

CHUNK_BYTES = 256 * 1024
STDERR_TAIL_BYTES = 8 * 1024
TERM_GRACE_S = 0.5
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class PiProcess:
    """A started process. `close` ends the whole group, however it is stuck."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        # Raises OSError when the program cannot be started.
        self._child = subprocess.Popen(  # noqa: S603 - an argument list, made by `launch`
            argv,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            close_fds=True,
            start_new_session=True,
        )
        self.pid = self._child.pid
        self._in, self._out, self._err = (
            stream.fileno()
            for stream in (self._child.stdin, self._child.stdout, self._child.stderr)
            if stream is not None
        )
        self._outbox = bytearray()
        self._tail = bytearray()
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._selector.register(self._out, _READ)
        self._selector.register(self._err, _READ)

    @property
    def stderr_tail(self) -> str:
        """The end of what it complained about."""
        return self._tail.decode("utf-8", "replace")

    def send(self, line: bytes) -> None:
        """Queue a line; it is written as the pipe takes it."""
        self._outbox += line
        self._flush()

    def receive(self, timeout_s: float) -> bytes | None:
        """What it wrote to standard output: b"" when nothing within the time, None at its end."""
        received: bytes | None = b""
        for key, _events in self._selector.select(timeout_s):
            if key.fd == self._in:
                self._flush()
            elif key.fd == self._err:
                self._read_stderr()
            else:
                received = self._read(self._out)
        if received == b"" and self.has_exited():
            # Whatever still holds the pipe is not Pi; only what Pi had written counts.
            received = self._read(self._out) or None
        return received

    def has_exited(self) -> bool:
        """Has Pi itself ended? It stays unreaped, so that nobody else can get its number."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.pid, options) is not None

    def close(self, *, orderly: bool = False) -> int:
        """End the group, and return Pi's exit code (negative: the signal that ended it).

        In order: standard input closed and SIGTERM, then SIGKILL after a short while; else SIGKILL
        at once. What Pi started dies with it.
        """
        self._selector.close()
        if self._child.returncode is not None:
            return self._child.returncode
        if orderly:
            self._signal(signal.SIGTERM)
            _wait_until(self.has_exited, TERM_GRACE_S)
        self._signal(signal.SIGKILL)  # before the reaping: the group's number is still ours
        code = self._child.wait()
        with contextlib.suppress(OSError):
            while self._read_stderr():
                pass
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream is not None:
                stream.close()
        return code

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _flush(self) -> None:
        try:
            while self._outbox:
                written = os.write(self._in, self._outbox[:CHUNK_BYTES])
                del self._outbox[:written]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._outbox.clear()  # it is ending; its output says how
        self._watch_stdin(wanted=bool(self._outbox))

    def _watch_stdin(self, *, wanted: bool) -> None:
        watched = self._in in self._selector.get_map()
        if wanted and not watched:
            self._selector.register(self._in, _WRITE)
        elif watched and not wanted:
            self._selector.unregister(self._in)

    def _read(self, descriptor: int) -> bytes | None:
        try:
            return os.read(descriptor, CHUNK_BYTES) or None
        except BlockingIOError:
            return b""

    def _read_stderr(self) -> bytes:
        data = self._read(self._err)
        if data is None and self._err in (self._selector.get_map() or ()):
            self._selector.unregister(self._err)
        self._tail += data or b""
        del self._tail[:-STDERR_TAIL_BYTES]
        return data or b""


def _wait_until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
