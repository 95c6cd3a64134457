"""Running queries: fidelity of the text, masks, limits, errors in our words."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import psycopg
import pytest

from tests.warehouse.library import Library
from thoth.lib.errors import Conflict, Forbidden, Invalid, ThothError, Upstream
from thoth.warehouse.execute.rows import MASK, QueryRows, unique_headers
from thoth.warehouse.execute.run import Request, query_count, query_explain, query_run, query_stream
from thoth.warehouse.execute.session import RunHandle
from thoth.warehouse.execute.target import Target
from thoth.warehouse.guard.check import sql_sha256

ENDLESS = "SELECT count(*) FROM generate_series(1, 10000000000)"


def run(lib: Library, sql: str, **options: object) -> QueryRows:
    return query_run(lib.target, lib.catalog, Request(sql, "preview", **options))  # type: ignore[arg-type]


def failure(target: Target, lib: Library, sql: str, handle: RunHandle | None = None) -> ThothError:
    with pytest.raises(ThothError) as raised:
        query_run(target, lib.catalog, Request(sql, "preview"), handle=handle)
    return raised.value


def test_values_arrive_as_the_database_writes_them(lib: Library) -> None:
    result = run(
        lib,
        "SELECT 9007199254740993 AS big, 0.10::numeric AS dec, NULL AS none, '' AS empty, "
        "true AS yes, date '2024-02-29' AS day, timestamp '2024-01-01 10:00' AS at, "
        "interval '90 minutes' AS lasts, ARRAY[1,2] AS list, '\\xff'::bytea AS raw, 1e300 AS float",
    )
    assert result.rows[0][:7] == (
        "9007199254740993", "0.10", None, "", "t", "2024-02-29", "2024-01-01 10:00:00",
    )  # fmt: skip
    assert result.rows[0][7:10] == ("01:30:00", "{1,2}", "\\xff")
    assert [column.family for column in result.columns[:7]] == [
        "integer", "decimal", "text", "text", "boolean", "date", "timestamp",
    ]  # fmt: skip


def test_identifying_values_are_masked_wherever_they_come_out(lib: Library) -> None:
    result = run(
        lib,
        "WITH q AS (SELECT id, upper(name) AS who, NULL::text AS gone FROM lib.readers) "
        "SELECT id, who, max(who) OVER (), count(who) OVER (), who LIKE 'L%', "
        "CASE WHEN who IS NULL THEN 'none' ELSE left(who, 1) END, gone FROM q ORDER BY id LIMIT 1",
    )
    assert result.rows == (("1", MASK, MASK, "10", "t", MASK, None),)
    assert [column.masked for column in result.columns] == [
        False,
        True,
        True,
        False,
        False,
        True,
        False,
    ]


def test_a_union_masks_the_column_for_both_branches(lib: Library) -> None:
    result = run(lib, "SELECT name FROM lib.branches UNION ALL SELECT name FROM lib.readers")
    assert {row[0] for row in result.rows} == {MASK}


def test_a_confirmed_export_shows_them(lib: Library) -> None:
    request = Request("SELECT name FROM lib.readers ORDER BY id LIMIT 1", "export", unmask=True)
    assert query_run(lib.target, lib.catalog, request).rows == (("Lettore 1",),)


def test_a_message_of_the_database_does_not_quote_an_identifying_value(lib: Library) -> None:
    error = failure(lib.target, lib, "SELECT id FROM lib.readers WHERE name::int = 1")
    assert error.code == "sql_rejected_by_database"
    assert "Lettore" not in error.message
    assert error.extra["sqlstate"] == "22P02"


def test_the_cut_is_announced_and_the_limit_of_the_text_kept(lib: Library) -> None:
    cut = run(lib, "SELECT id FROM lib.loans ORDER BY id LIMIT 50", max_rows=10)
    assert (len(cut.rows), cut.truncated) == (10, True)
    whole = run(lib, "SELECT id FROM lib.loans ORDER BY id LIMIT 10", max_rows=10)
    assert (len(whole.rows), whole.truncated) == (10, False)


def test_the_workspace_limit_cannot_be_raised(lib: Library) -> None:
    target = replace(lib.target, max_rows=5)
    request = Request("SELECT id FROM lib.loans", "preview", max_rows=1000)
    assert len(query_run(target, lib.catalog, request).rows) == 5


def test_rows_are_counted_without_being_fetched(lib: Library) -> None:
    sql = "SELECT id FROM lib.loans; -- all"
    assert query_count(lib.target, lib.catalog, sql) == 60


def test_the_plan_is_explained_not_run(lib: Library) -> None:
    started = time.monotonic()
    plan = query_explain(lib.target, lib.catalog, ENDLESS)
    assert plan.total_cost > 0
    assert plan.rows == 1
    assert time.monotonic() - started < 2


def test_an_approved_text_must_be_the_text_that_runs(lib: Library) -> None:
    sql = "SELECT 1"
    assert run(lib, sql, expected_sha256=sql_sha256(sql)).rows == (("1",),)
    with pytest.raises(Conflict) as refused:
        run(lib, sql + " ", expected_sha256=sql_sha256(sql))
    assert refused.value.code == "sql_hash_mismatch"


def test_a_purpose_that_the_workspace_excludes_is_refused(lib: Library) -> None:
    target = replace(lib.target, allow=frozenset({"explain"}))
    with pytest.raises(Forbidden) as refused:
        query_run(target, lib.catalog, Request("SELECT 1", "export"))
    assert refused.value.code == "execution_not_allowed"


def test_a_function_that_the_workspace_lists_may_be_called(lib: Library) -> None:
    target = replace(lib.target, functions=frozenset({"lib.twice"}))
    result = query_run(target, lib.catalog, Request("SELECT lib.twice(21)", "preview"))
    assert result.rows == (("42",),)
    assert failure(target, lib, "SELECT lib.wipe()").code == "sql_function_refused"


@pytest.mark.parametrize(
    ("sql", "state", "position"),
    [
        ("SELECT 1 / (fee - fee) FROM lib.loans", "22012", None),
        ("SELECT id FROM lib.loans WHERE lower(id) = 'x'", "42883", 31),
        ("SELECT id\nFROM lib.loans\nGROUP BY via", "42803", 7),
    ],
)
def test_the_database_refuses_with_state_and_place(
    lib: Library, sql: str, state: str, position: int | None
) -> None:
    error = failure(lib.target, lib, sql)
    assert isinstance(error, Invalid)
    assert error.code == "sql_rejected_by_database"
    assert error.extra["sqlstate"] == state
    assert error.extra.get("position") == position


def test_nobody_answers(lib: Library) -> None:
    error = failure(replace(lib.target, dsn="host=127.0.0.1 port=1 dbname=x"), lib, "SELECT 1")
    assert (error.code, getattr(error, "transient", None)) == ("warehouse_unreachable", True)
    assert "no answer" in error.message


def test_a_server_that_refuses_is_not_said_to_be_silent(lib: Library) -> None:
    error = failure(replace(lib.target, dsn=lib.target.dsn + " dbname=nowhere"), lib, "SELECT 1")
    assert (error.code, getattr(error, "transient", None)) == ("warehouse_unreachable", True)
    assert "refuses" in error.message


def test_a_wrong_password_is_not_worth_a_retry_and_not_repeated(lib: Library) -> None:
    target = replace(lib.target, dsn=lib.target.dsn.replace("password=pw", "password=wr0ng"))
    error = failure(target, lib, "SELECT 1")
    assert (error.code, getattr(error, "transient", None)) == ("warehouse_unreachable", False)
    assert "wr0ng" not in error.message + repr(target)


def test_a_role_that_the_login_may_not_take(lib: Library) -> None:
    error = failure(replace(lib.target, role="postgres"), lib, "SELECT 1")
    assert error.code == "warehouse_permission"


def test_the_warehouse_dies_in_the_middle(lib: Library) -> None:
    threading.Timer(0.3, kill_reader, [lib]).start()
    error = failure(lib.target, lib, ENDLESS)
    assert (error.code, getattr(error, "transient", None)) == ("warehouse_died", True)


def kill_reader(lib: Library) -> None:
    with psycopg.connect(lib.admin, autocommit=True) as admin:
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s"
        admin.execute(query, [lib.role])


def test_a_handle_stops_the_query_from_another_thread(lib: Library) -> None:
    handle = RunHandle()
    threading.Timer(0.3, handle.cancel).start()
    started = time.monotonic()
    assert failure(lib.target, lib, ENDLESS, handle).code == "warehouse_cancelled"
    assert time.monotonic() - started < 3
    handle.cancel()  # once more is harmless


def test_a_handle_cancelled_before_the_start_stops_it_too(lib: Library) -> None:
    handle = RunHandle()
    handle.cancel()
    assert failure(lib.target, lib, "SELECT 1", handle).code == "warehouse_cancelled"


def test_nothing_is_left_connected(lib: Library) -> None:
    with query_stream(lib.target, lib.catalog, Request("SELECT id FROM lib.loans", "preview")):
        pass  # the reader went away without reading
    threads = threading.active_count()
    for _ in range(5):
        run(lib, "SELECT 1")
    deadline = time.monotonic() + 5
    query = f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{lib.role}'"
    while lib.run(query)[0][0] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert lib.run(query)[0][0] == 0
    while threading.active_count() > threads and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= threads


def test_headers_are_unique_and_never_collide_with_a_real_name() -> None:
    assert unique_headers(["id", "id", "id_2", "id"]) == ["id", "id_3", "id_2", "id_4"]
    assert unique_headers([]) == []


def test_an_unreachable_warehouse_is_an_upstream_failure(lib: Library) -> None:
    with pytest.raises(Upstream):
        query_explain(
            replace(lib.target, dsn="host=127.0.0.1 port=1 dbname=x"), lib.catalog, "SELECT 1"
        )
