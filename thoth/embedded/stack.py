"""The order in which the parts of an embedded installation come up."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from thoth.embedded import example, postgres, valkey, vectors
from thoth.embedded.databases import application_database, role_ensure
from thoth.embedded.errors import ServiceFailed
from thoth.embedded.home import Home, write_env, write_private
from thoth.embedded.processes import (
    MARK_VARIABLE,
    free_port,
    listening_socket,
    service_user,
    spawn,
    stop_child,
    tail,
)
from thoth.embedded.supervisor import Child, Supervisor

PROJECT = Path(__file__).resolve().parents[2]
DB_NAME, DB_ROLE, DB_OWNER = "thoth", "thoth", "thoth_owner"
POSTGRES_PORT, VALKEY_PORT, VECTORS_PORT = 5433, 6380, 6335
WEB_TIMEOUT_S = 60.0
WORKER_PROCESSES = 2
# One thread per process for linear algebra: two workers and the web share few cores.
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asked for."""

    port: int
    example: bool
    seed: int
    scale: float
    json: bool = False


class Stack:
    """Starts everything for one home under one supervisor."""

    def __init__(self, home: Home, options: Options, supervisor: Supervisor) -> None:
        self.home, self.options, self.supervisor = home, options, supervisor
        # Before ports are chosen: an earlier run's processes may still hold the preferred ones.
        leftovers = supervisor.stop_leftovers()
        if leftovers:
            supervisor.say(f"Stopped {leftovers} processes that an earlier run had left.")
        self.secrets = home.ensure_secrets()
        user = service_user()
        root = home.services_root(user)
        self.postgres = postgres.PostgresServer(
            root / "postgres", free_port(POSTGRES_PORT), self._secret("ADMIN"), user
        )
        self.valkey = valkey.ValkeyServer(
            root / "valkey", free_port(VALKEY_PORT), self._secret("VALKEY"), user
        )
        self.vectors = vectors.VectorServer(
            root / "vectors",
            free_port(VECTORS_PORT),
            self.secrets["THOTH_VECTOR_API_KEY"],
            self.secrets["THOTH_VECTOR_WRITE_API_KEY"],
            user,
            mark=((MARK_VARIABLE, str(home.path)),),
        )
        self.listener = listening_socket(options.port)
        self.port: int = self.listener.getsockname()[1]

    @property
    def url(self) -> str:
        """Where the pages are."""
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> str:
        """Everything runs; returns the URL, or "" when told to stop on the way.

        Raises: ServiceFailed.
        """
        steps = [self._services, self._databases, self._migrate]
        if self.options.example:
            steps += [self._example_data, self._example_workspace]
        for step in (*steps, self._processes):
            if self.supervisor.stopping.is_set():
                return ""
            step()
        return "" if self.supervisor.stopping.is_set() else self.url

    # --- services ------------------------------------------------------------------------------

    def _services(self) -> None:
        self._start_postgres()
        self._say(f"PostgreSQL on 127.0.0.1:{self.postgres.port}, data in {self.postgres.root}")
        self._start_valkey()
        self._say(f"Valkey on 127.0.0.1:{self.valkey.port}")
        self._start_vectors()
        self._say(f"Vector service on 127.0.0.1:{self.vectors.port}")

    def _start_postgres(self) -> None:
        try:
            self._add("postgres", self.postgres.start, postgres.STOP_SIGNALS, self.postgres.log)
        except ServiceFailed:
            if free_port(self.postgres.port) == self.postgres.port:
                raise
            # Somebody took the port between our look and the server's bind.
            self.postgres = replace(self.postgres, port=free_port())
            self._start_postgres()

    def _start_valkey(self) -> None:
        try:
            self._add("valkey", self.valkey.start, valkey.STOP_SIGNALS, self.valkey.log)
        except ServiceFailed:
            if free_port(self.valkey.port) == self.valkey.port:
                raise
            self.valkey = replace(self.valkey, port=free_port())
            self._start_valkey()

    def _start_vectors(self) -> None:
        try:
            self._add("vectors", self.vectors.start, vectors.STOP_SIGNALS, self.vectors.log)
        except ServiceFailed:
            if free_port(self.vectors.port) == self.vectors.port:
                raise
            self.vectors = replace(self.vectors, port=free_port())
            self._start_vectors()

    def _databases(self) -> None:
        with psycopg.connect(self.postgres.dsn(), autocommit=True) as admin:
            role_ensure(admin, DB_OWNER, self._secret("OWNER"))
            role_ensure(admin, DB_ROLE, self.secrets["THOTH_DB_PASSWORD"])
            application_database(admin, DB_NAME, DB_OWNER, DB_ROLE)
            if self.options.example:
                example.roles_and_database(
                    admin,
                    owner_password=self._secret("WAREHOUSE"),
                    reader_password=self._secret("READER"),
                )
        write_env(self.home.services_env, self._services_env())

    def _migrate(self) -> None:
        owner = {
            "THOTH_DB_USER": DB_OWNER,
            "THOTH_DB_PASSWORD": self._secret("OWNER"),
            "THOTH_DB_APP_ROLE": DB_ROLE,
        }
        self._command("migrate", "--no-input", log="migrate", env=owner)

    # --- the example ---------------------------------------------------------------------------

    def _example_data(self) -> None:
        with psycopg.connect(self.postgres.dsn(), autocommit=True) as admin:
            if example.mark_found(admin) == self._mark:
                return
        self._say("Loading the example warehouse (once)…")
        env = {
            example.ADMIN_DSN: self.postgres.dsn(example.DATABASE),
            example.OWNER_DSN: self._dsn(example.OWNER, self._secret("WAREHOUSE")),
        }
        module = ["-m", "thoth.embedded.example"]
        arguments = [str(self.options.seed), str(self.options.scale)]
        self._run([sys.executable, *module, *arguments], log="example", env=env)

    def _example_workspace(self) -> None:
        target = self.home.path / "workspaces" / example.DATABASE / "workspace.yaml"
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            source = PROJECT / "workspaces" / example.DATABASE / "workspace.yaml"
            write_private(target, source.read_text(encoding="utf-8"))
        self._example_repository(target.with_name("repository.git"))
        prepared = self.home.state / "example"
        if prepared.exists() and prepared.read_text() == self._mark:
            return
        self._say("Reading its structure and indexing its values (once)…")
        self._command("workspace", "introspect", example.DATABASE, log="introspect")
        self._command("workspace", "preprocess", "values", example.DATABASE, log="values")
        write_private(prepared, self._mark)

    def _example_repository(self, target: Path) -> None:
        """The example's Evidence, once; afterwards the repository is the curators'."""
        # Not there: to be made, left empty by a killed seed, or packed. The module knows which.
        if not (target / "refs/heads/main").exists():
            folder = PROJECT / "workspaces" / example.DATABASE / "evidence"
            arguments = ["-m", "thoth.workspaces.seed", str(folder), str(target)]
            self._run([sys.executable, *arguments], log="repository")

    @property
    def _mark(self) -> str:
        return example.mark(self.options.seed, self.options.scale)

    # --- our own processes ---------------------------------------------------------------------

    def _processes(self) -> None:
        self._add("web", self._start_web, (signal.SIGTERM,), self._log("web"))
        celery = [sys.executable, "-m", "celery", "-A", "thoth.celery"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        worker = ["worker", f"--concurrency={WORKER_PROCESSES}", "--loglevel=INFO", *quiet]
        # TERM waits for running steps; QUIT does not.
        patience = (signal.SIGTERM, signal.SIGQUIT)
        self._add_command("worker", [*celery, *worker], patience)
        # In memory: what it must not forget is in PostgreSQL.
        beat = ["beat", "--loglevel=WARNING", "--scheduler=celery.beat:Scheduler", "--pidfile="]
        self._add_command("beat", [*celery, *beat], (signal.SIGTERM,))

    def _start_web(self) -> subprocess.Popen[bytes]:
        descriptor = self.listener.fileno()
        command = [sys.executable, "-m", "thoth.embedded.serve", str(descriptor)]
        process = self._spawn(command, "web", pass_fds=(descriptor,))
        deadline = time.monotonic() + WEB_TIMEOUT_S
        while not self.supervisor.stopping.is_set() and not _answers(self.port):
            if process.poll() is not None:
                raise self._failed("web", "The pages' server stopped while starting.")
            if time.monotonic() > deadline:
                stop_child(process, signals=())
                raise self._failed("web", f"The pages do not answer after {WEB_TIMEOUT_S:.0f} s.")
        return process

    # --- helpers -------------------------------------------------------------------------------

    def _services_env(self) -> dict[str, str]:
        return {
            "THOTH_DB_HOST": "127.0.0.1",
            "THOTH_DB_PORT": str(self.postgres.port),
            "THOTH_DB_NAME": DB_NAME,
            "THOTH_DB_USER": DB_ROLE,
            "THOTH_VALKEY_URL": self.valkey.url,
            "THOTH_VECTOR_URL": self.vectors.url,
            "THOTH_CARDIOLOGIA_DSN": self._dsn(example.READER, self._secret("READER")),
        }

    def _environment(self) -> dict[str, str]:
        """For our own processes: everybody's, the home's, and only the secrets that they need."""
        own = {name: value for name, value in self.secrets.items() if "_EMBEDDED_" not in name}
        place = {
            "THOTH_HOME": str(self.home.path),
            "THOTH_BIND": "127.0.0.1",
            "THOTH_PORT": str(self.port),
            "DJANGO_SETTINGS_MODULE": "thoth.settings.base",
            "PYTHONUNBUFFERED": "1",
            MARK_VARIABLE: str(self.home.path),
        }
        return {**os.environ, **own, **self._services_env(), **THREADS, **place}

    def _command(self, *words: str, log: str, env: dict[str, str] | None = None) -> None:
        self._run([sys.executable, "-m", "thoth", *words], log=log, env=env)

    def _run(self, command: list[str], *, log: str, env: dict[str, str] | None = None) -> None:
        """Run a step to its end, or break it off when told to stop."""
        process = self._spawn(command, log, env)
        while process.poll() is None:
            if self.supervisor.stopping.wait(0.05):
                stop_child(process, signals=(signal.SIGTERM,))
                return
        if process.returncode != 0:
            raise self._failed(log, f"`{' '.join(command[1:])}` failed.")

    def _spawn(
        self,
        command: list[str],
        log: str,
        env: dict[str, str] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> subprocess.Popen[bytes]:
        environment = {**self._environment(), **(env or {})}
        return spawn(command, log=self._log(log), env=environment, cwd=PROJECT, pass_fds=pass_fds)

    def _add(
        self, name: str, start: object, signals: tuple[signal.Signals, ...], log: Path
    ) -> None:
        assert callable(start)
        self.supervisor.add(Child(name, start, signals, log))

    def _add_command(
        self, name: str, command: list[str], signals: tuple[signal.Signals, ...]
    ) -> None:
        self._add(name, lambda: self._spawn(command, name), signals, self._log(name))

    def _dsn(self, user: str, password: str) -> str:
        return make_conninfo(
            host="127.0.0.1",
            port=self.postgres.port,
            user=user,
            password=password,
            dbname=example.DATABASE,
        )

    def _secret(self, name: str) -> str:
        return self.secrets[f"THOTH_EMBEDDED_{name}_PASSWORD"]

    def _log(self, name: str) -> Path:
        return self.home.logs / f"{name}.log"

    def _say(self, text: str) -> None:
        self.supervisor.say(text)

    def _failed(self, log: str, what: str) -> ServiceFailed:
        file = self._log(log)
        message = f"{what} Its log ({file}) ends with:\n{tail(file)}"
        return ServiceFailed(f"{log}_failed", message)


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()
