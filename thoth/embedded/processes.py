"""Child processes: who they run as, how they are recognised later, how they are stopped."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

STOP_TIMEOUT_S = 10.0
LOG_MAX_BYTES = 10 * 1024 * 1024
MARK_VARIABLE = "THOTH_SUPERVISED_HOME"


@dataclass(frozen=True, slots=True)
class ServiceUser:
    """The unprivileged account that services run as when we are root."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process that cannot be confused with a later one under the same number."""

    pid: int
    created: float

    @classmethod
    def of(cls, pid: int) -> ProcessId | None:
        """The running process `pid`, or None when there is none."""
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            return cls(pid, process.create_time())
        except psutil.Error:
            return None

    @classmethod
    def read(cls, path: Path) -> ProcessId | None:
        """The process that `write` put into `path`, or None when the file says nothing usable."""
        try:
            record = json.loads(path.read_text())
            return cls(int(record["pid"]), float(record["created"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """Remember this process in `path`."""
        path.write_text(json.dumps({"pid": self.pid, "created": self.created}))

    def alive(self) -> bool:
        """Is it still this very process that runs under the number?"""
        return ProcessId.of(self.pid) == self


def service_user() -> ServiceUser | None:
    """The account for services, or None when we are not root and they simply run as ourselves.

    PostgreSQL refuses to run as root; `nobody` exists on every Linux and has a name, which
    initdb insists on.
    """
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam("nobody")
    return ServiceUser(entry.pw_uid, entry.pw_gid)


def can_reach(path: Path, user: ServiceUser) -> bool:
    """Can `user` walk down to `path`? (Every directory above it lets strangers through.)"""
    for folder in path.resolve().parents:
        info = folder.stat()
        if info.st_uid != user.uid and not info.st_mode & 0o001:
            return False
    return True


def give_to(path: Path, user: ServiceUser | None) -> None:
    """Make `user` the owner of one directory or file; nothing to do for ourselves."""
    if user is not None:
        os.chown(path, user.uid, user.gid)


def free_port(preferred: int | None = None) -> int:
    """A loopback TCP port nobody listens on: `preferred` when it is free."""
    for port in (preferred, 0):
        if port is None:
            continue
        with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError("no free TCP port on 127.0.0.1")


def listening_socket(preferred: int) -> socket.socket:
    """A socket that listens on loopback, on the preferred port when nobody else does."""
    for port in (preferred, 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(128)
        except OSError:
            listener.close()
            continue
        return listener
    raise OSError("no free TCP port on 127.0.0.1")


def spawn(
    command: list[str],
    *,
    log: Path,
    pass_fds: tuple[int, ...] = (),
    env: dict[str, str] | None = None,
    user: ServiceUser | None = None,
    cwd: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start `command` in a session of its own, so that Ctrl-C reaches only the supervisor."""
    _rotate(log)
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - the command is ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=cwd,
            user=user.uid if user else None,
            group=user.gid if user else None,
            extra_groups=[] if user else None,
            start_new_session=True,
            pass_fds=pass_fds,
        )


def _rotate(log: Path) -> None:
    # One generation is kept: enough to see what led to a restart, and never a full disk.
    if log.exists() and log.stat().st_size > LOG_MAX_BYTES:
        log.replace(log.with_suffix(".1.log"))


def stop(process_id: ProcessId, *, signals: tuple[signal.Signals, ...]) -> None:
    """End a process that is not our child: each signal in turn, with patience; KILL last."""
    for number in (*signals, signal.SIGKILL):
        if not process_id.alive():
            break
        with contextlib.suppress(ProcessLookupError):
            os.kill(process_id.pid, number)
        with contextlib.suppress(psutil.Error):
            psutil.Process(process_id.pid).wait(STOP_TIMEOUT_S)
    _kill_group(process_id.pid)


def stop_together(processes: list[ProcessId]) -> None:
    """End processes that are not our children, all at once: INT, then KILL for the stubborn.

    INT, because to PostgreSQL TERM means waiting until its last client has gone.
    """
    handles = []
    for process_id in processes:
        with contextlib.suppress(psutil.Error):
            handles.append(psutil.Process(process_id.pid))
    for handle in handles:
        with contextlib.suppress(psutil.Error):
            handle.send_signal(signal.SIGINT)
    _, stubborn = psutil.wait_procs(handles, timeout=STOP_TIMEOUT_S)
    for handle in stubborn:
        with contextlib.suppress(psutil.Error):
            handle.kill()
    psutil.wait_procs(stubborn, timeout=STOP_TIMEOUT_S)


def stop_child(child: subprocess.Popen[bytes], *, signals: tuple[signal.Signals, ...]) -> None:
    """The same for a process that `spawn` started."""
    for number in (*signals, signal.SIGKILL):
        child.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(STOP_TIMEOUT_S)
            break
    _kill_group(child.pid)


def _kill_group(pid: int) -> None:
    # What a leader left behind in its group when it died before it could stop its own.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def marked_processes(home: Path) -> list[ProcessId]:
    """Processes started for `home` by any supervisor, recognised by their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK_VARIABLE) == str(home) and process.pid != os.getpid():
                found.append(ProcessId(process.pid, process.create_time()))
        except psutil.Error:
            continue
    return found


def tail(log: Path, lines: int = 12) -> str:
    """The last lines of a log file, for an error message."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return "(no log)"


def copy_tree_once(source: Path, target: Path) -> None:
    """Copy a directory unless it is there; an interrupted copy is never mistaken for a whole one."""
    if target.exists():
        return
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial, symlinks=True)
    partial.rename(target)
