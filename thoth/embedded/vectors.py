"""The embedded vector service as a child process: how to start it and how to reach it."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from thoth.embedded.errors import ServiceFailed
from thoth.embedded.processes import ServiceUser, give_to, spawn, stop_child, tail

START_TIMEOUT_S = 60.0
STOP_SIGNALS = (signal.SIGTERM,)
PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class VectorServer:
    """Where it runs: TCP on 127.0.0.1, a key that reads and one that also writes."""

    root: Path
    port: int
    reader_key: str = field(repr=False)
    writer_key: str = field(repr=False)
    user: ServiceUser | None = None
    mark: tuple[tuple[str, str], ...] = ()

    @property
    def log(self) -> Path:
        """What it prints."""
        return self.root / "vectors.log"

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs."""
        return {
            "THOTH_VECTOR_URL": self.url,
            "THOTH_VECTOR_API_KEY": self.reader_key,
            "THOTH_VECTOR_WRITE_API_KEY": self.writer_key,
        }

    def start(self) -> subprocess.Popen[bytes]:
        """Start it; it answers. Raises: ServiceFailed `vectors_failed`."""
        data = self.root / "collections"
        for folder in (self.root, data):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            give_to(folder, self.user)
        module = "thoth.embedded.vector_service"
        command = [sys.executable, "-m", module, str(data), str(self.port)]
        process = spawn(command, log=self.log, env=self._environment(), cwd=PROJECT)
        self._wait_ready(process)
        return process

    def _environment(self) -> dict[str, str]:
        # Not the product's secrets: it needs none of them.
        passed = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        account = {}
        if self.user is not None:
            account = {
                "THOTH_VECTOR_UID": str(self.user.uid),
                "THOTH_VECTOR_GID": str(self.user.gid),
            }
        own = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **dict(self.mark)}
        return {**passed, **self.environment, **account, **own}

    def _wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline and process.poll() is None:
            if self._answers():
                return
            time.sleep(0.05)
        if process.poll() is None:
            stop_child(process, signals=())
        message = (
            f"The vector service did not start. Its log ({self.log}) ends with:\n{tail(self.log)}"
        )
        raise ServiceFailed("vectors_failed", message)

    def _answers(self) -> bool:
        # With our key: on this port may be somebody else's server while ours fails to bind.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/collections", headers={"api-key": self.reader_key})
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
