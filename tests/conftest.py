"""Fixtures that every test may use. Only the language model is ever faked."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from tests import services

# Before anything reads the settings: they take ports and passwords from the environment.
services.prepare()
os.environ["DJANGO_SETTINGS_MODULE"] = "thoth.settings.test"

import django  # noqa: E402

# Here and not in pytest-django's own hook, so that the conftest of a folder may import models.
django.setup()
# Not inherited by pytest-xdist's workers: pytest-django would read the settings there before
# this file has chosen the worker's own ports.
del os.environ["DJANGO_SETTINGS_MODULE"]

import psycopg  # noqa: E402
import pytest  # noqa: E402
from django.db import connections, transaction  # noqa: E402
from django.db.backends.postgresql.operations import DatabaseOperations  # noqa: E402
from psycopg import sql  # noqa: E402

from thoth.embedded.postgres import PostgresServer  # noqa: E402
from thoth.embedded.processes import ProcessId, stop_child  # noqa: E402
from thoth.embedded.vectors import VectorServer  # noqa: E402


def pytest_unconfigure() -> None:
    services.tear_down()


CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


PI = Path(__file__).parents[1] / "agent" / "node_modules" / "@earendil-works"


def pytest_report_header() -> list[str]:
    return [
        f"chromium: {CHROMIUM or 'not found: browser tests are skipped'}",
        f"pi: {'installed' if PI.is_dir() else 'not installed: its tests are skipped'}",
    ]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # With -q there is no header, and nobody should take skipped browser tests for passed ones.
    if CHROMIUM is None:
        terminalreporter.write_line("No Chromium was found: the browser tests did not run.")
    if not PI.is_dir():
        terminalreporter.write_line("Pi is not installed (make setup-pi): its tests did not run.")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium. Without one the test is skipped, in CI it fails."""
    if CHROMIUM is not None:
        return CHROMIUM
    if os.environ.get("THOTH_REQUIRE_BROWSER") == "1":
        pytest.fail("THOTH_REQUIRE_BROWSER=1, but there is no Chromium")
    pytest.skip("no Chromium found")


@pytest.fixture(scope="session")
def postgres_server() -> PostgresServer:
    """The running PostgreSQL of this pytest run."""
    return services.ensure_postgres()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, postgres_server: PostgresServer
) -> None:
    """pytest-django's hook before the test database is made: the server must run by then."""


@pytest.fixture(scope="session")
def warehouse_server(postgres_server: PostgresServer) -> str:
    """A superuser's DSN of the server on which warehouses are made."""
    return postgres_server.dsn()


@pytest.fixture
def make_warehouse(postgres_server: PostgresServer) -> Iterator[Callable[..., str]]:
    """`make_warehouse(ddl) -> dsn`: a throw-away database holding what `ddl` creates.

    The DSN is the superuser's; roles are shared by the whole server, so a test that makes one
    gives it a unique name and drops it.
    """
    made: list[str] = []

    def make(ddl: str = "") -> str:
        name = f"wh_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        made.append(name)
        dsn = postgres_server.dsn(name)
        if ddl:
            with psycopg.connect(dsn) as connection:
                connection.execute(ddl.encode())
        return dsn

    yield make
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        for name in made:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of this process's Valkey (settings.THOTH_VALKEY_URL), running.

    Without this fixture nothing listens there: what a lost broker looks like.
    """
    address = urlsplit(os.environ["THOTH_VALKEY_URL"])
    server = services.valkey_server(address.port or 0, address.password or "")
    process = server.start()
    identity = ProcessId.of(process.pid)
    assert identity is not None
    identity.write(server.root.with_suffix(".json"))
    yield server.url
    stop_child(process, signals=())


@pytest.fixture(scope="session")
def vector_service() -> Iterator[VectorServer]:
    """The running embedded vector service of this process: `.url`, `.reader_key`, `.writer_key`.

    Collections are shared by the session: give yours unique names.
    """
    server = services.vector_server()
    process = server.start()
    identity = ProcessId.of(process.pid)
    assert identity is not None
    identity.write(server.root.with_suffix(".json"))
    yield server
    stop_child(process, signals=())


@pytest.fixture(scope="session", autouse=True)
def _flush_as_replica() -> Iterator[None]:
    """Let transactional tests be flushed although the ledger's trigger refuses TRUNCATE.

    Triggers do not fire under `session_replication_role = replica`; SET LOCAL ends with the
    flush's own transaction, so no test ever runs without the trigger.
    """

    def execute_sql_flush(self: DatabaseOperations, sql_list: list[str]) -> None:
        with transaction.atomic(using=self.connection.alias), self.connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            for statement in sql_list:
                cursor.execute(statement)

    original = DatabaseOperations.execute_sql_flush
    DatabaseOperations.execute_sql_flush = execute_sql_flush  # type: ignore[method-assign,assignment]
    yield
    DatabaseOperations.execute_sql_flush = original  # type: ignore[method-assign]


@pytest.fixture
def second_connection() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A connection of its own to the test database: another process, as far as locks go."""
    parameters = connections["default"].get_connection_params()
    keys = ("dbname", "user", "password", "host", "port")
    with psycopg.connect(**{key: parameters[key] for key in keys}, autocommit=True) as connection:
        yield connection
