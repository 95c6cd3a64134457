"""Bringing an index up to date with its warehouse: diff per column, commit per batch.

A run that was killed leaves every committed batch in place and is taken up by the next one, which
skips the columns that it had finished. A column that cannot be read keeps its values and is named
in the report: an index that is silently short would answer "no such value".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b

from django.db import connection, transaction

from thoth.lib import clock
from thoth.lib.errors import Conflict, ThothError
from thoth.warehouse.valueindex.compact import compact
from thoth.warehouse.valueindex.models import (
    ValueColumn,
    ValueIndex,
    ValueItem,
    ValueOccurrence,
    ValuePosting,
    ValueWord,
)
from thoth.warehouse.valueindex.normal import norm
from thoth.warehouse.valueindex.policy import (
    DISTINCT_MAX,
    VALUE_MAX_CHARS,
    Decision,
    after_reading,
    before_reading,
)
from thoth.warehouse.valueindex.source import DistinctValue, SourceColumn, ValueSource
from thoth.warehouse.valueindex.writer import COUNTED_WORDS, Added, Batch, write_batch

_BATCH_CHANGES = 200_000
_NEVER = dt.datetime.min.replace(tzinfo=dt.UTC)
_RESUME_WITHIN = dt.timedelta(hours=24)
_LOCK_SPACE = 0x7661_6C75  # "valu": keeps these advisory locks apart from others

Progress = Callable[[str], None]


@dataclass
class ColumnReport:
    """What became of one column."""

    full_name: str
    policy: str
    reason: str = ""
    values: int = 0
    truncated: bool = False
    error: str = ""


@dataclass
class Report:
    """What a refresh did. `resumed` columns were finished by an earlier, interrupted run."""

    columns: list[ColumnReport] = field(default_factory=list)
    resumed: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def failed(self) -> list[ColumnReport]:
        return [column for column in self.columns if column.error]


def index_refresh(
    workspace: str,
    source: ValueSource,
    progress: Progress | None = None,
    *,
    tables: Collection[str] | None = None,
    batch_changes: int = _BATCH_CHANGES,
) -> Report:
    """Make the workspace's index equal to what `source` holds now; incremental and resumable.

    With `tables` (full names) only their columns are read, for whoever knows what was loaded;
    all others stay as they are. Columns are committed together once they hold `batch_changes`
    new, changed and lost values.
    Raises: Conflict `value_index_busy` when another refresh of the workspace is under way.
    """
    run = _Run(workspace, source, progress or (lambda _line: None))
    with _alone(workspace):
        return run.whole(batch_changes) if tables is None else run.part(tables, batch_changes)


def index_drop(workspace: str) -> None:
    """Forget everything stored about the workspace's values.

    Raises: Conflict `value_index_busy` while a refresh is under way.
    """
    with _alone(workspace), transaction.atomic():
        for index in ValueIndex.objects.filter(workspace=workspace):
            for model in (ValueOccurrence, ValuePosting, ValueItem, ValueWord):
                model.objects.filter(index_id=index.pk).delete()
            index.delete()


@contextmanager
def _alone(workspace: str) -> Iterator[None]:
    """A lock of this database session: it ends with the process, however that ends."""
    key: list[int | str] = [_LOCK_SPACE, workspace]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", key)
        if not cursor.fetchone()[0]:
            message = f"The values of {workspace} are being indexed already. Wait for it to end."
            raise Conflict("value_index_busy", message, workspace=workspace)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", key)


def _described(column: ValueColumn, report: ColumnReport) -> bool:
    """Put into the row what the report says; whether that changed it."""
    before = (column.policy, column.reason, column.distinct_values, column.truncated, column.error)
    column.policy, column.reason = report.policy, report.reason
    column.distinct_values, column.truncated, column.error = report.values, report.truncated, ""
    after = (column.policy, column.reason, column.distinct_values, column.truncated, column.error)
    # A column that was never read has no date yet; its fingerprint may have changed as well.
    return before != after or column.refreshed_at is None or column.moved


def _fingerprint(values: list[DistinctValue]) -> str:
    """Of the values in their order; "" for none, as of a column that was never read."""
    if not values:
        return ""
    text = "\x00".join(f"{raw}\x01{rows}" for raw, rows in values)
    return blake2b(text.encode(), digest_size=16).hexdigest()


class _Run:
    def __init__(self, workspace: str, source: ValueSource, progress: Progress) -> None:
        self._source = source
        self._progress = progress
        self._index, _ = ValueIndex.objects.get_or_create(workspace=workspace)
        self._batch = Batch()
        self._done: list[tuple[ValueColumn, ColumnReport]] = []
        self.report = Report()

    def whole(self, batch_changes: int) -> Report:
        """Every column; takes up a run that was interrupted."""
        started = self._start()
        self._columns(batch_changes, lambda _name: True, done_since=started)
        ValueIndex.objects.filter(pk=self._index.pk).update(
            run_started_at=None, refreshed_at=clock.now()
        )
        return self.report

    def part(self, tables: Collection[str], batch_changes: int) -> Report:
        """The columns of `tables`. A whole run that was interrupted stays interrupted."""
        self._columns(batch_changes, lambda name: name.rpartition(".")[0] in tables)
        return self.report

    def _columns(
        self,
        batch_changes: int,
        wanted: Callable[[str], bool],
        done_since: dt.datetime | None = None,
    ) -> None:
        stored = {column.full_name: column for column in self._index.columns.all()}
        for described in list(self._source.columns()):
            column = stored.pop(described.full_name, None)
            if not wanted(described.full_name):
                continue
            if done_since and column and (column.refreshed_at or _NEVER) >= done_since:
                self.report.resumed += 1
                continue
            self._column(described, column)
            if len(self._batch) >= batch_changes:
                self._commit()
        for name, column in stored.items():  # dropped from the warehouse
            if wanted(name):
                self._remove(column)
        self._commit()
        self._compact()

    def _start(self) -> dt.datetime:
        """When this run began; for one that takes up another, when that began."""
        now = clock.now()
        before = self._index.run_started_at
        if before is not None and now - before < _RESUME_WITHIN:
            return before
        ValueIndex.objects.filter(pk=self._index.pk).update(run_started_at=now)
        return now

    def _compact(self) -> None:
        large = self.report.added > COUNTED_WORDS or self.report.resumed > 0
        if self.report.added or self.report.removed or large:
            compact(self._index.pk, settle=large)

    def _column(self, described: SourceColumn, column: ValueColumn | None) -> None:
        if column is None:
            column = ValueColumn.objects.create(
                index=self._index, full_name=described.full_name, policy="off"
            )
        decision = before_reading(described)
        report = ColumnReport(described.full_name, decision.policy, decision.reason)
        values: list[DistinctValue] = []
        if decision.policy == "index":
            try:
                values = list(self._source.distinct_values(described.full_name, DISTINCT_MAX + 1))
            except ThothError as error:
                self._failed(column, report, error)
                return
            decision = after_reading(described, values)
        kept = values[:DISTINCT_MAX] if decision.policy == "index" else []
        fingerprint = _fingerprint(kept)
        if fingerprint != column.fingerprint:
            self._diff(column, kept)
            column.fingerprint = fingerprint
            column.moved = True
        self._note(column, report, decision, len(values))

    def _failed(self, column: ValueColumn, report: ColumnReport, error: ThothError) -> None:
        report.error = f"{error.code}: {error.message}"
        ValueColumn.objects.filter(pk=column.pk).update(error=report.error)
        self.report.columns.append(report)
        self._progress(f"{report.full_name}: not read ({report.error})")

    def _note(
        self, column: ValueColumn, report: ColumnReport, decision: Decision, distinct: int
    ) -> None:
        report.policy, report.reason, report.values = decision.policy, decision.reason, distinct
        report.truncated = decision.policy == "index" and distinct > DISTINCT_MAX
        self._done.append((column, report))

    def _diff(self, column: ValueColumn, values: list[DistinctValue]) -> None:
        """Put into the batch what the column gained, changed and lost since it was last read."""
        before = {
            raw: (item, n, rows)
            for item, n, raw, rows in ValueOccurrence.objects.filter(
                column_id=column.pk
            ).values_list("item_no", "n", "raw", "rows")
        }
        free = max((n for _, n, _ in before.values()), default=-1) + 1
        kinds: dict[str, int] = {}
        column_id = int(column.pk)
        for raw, rows in values:
            known = before.pop(raw, None)
            if known is None:
                self._add(column_id, raw, rows, free, kinds)
            elif known[2] != rows:
                self._batch.changed.append((known[0], column_id, known[1], rows))
        self._batch.gone += [(item, column_id, n) for item, n, _ in before.values()]

    def _add(self, column_id: int, raw: str, rows: int, free: int, kinds: dict[str, int]) -> None:
        normal = norm(raw)
        if not normal or len(raw) > VALUE_MAX_CHARS:
            return
        n = kinds[normal] = kinds.get(normal, free - 1) + 1
        self._batch.added.append(Added(column_id, raw, normal, rows, n))

    def _remove(self, column: ValueColumn) -> None:
        self._diff(column, [])
        self._commit()
        column.delete()

    def _commit(self) -> None:
        """The batch and the marks of its columns, together or not at all."""
        batch, done = self._batch, self._done
        now = clock.now()
        with transaction.atomic():
            if len(batch):
                write_batch(self._index.pk, batch)
            same = {column.pk for column, report in done if not _described(column, report)}
            ValueColumn.objects.filter(pk__in=same).update(refreshed_at=now)
            for column, _ in done:
                if column.pk not in same:
                    column.refreshed_at = now
                    column.save()
        self._batch, self._done = Batch(), []
        self._count(batch, done)

    def _count(self, batch: Batch, done: list[tuple[ValueColumn, ColumnReport]]) -> None:
        self.report.added += len(batch.added)
        self.report.changed += len(batch.changed)
        self.report.removed += len(batch.gone)
        for _, report in done:
            self.report.columns.append(report)
            detail = f"{report.values} values" if report.policy == "index" else report.reason
            self._progress(f"{report.full_name}: {report.policy}, {detail}")
