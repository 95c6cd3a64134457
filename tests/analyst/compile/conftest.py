from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.analyst.compile.cases import DATA


@pytest.fixture(scope="session")
def clinic(warehouse_server: str) -> Iterator[str]:
    """The DSN of a small clinic: NULLs, repeated details, two roads to one table, odd names."""
    name = f"clinic_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(warehouse_server, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    dsn = make_conninfo(warehouse_server, dbname=name)
    with psycopg.connect(dsn) as connection:
        connection.execute((DATA / "schema.sql").read_bytes())
    yield dsn
    with psycopg.connect(warehouse_server, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
