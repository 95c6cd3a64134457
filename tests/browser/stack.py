"""The product as it is served: uvicorn and a Celery worker on the tests' PostgreSQL and Valkey."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connections
from psycopg import sql

from thoth.embedded.postgres import PostgresServer
from thoth.embedded.processes import free_port, spawn, stop_child

START_S = 30.0
APPLICATION_NAME = "thoth-served"  # tells the product's connections from the tests' own
# Each stack has a Valkey database of its own: a worker must not take another stack's work.
_valkey_databases = itertools.count(1)


@contextlib.contextmanager
def database(server: PostgresServer) -> Iterator[str]:
    """The DSN of a throw-away database."""
    name = f"wh_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.dsn(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield server.dsn(name)
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextlib.contextmanager
def settings_of(home: Path, **values: object) -> Iterator[None]:
    """This process sees the same installation as the served one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "THOTH_HOME", home)
        for name, value in values.items():
            patch.setattr(settings, name, value)
        yield


@contextlib.contextmanager
def served(home: Path, variables: Mapping[str, str]) -> Iterator[str]:
    """The address of the running product; its processes end with the block.

    Their output is in `home/logs`, where a failing test is looked into.
    """
    port = free_port()
    environment = {**os.environ, **_environment(home), **variables}
    web = ["uvicorn", "thoth.asgi:application", "--port", str(port), "--log-level", "warning"]
    worker = ["celery", "-A", "thoth.celery", "worker", "--pool", "solo", "--without-mingle"]
    commands = {"web": web, "worker": [*worker, "--without-gossip", "--loglevel", "INFO"]}
    logs = home / "logs"
    logs.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        for name, command in commands.items():
            stack.enter_context(_running(command, environment, logs / f"{name}.log"))
        url = f"http://127.0.0.1:{port}"
        _wait_for(f"{url}/healthz", logs)
        yield url


def _environment(home: Path) -> dict[str, str]:
    database_name = str(connections["default"].settings_dict["NAME"])
    return {
        "DJANGO_SETTINGS_MODULE": "thoth.settings.base",
        "DJANGO_ALLOW_ASYNC_UNSAFE": "",
        "THOTH_HOME": str(home),
        "THOTH_DB_NAME": database_name,
        "THOTH_VALKEY_URL": (
            urlsplit(settings.THOTH_VALKEY_URL)
            ._replace(path=f"/{next(_valkey_databases)}")
            .geturl()
        ),
        "THOTH_SECRET_KEY": "browser-" + "x" * 50,
        "THOTH_LEDGER_KEY": str(settings.THOTH_LEDGER_KEY),
        "THOTH_AUTH": "none",
        "OMP_NUM_THREADS": "1",
        "PGAPPNAME": APPLICATION_NAME,
    }


@contextlib.contextmanager
def _running(command: list[str], environment: dict[str, str], log: Path) -> Iterator[None]:
    process = spawn(
        [sys.executable, "-m", *command], log=log, env=environment, cwd=settings.BASE_DIR
    )
    try:
        yield
    finally:
        stop_child(process, signals=())  # the product survives kill -9, and tests are in a hurry


def _wait_for(url: str, logs: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as response:
            if response.status == 200:
                return
        time.sleep(0.2)
    pytest.fail(f"the pages did not start: {(logs / 'web.log').read_text()[-2000:]}")
