"""The only door to the warehouse for the apps: a workspace's name in, frozen results out.

sqlglot, numpy and rapidfuzz take longer to load than all the rest of the product, and a server of
pages hardly ever needs them: what parses SQL or searches values is imported by the function that
asks for it. A test watches over the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Catalog
from thoth.contracts.task import DecidedSlice
from thoth.contracts.tools import Explanation, JoinSearch, SchemaSearch, SchemaSlice, ValueSearch
from thoth.lib.errors import ThothError, Upstream
from thoth.warehouse.catalog import catalog_get, catalog_refresh
from thoth.warehouse.csv_export import result_csv
from thoth.warehouse.execute.rows import MASK, QueryRows, ResultColumn
from thoth.warehouse.execute.run import Purpose, Request, query_count, query_explain
from thoth.warehouse.execute.run import query_run as _query_run
from thoth.warehouse.execute.session import RunHandle
from thoth.warehouse.execute.target import Target
from thoth.warehouse.guard.types import GuardedQuery
from thoth.warehouse.joinpaths import join_search
from thoth.warehouse.render import schema_slice
from thoth.warehouse.results import (
    ResultPage,
    StoredResult,
    result_delete,
    result_get,
    result_number,
    result_page,
    results_sweep,
)
from thoth.warehouse.results import result_create as _result_create
from thoth.warehouse.samples import samples_of
from thoth.workspaces.facade import workspace_get

if TYPE_CHECKING:
    from thoth.warehouse.conformance import ConformanceReport
    from thoth.warehouse.conformance.steps import Step
    from thoth.warehouse.expressions import Expression

QueryResult = QueryRows
_VALUE_SPANS_MAX = 20

__all__ = [
    "MASK",
    "GuardedQuery",
    "QueryResult",
    "ResultColumn",
    "ResultPage",
    "RunHandle",
    "StoredResult",
    "catalog_get",
    "catalog_refresh",
    "check_sql",
    "count_rows",
    "explain",
    "expression_read",
    "guard",
    "join_paths",
    "query_run",
    "result_create",
    "result_csv",
    "result_delete",
    "result_get",
    "result_number",
    "result_page",
    "results_sweep",
    "schema_render",
    "schema_search",
    "values_search",
]


def guard(workspace: str, sql: str) -> GuardedQuery:
    """The query if it may run in this workspace. Asks no database once the catalog is known.

    Raises: Invalid with the code of the refusal.
    """
    from thoth.warehouse.guard.check import guard as check  # noqa: PLC0415 - sqlglot

    functions = frozenset(workspace_get(workspace).execution.functions)
    return check(sql, catalog_get(workspace), functions=functions)


def check_sql(
    sql: str,
    intent: QueryIntent,
    decided: DecidedSlice,
    catalog: Catalog,
    ctes: Sequence[Step | str] = (),
) -> ConformanceReport:
    """Where the query departs from the decisions; never raises. As `conformance.check_sql`."""
    from thoth.warehouse import conformance  # noqa: PLC0415 - sqlglot

    return conformance.check_sql(sql, intent, decided, catalog, ctes)


def expression_read(sql: str) -> Expression:
    """The columns of one scalar expression, and the query that the guard can be asked about.

    Raises: Invalid `expression_unreadable`.
    """
    from thoth.warehouse.expressions import read  # noqa: PLC0415 - sqlglot

    return read(sql)


def query_run(  # noqa: PLR0913 - the one entry point names every limit
    workspace: str,
    sql: str,
    *,
    purpose: Purpose = "preview",
    max_rows: int | None = None,
    timeout_s: float | None = None,
    expected_sha256: str | None = None,
    handle: RunHandle | None = None,
) -> QueryResult:
    """The rows as text, identifying columns masked, under all belts.

    `max_rows` and `timeout_s` can only tighten what the workspace allows. `handle.cancel()` stops
    it from another thread. Raises: as `thoth.warehouse.execute.run.query_stream`.
    """
    target = _target(workspace, timeout_s)
    request = Request(sql, purpose, expected_sha256=expected_sha256, max_rows=max_rows)
    return _query_run(target, catalog_get(workspace), request, handle=handle)


def count_rows(workspace: str, sql: str, *, timeout_s: float | None = None) -> int:
    """How many rows the query has, without fetching them. Raises: as `query_run`."""
    return query_count(_target(workspace, timeout_s), catalog_get(workspace), sql)


def explain(workspace: str, sql: str) -> Explanation:
    """Cost and rows by the planner's guess; a refusal of the text is in the result.

    Raises: Upstream when the warehouse cannot answer.
    """
    try:
        plan = query_explain(_target(workspace), catalog_get(workspace), sql)
    except Upstream:
        raise
    except ThothError as error:
        return Explanation(error_code=error.code, error=error.message)
    return Explanation(total_cost=plan.total_cost, rows=plan.rows)


def result_create(
    workspace: str,
    sql: str,
    *,
    purpose: Purpose = "export",
    expected_sha256: str | None = None,
    unmask: bool = False,
    handle: RunHandle | None = None,
) -> StoredResult:
    """Run the approved text once and keep its rows for 24 hours.

    `unmask` only after the reviewer confirmed that identifying columns may leave.
    Raises: as `query_run`; nothing is kept then.
    """
    request = Request(sql, purpose, expected_sha256=expected_sha256, unmask=unmask)
    return _result_create(_target(workspace), catalog_get(workspace), request, handle=handle)


def schema_search(workspace: str, text: str) -> SchemaSearch:
    """Tables whose names, comments or values share words with `text`, best first."""
    from thoth.warehouse.search import schema_search_bounded  # noqa: PLC0415 - rapidfuzz
    from thoth.warehouse.valueindex import facade as valueindex  # noqa: PLC0415 - numpy

    catalog = catalog_get(workspace)
    values = valueindex.values_search(workspace, text, catalog=catalog)
    return schema_search_bounded(catalog, text, values=values)


def schema_render(workspace: str, tables: tuple[str, ...]) -> SchemaSlice:
    """At most eight tables as compact text with samples, within 8 KiB.

    Raises: Upstream when the warehouse cannot be asked for samples.
    """
    catalog = catalog_get(workspace)
    found = [table for name in tables if (table := catalog.table(name)) is not None]
    samples = samples_of(Target.of(workspace_get(workspace)), catalog, found)
    return schema_slice(catalog, tables, samples)


def join_paths(workspace: str, tables: tuple[str, ...]) -> JoinSearch:
    """How the tables can be joined, best first."""
    return join_search(catalog_get(workspace), tables)


def values_search(workspace: str, text: str) -> ValueSearch:
    """Where the warehouse holds what `text` names, span by span."""
    from thoth.warehouse.valueindex import facade as valueindex  # noqa: PLC0415 - numpy

    catalog = catalog_get(workspace)
    spans = valueindex.values_search(
        workspace,
        text,
        catalog=catalog,
        with_words=True,
        source=valueindex.value_source(workspace, catalog),
    )
    return ValueSearch(
        spans=spans[:_VALUE_SPANS_MAX], omitted=max(0, len(spans) - _VALUE_SPANS_MAX)
    )


def _target(workspace: str, timeout_s: float | None = None) -> Target:
    target = Target.of(workspace_get(workspace))
    if timeout_s is None:
        return target
    return replace(target, statement_timeout_s=min(timeout_s, target.statement_timeout_s))
