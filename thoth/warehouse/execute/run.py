"""The one way for SQL to reach a warehouse: guard, then belts, then rows as text."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import psycopg
from psycopg import pq

from thoth.contracts.schema import Catalog
from thoth.lib.errors import Conflict, Forbidden, Invalid
from thoth.lib.text import sha256_of
from thoth.warehouse.execute.errors import cancelled, too_large, translated
from thoth.warehouse.execute.rows import (
    QueryRows,
    ResultColumn,
    Row,
    family_of,
    masked_rows,
    unique_headers,
)
from thoth.warehouse.execute.session import RunHandle, Session, open_session
from thoth.warehouse.execute.target import ALL_BELTS, Belts, Target
from thoth.warehouse.guard.types import GuardedQuery

Purpose = Literal["cte_test", "explain", "preview", "aggregate", "export"]
_DECLARE = "DECLARE thoth_rows NO SCROLL CURSOR WITHOUT HOLD FOR "
_EXPLAIN = "EXPLAIN (FORMAT JSON, VERBOSE FALSE) "
_BATCH_ROWS = 500
_EXPLAIN_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Explanation:
    """The planner's guess: cost in its own unit, rows of the result. Nothing was executed."""

    total_cost: float
    rows: int
    plan: str


@dataclass(slots=True)
class Stream:
    """A running query. Iterate `rows` once; `truncated` is known when they are exhausted."""

    columns: tuple[ResultColumn, ...]
    rows: Iterator[Row]
    query: GuardedQuery | None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What to run. `expected_sha256` is of the approved text; `unmask` shows identifying values."""

    sql: str
    purpose: Purpose
    expected_sha256: str | None = None
    max_rows: int | None = None
    unmask: bool = False


def query_run(
    target: Target,
    catalog: Catalog,
    request: Request,
    *,
    belts: Belts = ALL_BELTS,
    handle: RunHandle | None = None,
) -> QueryRows:
    """All rows of the query up to the cap, identifying columns masked.

    Raises: as `query_stream`.
    """
    started = time.monotonic()
    with query_stream(target, catalog, request, belts=belts, handle=handle) as stream:
        rows = tuple(stream.rows)
        return QueryRows(
            columns=stream.columns,
            rows=rows,
            truncated=stream.truncated,
            sha256=sha256_of(request.sql),
            elapsed_ms=round((time.monotonic() - started) * 1000),
        )


@contextlib.contextmanager
def query_stream(
    target: Target,
    catalog: Catalog,
    request: Request,
    *,
    belts: Belts = ALL_BELTS,
    handle: RunHandle | None = None,
) -> Iterator[Stream]:
    """The running query, to be read batch by batch.

    Raises: Forbidden `execution_not_allowed`, `warehouse_permission`; Conflict `sql_hash_mismatch`;
    Invalid of the guard, `sql_rejected_by_database`, `result_too_large`; Upstream
    `warehouse_unreachable|timeout|died|cancelled`.
    """
    handle = handle or RunHandle()
    query = _admit(target, catalog, request, belts)
    with _running(target, belts, handle, request.sql, query, len(_DECLARE)) as session:
        cap = min(request.max_rows or target.max_rows, target.max_rows)
        session.arm(target.max_bytes)
        if belts.single_statement:
            session.connection.execute((_DECLARE + request.sql).encode(), binary=True)
            stream = _from_cursor(session, query, request)
            stream.rows = _capped(stream, _fetch(session), cap if belts.row_cap else None)
        else:
            stream = _from_simple(session, query, request)
            stream.rows = _capped(stream, stream.rows, cap if belts.row_cap else None)
        stream.rows = masked_rows(stream.rows, stream.columns)
        yield stream


def query_count(
    target: Target, catalog: Catalog, sql: str, *, handle: RunHandle | None = None
) -> int:
    """How many rows the query has. The cursor is moved, not wrapped: the text stays the text.

    Raises: as `query_stream`.
    """
    handle = handle or RunHandle()
    query = _admit(target, catalog, Request(sql, "aggregate"), ALL_BELTS)
    with _running(target, ALL_BELTS, handle, sql, query, len(_DECLARE)) as session:
        session.arm(target.max_bytes)
        session.connection.execute((_DECLARE + sql).encode(), binary=True)
        moved = session.connection.execute("MOVE FORWARD ALL IN thoth_rows")
        return moved.rowcount


def query_explain(
    target: Target,
    catalog: Catalog,
    sql: str,
    *,
    belts: Belts = ALL_BELTS,
    handle: RunHandle | None = None,
) -> Explanation:
    """The plan, without running the query (never ANALYZE).

    Raises: as `query_stream`.
    """
    handle = handle or RunHandle()
    query = _admit(target, catalog, Request(sql, "explain"), belts)
    with _running(target, belts, handle, sql, query, len(_EXPLAIN)) as session:
        session.arm(_EXPLAIN_MAX_BYTES)
        row = session.connection.execute((_EXPLAIN + sql).encode(), binary=True).fetchone()
    plan = row[0][0]["Plan"] if row else {}
    return Explanation(float(plan["Total Cost"]), int(plan["Plan Rows"]), str(plan["Node Type"]))


def _admit(target: Target, catalog: Catalog, request: Request, belts: Belts) -> GuardedQuery | None:
    """Everything that is decided before a connection is made."""
    if request.purpose not in target.allow:
        message = f"This workspace does not allow {request.purpose} queries (execution.allow)."
        raise Forbidden("execution_not_allowed", message, purpose=request.purpose)
    if request.expected_sha256 not in (None, sha256_of(request.sql)):
        message = "The SQL is not the text that was approved. Reload the page and review it again."
        raise Conflict("sql_hash_mismatch", message)
    if not belts.guard:
        return None
    # sqlglot loads with the first query: stored results are read without it.
    from thoth.warehouse.guard.check import guard  # noqa: PLC0415

    return guard(request.sql, catalog, functions=target.functions)


@contextlib.contextmanager
def _running(
    target: Target,
    belts: Belts,
    handle: RunHandle,
    sql: str,
    query: GuardedQuery | None,
    prefix: int,
) -> Iterator[Session]:
    """A session whose failures come out in our words."""
    if handle.is_cancelled:
        raise cancelled()
    with open_session(target, belts, handle) as session:
        try:
            yield session
        except psycopg.Error as error:
            if handle.is_cancelled:
                raise cancelled() from error
            if session.is_over_limit:
                raise too_large(target.max_bytes) from error
            hide = query is not None and bool(query.identifying)
            prefix_chars = prefix if belts.single_statement else 0
            raise translated(error, sql=sql, prefix_chars=prefix_chars, hide_values=hide) from error


def _from_cursor(session: Session, query: GuardedQuery | None, request: Request) -> Stream:
    # An empty fetch describes the columns before the first row is computed.
    described = session.connection.execute("FETCH FORWARD 0 FROM thoth_rows").pgresult
    return Stream(_columns(described, query, request), iter(()), query)


def _from_simple(session: Session, query: GuardedQuery | None, request: Request) -> Stream:
    """Without the cursor: only tests come here, to see what it prevents."""
    cursor = session.connection.execute(request.sql.encode())
    while cursor.nextset():
        pass
    result = cursor.pgresult
    return Stream(_columns(result, query, request), _rows(result), query)


def _columns(
    result: pq.abc.PGresult | None, query: GuardedQuery | None, request: Request
) -> tuple[ResultColumn, ...]:
    if result is None or not result.nfields:
        return ()
    names = [(result.fname(index) or b"").decode() for index in range(result.nfields)]
    masked = _masked(query, len(names), request)
    return tuple(
        ResultColumn(
            name, header, family_of(result.ftype(index)), result.ftype(index), masked[index]
        )
        for index, (name, header) in enumerate(zip(names, unique_headers(names), strict=True))
    )


def _masked(query: GuardedQuery | None, count: int, request: Request) -> list[bool]:
    """By position. Should the guard have counted other columns than the database, all are masked."""
    if query is None or request.unmask:
        return [False] * count
    flags = [output.identifying for output in query.outputs]
    return flags if len(flags) == count else [any(flags)] * count


def _fetch(session: Session) -> Iterator[Row]:
    while True:
        if session.handle.is_cancelled:  # it came between two batches
            raise cancelled()
        statement = f"FETCH FORWARD {_BATCH_ROWS} FROM thoth_rows"
        result = session.connection.execute(statement.encode()).pgresult
        yield from _rows(result)
        if result is None or result.ntuples < _BATCH_ROWS:
            return


def _rows(result: pq.abc.PGresult | None) -> Iterator[Row]:
    if result is None:
        return
    fields = range(result.nfields)
    for number in range(result.ntuples):
        cells = [result.get_value(number, field) for field in fields]
        yield tuple(None if cell is None else bytes(cell).decode() for cell in cells)


def _capped(stream: Stream, rows: Iterator[Row], cap: int | None) -> Iterator[Row]:
    """At most `cap` rows; one more is looked at to know whether the result was cut."""
    for number, row in enumerate(rows):
        if cap is not None and number >= cap:
            stream.truncated = True
            return
        yield row


__all__ = [
    "Explanation", "Invalid", "Purpose", "Request", "Stream", "query_count", "query_explain",
    "query_run", "query_stream",
]  # fmt: skip
