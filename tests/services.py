"""The real services that the tests run on: one PostgreSQL per pytest run, one Valkey per process.

Ports are chosen before Django reads its settings; the servers start when the first test asks,
so a run of pure unit tests starts nothing. All files are in one folder of the system's temporary
directory that an unprivileged account can enter (pytest's own is closed to others, and
PostgreSQL refuses to run as root).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from thoth.embedded.postgres import THROW_AWAY, PostgresServer
from thoth.embedded.processes import ProcessId, free_port, service_user, stop
from thoth.embedded.valkey import ValkeyServer
from thoth.embedded.vectors import VectorServer

PREFIX = "thoth-tests-"
FOLDER = "THOTH_TEST_FOLDER"


def is_worker() -> bool:
    """Is this one of pytest-xdist's workers? They use what the controller prepared."""
    return "PYTEST_XDIST_WORKER" in os.environ


def prepare() -> None:
    """Choose folder, ports and passwords and put them where the settings read them."""
    if not is_worker():
        _sweep()
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        folder.chmod(0o711)
        owner = ProcessId.of(os.getpid())
        assert owner is not None
        owner.write(folder / "owner.json")
        os.environ.update(
            {
                FOLDER: str(folder),
                "THOTH_HOME": str(folder / "home"),
                "THOTH_DB_HOST": "127.0.0.1",
                "THOTH_DB_PORT": str(free_port()),
                "THOTH_DB_USER": "postgres",
                "THOTH_DB_NAME": "thoth",
                "THOTH_DB_PASSWORD": secrets.token_hex(8),
            }
        )
    server = valkey_server(free_port(), secrets.token_hex(8))
    os.environ["THOTH_VALKEY_URL"] = server.url


def postgres_server() -> PostgresServer:
    """The run's PostgreSQL."""
    return PostgresServer(
        root=Path(os.environ[FOLDER]) / "postgres",
        port=int(os.environ["THOTH_DB_PORT"]),
        password=os.environ["THOTH_DB_PASSWORD"],
        user=service_user(),
        settings=tuple({**THROW_AWAY, "shared_buffers": "64MB", "jit": "off"}.items()),
    )


def valkey_server(port: int, password: str) -> ValkeyServer:
    """This process's Valkey."""
    root = Path(os.environ[FOLDER]) / f"valkey-{os.getpid()}"
    return ValkeyServer(root=root, port=port, password=password, user=service_user())


def vector_server() -> VectorServer:
    """A vector service of this process, with a port and data of its own."""
    root = Path(os.environ[FOLDER]) / f"vectors-{os.getpid()}"
    keys = secrets.token_hex(8), secrets.token_hex(8)
    return VectorServer(root, free_port(), *keys, service_user())


def ensure_postgres() -> PostgresServer:
    """Start the run's PostgreSQL unless another worker has."""
    server = postgres_server()
    with _locked(Path(os.environ[FOLDER]) / "postgres.lock"):
        if server.running() is None:
            server.start()
    return server


def tear_down() -> None:
    """Stop what this run started and remove its folder."""
    if not is_worker():
        _remove(Path(os.environ[FOLDER]))


def _sweep() -> None:
    # Runs that were killed could not tidy up.
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        owner = ProcessId.read(folder / "owner.json")
        if owner is not None and not owner.alive():
            _remove(folder)


def _remove(folder: Path) -> None:
    PostgresServer(root=folder / "postgres", port=0, password="").stop_leftover()
    for record in (*folder.glob("valkey-*.json"), *folder.glob("vectors-*.json")):
        leftover = ProcessId.read(record)
        if leftover is not None:
            stop(leftover, signals=())
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
