"""One small warehouse for all tests of the folder."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from thoth.embedded.demo_data import load
from thoth.embedded.postgres import PostgresServer

SEED, SCALE = 20_170_101, 0.05


@pytest.fixture(scope="session")
def demo_dsn(postgres_server: PostgresServer) -> Iterator[str]:
    """A database that holds the example warehouse at 1/20 scale."""
    name = f"demo_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        load(postgres_server.dsn(name), SEED, SCALE)
        yield postgres_server.dsn(name)
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def warehouse(demo_dsn: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(demo_dsn, autocommit=True) as connection:
        yield connection
