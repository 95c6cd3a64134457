"""A session's view of its warehouse: guarded, bounded, masked; failures of extras become absences.

Everything goes through `thoth.warehouse.facade`; nothing else of this app talks to a warehouse.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from memory_app.facade import search_memory
from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Catalog
from thoth.contracts.task import DecidedSlice
from thoth.contracts.tools import (
    Explanation,
    JoinSearch,
    MemoryHit,
    SchemaSearch,
    SchemaSlice,
    ValueSearch,
)
from thoth.lib.errors import Invalid, ThothError, Upstream
from thoth.warehouse import facade
from thoth.warehouse.execute.rows import QueryRows
from thoth.warehouse.execute.run import Purpose

if TYPE_CHECKING:  # sqlglot comes with it
    from thoth.warehouse.conformance.steps import Step

logger = logging.getLogger(__name__)

PREVIEW_ROWS = 3
TEST_ROWS = 1000
OPTION_TIMEOUT_S = 3.0
CELL_MAX_CHARS = 200
# The warehouse itself is gone: the stage waits for it instead of blaming the query.
UNAVAILABLE = frozenset({"warehouse_unreachable", "warehouse_died"})


@dataclass(frozen=True, slots=True)
class Tested:
    """A test run under a row cap. `error` is set when it failed; `rows` is at most the cap."""

    rows: int = 0
    truncated: bool = False
    columns: tuple[str, ...] = ()
    preview: dict[str, object] | None = None
    error: str = ""

    @property
    def sentence(self) -> str:
        if self.error:
            return self.error
        return f"{'≥ ' if self.truncated else ''}{self.rows} rows"


@dataclass(frozen=True, slots=True)
class Departure:
    """A finding of conformance: where a query departs from a decision."""

    rule: str
    node: str
    sentence: str
    fix: str = ""
    decision: str = ""
    blocks: bool = True  # False: worth knowing, not a contradiction


@dataclass
class SessionWarehouse:
    """The warehouse of one workspace. Reading the catalog costs its first use one query."""

    workspace: str
    _counted: dict[str, int | None] = field(default_factory=dict)

    @cached_property
    def catalog(self) -> Catalog:
        """Raises: Upstream when the warehouse was never introspected and cannot be reached."""
        return facade.catalog_get(self.workspace)

    def search_values(self, text: str) -> ValueSearch:
        return facade.values_search(self.workspace, text)

    def search_schema(self, text: str) -> SchemaSearch:
        return facade.schema_search(self.workspace, text)

    def render_schema(self, tables: tuple[str, ...]) -> SchemaSlice:
        return facade.schema_render(self.workspace, tables)

    def join_paths(self, tables: tuple[str, ...]) -> JoinSearch:
        return facade.join_paths(self.workspace, tables)

    def memory(self, query: str) -> tuple[MemoryHit, ...]:
        """Remembered clarifications that resemble the query, best first."""
        return search_memory(workspace=self.workspace, query=query)

    def explain(self, sql: str) -> Explanation:
        """What the planner expects; a refusal is in the result. Raises: Upstream."""
        return facade.explain(self.workspace, sql)

    def refusal(self, sql: str) -> str | None:
        """Why the guard refuses the text, or None when it may run."""
        try:
            facade.guard(self.workspace, sql)
        except Upstream:
            raise
        except ThothError as error:
            return error.message
        return None

    def count(self, sql: str) -> int | None:
        """The one whole number that the query gives; None when it gives none in time."""
        if sql not in self._counted:
            self._counted[sql] = self._count(sql)
        return self._counted[sql]

    def preview(self, sql: str) -> dict[str, object] | None:
        """At most three rows as `{columns, rows}` of texts, identifying columns masked; None when
        they cannot be had in time."""
        try:
            return self._run(sql, "preview", rows=PREVIEW_ROWS, timeout_s=OPTION_TIMEOUT_S).preview
        except ThothError as error:
            logger.info("option_preview_left_out code=%s", error.code)
            return None

    def test(self, sql: str, purpose: Purpose = "preview") -> Tested:
        """The query run under a cap, its first rows as preview. A failure of the query is in the
        result. Raises: Upstream when the warehouse itself cannot be reached."""
        try:
            return self._run(sql, purpose, rows=TEST_ROWS, timeout_s=None)
        except Upstream as error:
            if error.code in UNAVAILABLE:
                raise
            return Tested(error=error.message)
        except ThothError as error:
            return Tested(error=error.message)

    def conformance(
        self, sql: str, intent: QueryIntent | None, decided: DecidedSlice, ctes: Sequence[Step]
    ) -> tuple[Departure, ...]:
        """Where the query departs from the decisions; `ctes` are the approved steps."""
        if intent is None:
            raise LookupError("conformance needs the approved intent")
        report = facade.check_sql(
            sql, intent=intent, decided=decided, catalog=self.catalog, ctes=ctes
        )
        return tuple(
            Departure(
                rule=finding.rule,
                node=finding.node,
                sentence=finding.message,
                fix=finding.fix,
                decision=finding.decision_subject,
                blocks=finding.severity == "error",
            )
            for finding in report.findings
        )

    def expression_columns(self, sql: str) -> tuple[str, ...]:
        """The fully qualified columns of one scalar expression that the guard accepts.

        Raises: Invalid `formula_refused`.
        """
        columns = self.try_expression(sql)
        if isinstance(columns, str):
            raise Invalid("formula_refused", columns)
        return columns

    def try_expression(self, sql: str) -> tuple[str, ...] | str:
        """As `expression_columns`, with the reason as text instead of an error."""
        try:
            expression = facade.expression_read(sql)
        except Invalid as error:
            return error.message
        unknown = [name for name in expression.columns if self.catalog.column(name) is None]
        if unknown:
            return "Unknown columns (write schema.table.column): " + ", ".join(unknown)
        return self.refusal(expression.query) or expression.columns

    def _count(self, sql: str) -> int | None:
        try:
            return self._number(sql)
        except ThothError as error:
            logger.info("option_count_left_out code=%s", error.code)
            return None

    def _number(self, sql: str) -> int | None:
        result = self._query(sql, "aggregate", rows=1, timeout_s=OPTION_TIMEOUT_S)
        value = result.rows[0][0] if result.rows and result.rows[0] else None
        return int(value) if value is not None and value.lstrip("-").isdigit() else None

    def _run(self, sql: str, purpose: Purpose, *, rows: int, timeout_s: float | None) -> Tested:
        """Cells are texts; the warehouse has masked identifying ones already."""
        result = self._query(sql, purpose, rows=rows, timeout_s=timeout_s)
        headers = tuple(column.header for column in result.columns)
        shown = [[_cut(cell) for cell in row] for row in result.rows[:PREVIEW_ROWS]]
        return Tested(
            rows=len(result.rows),
            truncated=result.truncated,
            columns=headers,
            preview={"columns": list(headers), "rows": shown} if headers else None,
        )

    def _query(
        self, sql: str, purpose: Purpose, *, rows: int, timeout_s: float | None
    ) -> QueryRows:
        return facade.query_run(
            self.workspace, sql, purpose=purpose, max_rows=rows, timeout_s=timeout_s
        )


def _cut(cell: str | None) -> str | None:
    return cell if cell is None or len(cell) <= CELL_MAX_CHARS else cell[:CELL_MAX_CHARS] + "…"
