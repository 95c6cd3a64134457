"""The result of the approved SQL: run once, kept for a day, read by page and as CSV.

The rows are a file of the warehouse's; here is which session it belongs to. Going back drops it, and
another SQL leaves it behind. When it is gone, the SQL is run again as soon as somebody asks.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction

from sessions_app import artifacts, ledger
from sessions_app.locking import lock
from sessions_app.models import ResultFile, Session
from sessions_app.workflow import of
from thoth.lib import clock
from thoth.lib.errors import Conflict, NotFound
from thoth.warehouse import facade as warehouse
from thoth.warehouse.facade import RunHandle, StoredResult

PAGE_MAX_ROWS = 10_000  # a request for more gets so many; the rest is on the next page
SQL_FILE = "sql_final.sql"
_SUFFIX = ".rows"
_NUMBERS = frozenset({"integer", "decimal"})
Cell = str | None


@dataclass(frozen=True, slots=True)
class Result:
    """A stored result with the approved text it came from."""

    sql: str
    stored: StoredResult


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """`family` of thoth.contracts.schema.TypeFamily; `masked` columns hold no real values."""

    name: str
    family: str
    masked: bool

    @property
    def numeric(self) -> bool:
        """Set to the right?"""
        return self.family in _NUMBERS and not self.masked


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Rows `offset` and following; cells are PostgreSQL's texts, None for NULL. `truncated`: the
    query has more than `total` rows."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    offset: int
    total: int
    truncated: bool


def result_ensure(
    session: Session, *, now: dt.datetime | None = None, handle: RunHandle | None = None
) -> Result:
    """The result of the session's approved SQL; the SQL is run when no file of it is left.

    The text must have the hash that the approval bound to. Call it outside a transaction.
    `handle.cancel()` from another thread stops the query. Raises: NotFound `no_approved_sql`; Conflict `sql_hash_mismatch`, `session_changed`; what
    `result_create` raises.
    """
    now = now or clock.now()
    sql, sha256 = _approved(session)
    stored = _stored(session, sha256, now) or _run(session, sql, sha256, handle)
    return Result(sql, stored)


def result_page(result: Result, *, offset: int, size: int) -> ResultPage:
    """At most `size` rows (no more than PAGE_MAX_ROWS) from `offset` on."""
    stored = result.stored
    page = warehouse.result_page(stored, offset=offset, size=min(size, PAGE_MAX_ROWS))
    columns = tuple(
        ResultColumn(column.header, column.family, column.masked) for column in stored.columns
    )
    return ResultPage(columns, page.rows, offset, stored.row_count, stored.truncated)


def csv_chunks(result: Result, *, note: str) -> Iterator[bytes]:
    """The result as CSV with a byte order mark. `note` is the last line when rows are missing."""
    yield from warehouse.result_csv(result.stored, with_bom=True)
    if result.stored.truncated:
        yield f'"{note}"\r\n'.encode()


def results_purge(*, now: dt.datetime | None = None) -> int:
    """Results older than a day are gone, rows and files; returns how many files were.

    The same SQL runs again when somebody asks.
    """
    moment = now or clock.now()
    ResultFile.objects.filter(expires_at__lte=moment).delete()
    return warehouse.results_sweep(moment=moment)


def _approved(session: Session) -> tuple[str, str]:
    row = ledger.view(session).latest("sql_approved")
    artifact = artifacts.get(session, SQL_FILE)
    if row is None or artifact is None:
        raise NotFound("no_approved_sql", "No SQL of this session has been approved.")
    sha256 = str(row.payload["sha256"])
    if artifact.sha256 != sha256:
        raise Conflict("sql_hash_mismatch", "The SQL is not the text that was approved.")
    return artifact.text, sha256


def _stored(session: Session, sha256: str, now: dt.datetime) -> StoredResult | None:
    live = ResultFile.objects.filter(session=session, sql_sha256=sha256, expires_at__gt=now)
    path = live.order_by("-created_at").values_list("path", flat=True).first()
    if path is None:
        return None
    try:
        return warehouse.result_get(path.removesuffix(_SUFFIX), moment=now)
    except NotFound:
        return None


def _run(session: Session, sql: str, sha256: str, handle: RunHandle | None) -> StoredResult:
    stored = warehouse.result_create(session.workspace, sql, expected_sha256=sha256, handle=handle)
    try:
        _record(session, sha256, stored)
    except BaseException:
        warehouse.result_delete(stored.id)
        raise
    return stored


@transaction.atomic
def _record(session: Session, sha256: str, stored: StoredResult) -> None:
    """The file is the session's, unless somebody went back while the query ran."""
    approved = ledger.view(lock(session.pk)).latest("sql_approved")
    if approved is None or approved.payload.get("sha256") != sha256:
        raise Conflict("session_changed", "The SQL is no longer approved: its result is dropped.")
    stage = of(session).producer(SQL_FILE) or approved.stage
    ResultFile.objects.create(
        session=session,
        phase=of(session).phase_of(stage).id,
        stage=stage,
        sql_sha256=sha256,
        path=stored.rows_file.name,
        file_sha256=stored.sha256,
        size_bytes=stored.rows_file.stat().st_size,
        row_count=stored.row_count,
        truncated=stored.truncated,
        columns=[column.model_dump() for column in stored.columns],
        created_at=stored.created_at,
        expires_at=stored.expires_at,
    )
