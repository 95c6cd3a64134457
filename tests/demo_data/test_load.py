"""Loading: all or nothing, never over somebody's data, and a reader that can only read."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from thoth.embedded.demo_data import load, schema_sections
from thoth.embedded.postgres import PostgresServer
from thoth.lib.errors import Conflict, Invalid, Upstream

SMALL = 0.001


@dataclass
class Reader:
    owner_dsn: str
    dsn: str
    name: str


@contextmanager
def loaded_reader(server: PostgresServer) -> Iterator[Reader]:
    """A database with a small warehouse and a role that may read it; both go away afterwards."""
    unique = secrets.token_hex(6)
    database, name, password = f"demo_{unique}", f"reader_{unique}", "pass'word"
    with psycopg.connect(server.dsn(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
        owner = server.dsn(database)
        load(owner, 1, SMALL, reader=name, reader_password=password)
        yield Reader(owner, make_conninfo(owner, user=name, password=password), name)
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database)))
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def reader(postgres_server: PostgresServer) -> Iterator[Reader]:
    with loaded_reader(postgres_server) as made:
        yield made


def test_row_counts_are_those_in_the_database(make_warehouse: Callable[..., str]) -> None:
    dsn = make_warehouse()
    rows = load(dsn, 1, SMALL)
    with psycopg.connect(dsn) as connection:
        for table, expected in rows.items():
            query = sql.SQL("SELECT count(*) FROM {}").format(
                sql.Identifier("datawarehouse", table)
            )
            assert connection.execute(query).fetchone() == (expected,)
    assert len(rows) == 12


def test_statistics_are_there_for_the_planner(make_warehouse: Callable[..., str]) -> None:
    dsn = make_warehouse()
    rows = load(dsn, 1, SMALL)
    with psycopg.connect(dsn) as connection:
        found = connection.execute(
            """SELECT relname, reltuples::int FROM pg_class
               WHERE relnamespace = 'datawarehouse'::regnamespace AND relkind = 'r'"""
        ).fetchall()
    assert dict(found) == rows


def test_an_existing_schema_is_left_as_it_is(make_warehouse: Callable[..., str]) -> None:
    dsn = make_warehouse("CREATE SCHEMA datawarehouse; CREATE TABLE datawarehouse.mine (a int)")
    with pytest.raises(Conflict) as refused:
        load(dsn, 1, SMALL)
    assert refused.value.code == "demo_schema_exists"
    with psycopg.connect(dsn) as connection:
        connection.execute("SELECT a FROM datawarehouse.mine")


def test_replace_makes_the_schema_anew(make_warehouse: Callable[..., str]) -> None:
    dsn = make_warehouse("CREATE SCHEMA datawarehouse; CREATE TABLE datawarehouse.mine (a int)")
    load(dsn, 1, SMALL, replace=True)
    with psycopg.connect(dsn) as connection:
        gone = connection.execute("SELECT to_regclass('datawarehouse.mine')").fetchone()
    assert gone == (None,)


def test_a_load_that_fails_leaves_nothing(
    make_warehouse: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn = make_warehouse()
    broken = {**schema_sections(), "comments": "COMMENT ON TABLE datawarehouse.absent IS ''"}
    monkeypatch.setitem(load.__globals__, "schema_sections", lambda: broken)
    with pytest.raises(psycopg.errors.UndefinedTable):
        load(dsn, 1, SMALL)
    with psycopg.connect(dsn) as connection:
        found = connection.execute("SELECT to_regnamespace('datawarehouse')").fetchone()
    assert found == (None,)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan")])
def test_a_scale_that_is_not_positive_is_refused(scale: float) -> None:
    with pytest.raises(Invalid) as refused:
        load("postgresql://nowhere.invalid/x", 1, scale)
    assert refused.value.code == "demo_scale_invalid"


def test_no_server_is_an_error_without_the_password() -> None:
    with pytest.raises(Upstream) as refused:
        load("postgresql://owner:hunter2@127.0.0.1:1/x", 1, SMALL)
    assert refused.value.code == "demo_database_unreachable"
    assert "hunter2" not in str(refused.value)


def test_the_reader_reads(reader: Reader) -> None:
    with psycopg.connect(reader.dsn) as connection:
        rows = connection.execute("SELECT count(*) FROM datawarehouse.fact_ricovero").fetchone()
    assert rows is not None
    assert rows[0] > 0


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM datawarehouse.fact_esame",
        "UPDATE datawarehouse.dim_paziente SET nome = 'x'",
        "INSERT INTO datawarehouse.fact_ablazione_procedura_patologia VALUES (1, 9, 1, NULL, NULL, 'x')",
        "TRUNCATE datawarehouse.fact_visita",
        "DROP TABLE datawarehouse.fact_visita",
        "CREATE TABLE datawarehouse.mine (a int)",
        "CREATE TABLE public.mine (a int)",
        "CREATE SCHEMA mine",
        "CREATE TEMPORARY TABLE mine (a int)",
        "CREATE ROLE another",
        "COPY datawarehouse.fact_visita TO '/tmp/x'",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('postgresql.conf')",
        "SELECT * FROM pg_authid",
    ],
)
def test_the_reader_can_do_nothing_else(reader: Reader, statement: str) -> None:
    with (
        psycopg.connect(reader.dsn, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement.encode())


def test_a_reader_that_exists_is_renewed(postgres_server: PostgresServer) -> None:
    with loaded_reader(postgres_server) as old:
        load(old.owner_dsn, 2, SMALL, reader=old.name, reader_password="another", replace=True)
        with psycopg.connect(make_conninfo(old.dsn, password="another")) as connection:
            connection.execute("SELECT 1 FROM datawarehouse.dim_tempo")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(old.dsn)


def test_the_full_warehouse_loads_in_seconds(make_warehouse: Callable[..., str]) -> None:
    dsn = make_warehouse()
    started = time.perf_counter()
    rows = load(dsn, 7)
    assert time.perf_counter() - started < 40
    assert rows["dim_paziente"] >= 50_000
    assert sum(count for name, count in rows.items() if name.startswith("fact_")) >= 500_000
