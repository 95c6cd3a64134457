"""Each belt alone stops its attack; without it, and with all others off too, the attack succeeds.

The warehouse is used as superuser here, because the other belts must not be what stops it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.warehouse.library import Library
from thoth.lib.errors import Forbidden, Invalid, Upstream
from thoth.warehouse.execute.rows import QueryRows
from thoth.warehouse.execute.run import Request, query_run, query_stream
from thoth.warehouse.execute.target import Belts, Target


@pytest.fixture
def root(lib: Library) -> Target:
    """The warehouse as its superuser, with limits short enough for a test."""
    return replace(
        lib.target,
        dsn=lib.admin,
        statement_timeout_s=0.3,
        lock_timeout_s=0.3,
        idle_timeout_s=0.3,
        max_rows=100,
        max_bytes=1024 * 1024,
    )


@pytest.fixture(autouse=True)
def _prey(lib: Library) -> Iterator[None]:
    """Attacks that succeed delete the rows of a table made for each test."""
    lib.run("DROP TABLE IF EXISTS lib.prey; CREATE TABLE lib.prey AS SELECT * FROM lib.loans")
    yield
    lib.run("DROP TABLE lib.prey")


def attack(lib: Library, target: Target, sql: str, **on: Any) -> QueryRows:
    return query_run(target, lib.catalog, Request(sql, "preview"), belts=Belts.none(**on))


def prey(lib: Library) -> int:
    return int(lib.run("SELECT count(*) FROM lib.prey")[0][0])


def test_the_guard_alone_stops_reading_a_server_file(lib: Library, root: Target) -> None:
    sql = "SELECT pg_read_file('PG_VERSION')"
    with pytest.raises(Invalid, match="pg_read_file"):
        attack(lib, root, sql, guard=True)
    assert attack(lib, root, sql).rows[0][0]


def test_the_role_alone_stops_reading_what_was_not_granted(lib: Library, root: Target) -> None:
    target = replace(root, role=lib.role)
    sql = "SELECT v FROM lib.secrets"
    with pytest.raises(Forbidden) as refused:
        attack(lib, target, sql, role=True)
    assert refused.value.code == "warehouse_permission"
    assert attack(lib, target, sql).rows == (("s3cr3t",),)


def test_read_only_alone_stops_a_write(lib: Library, root: Target) -> None:
    sql = "DELETE FROM lib.prey; COMMIT"
    with pytest.raises(Invalid) as refused:
        attack(lib, root, sql, read_only=True)
    assert refused.value.extra["sqlstate"] == "25006"
    assert prey(lib) == 60
    attack(lib, root, sql)
    assert prey(lib) == 0


def test_a_single_statement_alone_stops_leaving_the_transaction(lib: Library, root: Target) -> None:
    sql = "COMMIT; DELETE FROM lib.prey"
    with pytest.raises(Invalid) as refused:
        attack(lib, root, sql, single_statement=True)
    assert refused.value.extra["sqlstate"] == "42601"
    assert prey(lib) == 60
    attack(lib, root, sql)
    assert prey(lib) == 0


def test_a_single_statement_stops_a_write_in_a_cte(lib: Library, root: Target) -> None:
    sql = "WITH gone AS (DELETE FROM lib.prey RETURNING id) SELECT count(*) FROM gone"
    with pytest.raises(Invalid):
        attack(lib, root, sql, single_statement=True)
    attack(lib, root, sql)
    assert prey(lib) == 0


def test_rollback_alone_undoes_a_write(lib: Library, root: Target) -> None:
    sql = "DELETE FROM lib.prey"
    attack(lib, root, sql, rollback=True)
    assert prey(lib) == 60
    attack(lib, root, sql)
    assert prey(lib) == 0


def test_the_statement_timeout_alone_stops_a_long_query(lib: Library, root: Target) -> None:
    sql = "SELECT 1 FROM pg_sleep(1)"
    with pytest.raises(Upstream) as refused:
        attack(lib, root, sql, statement_timeout=True)
    assert refused.value.code == "warehouse_timeout"
    assert attack(lib, root, sql).rows == (("1",),)


def test_the_lock_timeout_alone_stops_waiting_for_somebody(lib: Library, root: Target) -> None:
    sql = "SELECT count(*) FROM lib.prey"
    with locked(lib, "lib.prey", seconds=1.2), pytest.raises(Upstream) as refused:
        attack(lib, root, sql, lock_timeout=True)
    assert refused.value.code == "warehouse_timeout"
    started = time.monotonic()
    with locked(lib, "lib.prey", seconds=1.2):
        assert attack(lib, root, sql).rows == (("60",),)
    assert time.monotonic() - started > 1


@contextlib.contextmanager
def locked(lib: Library, table: str, *, seconds: float) -> Iterator[None]:
    with psycopg.connect(lib.admin) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
        release = threading.Timer(seconds, other.rollback)
        release.start()
        yield
        release.join()


def test_the_idle_timeout_alone_ends_a_transaction_nobody_reads(lib: Library, root: Target) -> None:
    request = Request("SELECT generate_series(1, 1000)", "preview")
    belts = Belts.none(single_statement=True)

    def read_slowly(belts: Belts) -> int:
        with query_stream(root, lib.catalog, request, belts=belts) as stream:
            time.sleep(0.8)
            return sum(1 for _ in stream.rows)

    with pytest.raises(Upstream) as refused:
        read_slowly(replace(belts, idle_timeout=True))
    assert refused.value.code == "warehouse_timeout"
    assert read_slowly(belts) == 1000


def test_the_search_path_alone_keeps_a_bare_name_from_meaning_another_table(
    lib: Library, root: Target
) -> None:
    lib.run(f"""
        CREATE SCHEMA evil;
        CREATE TABLE evil.branches AS SELECT 666 AS id;
        GRANT USAGE ON SCHEMA evil TO {lib.role};
        GRANT SELECT ON evil.branches TO {lib.role};
        ALTER ROLE {lib.role} SET search_path = evil""")
    target = replace(root, dsn=lib.target.dsn)
    sql = "SELECT max(id) FROM branches"
    try:
        assert attack(lib, target, sql, search_path=True).rows == (("2",),)
        assert attack(lib, target, sql).rows == (("666",),)
    finally:
        lib.run(f"ALTER ROLE {lib.role} RESET search_path; DROP SCHEMA evil CASCADE")


def test_the_time_zone_alone_keeps_days_where_they_are(lib: Library, root: Target) -> None:
    lib.run(f"ALTER ROLE {lib.role} SET timezone = 'Pacific/Kiritimati'")
    target = replace(root, dsn=lib.target.dsn)
    sql = "SELECT timestamptz '2024-01-01 12:00+00'::date"
    try:
        assert attack(lib, target, sql, time_zone=True).rows == (("2024-01-01",),)
        assert attack(lib, target, sql).rows == (("2024-01-02",),)
    finally:
        lib.run(f"ALTER ROLE {lib.role} RESET timezone")


def test_a_fresh_connection_alone_forgets_what_a_query_left_behind(
    lib: Library, root: Target
) -> None:
    poison = "SELECT set_config('search_path', 'archive', false)"
    sql = "SELECT count(*) FROM loans"
    attack(lib, root, poison)
    with pytest.raises(Invalid):  # a fresh session sees neither schema
        attack(lib, root, sql)
    with psycopg.connect(lib.admin, autocommit=True) as reused:
        attack(lib, root, poison, reused=reused)
        assert attack(lib, root, sql, reused=reused).rows == (("0",),)


def test_the_row_cap_alone_stops_a_flood_of_rows(lib: Library, root: Target) -> None:
    sql = "SELECT generate_series(1, 20000)"
    capped = attack(lib, root, sql, row_cap=True)
    assert (len(capped.rows), capped.truncated) == (100, True)
    assert len(attack(lib, root, sql).rows) == 20_000


def test_the_byte_cap_alone_stops_one_giant_row(lib: Library, root: Target) -> None:
    sql = "SELECT repeat('x', 8000000)"
    with pytest.raises(Invalid) as refused:
        attack(lib, root, sql, byte_cap=True)
    assert refused.value.code == "result_too_large"
    assert len(attack(lib, root, sql).rows[0][0] or "") == 8_000_000


def test_together_they_leave_a_query_alone(lib: Library) -> None:
    request = Request("SELECT count(*) FROM lib.loans", "preview")
    assert query_run(lib.target, lib.catalog, request).rows == (("60",),)


def test_every_belt_has_a_test() -> None:
    belts = set(Belts.__slots__) - {"reused"}
    source = Path(__file__).read_text(encoding="utf-8")
    assert [belt for belt in belts if f"{belt}=True" not in source] == []
