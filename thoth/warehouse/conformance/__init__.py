"""Does the SQL say what was decided? Rules over the qualified tree; see `report.RULES` for their ids."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Catalog
from thoth.contracts.task import DecidedSlice
from thoth.warehouse.conformance import joins, related
from thoth.warehouse.conformance.decided import Decided
from thoth.warehouse.conformance.filters import FilterRules
from thoth.warehouse.conformance.measures import MeasureRules, check_fan_out
from thoth.warehouse.conformance.reading import UnreadableError, read
from thoth.warehouse.conformance.report import RULES, ConformanceReport, Finding
from thoth.warehouse.conformance.shape import ShapeRules
from thoth.warehouse.conformance.steps import Step, check_ctes
from thoth.warehouse.conformance.walker import collect

__all__ = ["RULES", "ConformanceReport", "Finding", "check_sql"]


def check_sql(
    sql: str,
    intent: QueryIntent,
    decided: DecidedSlice,
    catalog: Catalog,
    ctes: Sequence[Step | str] = (),
) -> ConformanceReport:
    """Compare a query with the decisions; findings in the order of the text.

    `ctes` are the approved steps (a bare name leaves its text unchecked). A text that cannot be read gives one finding of rule `parse` or
    `set_operation`, and only those two count as checked. Never raises for any text.
    """
    try:
        written, qualified = read(sql, catalog)
    except UnreadableError as error:
        return ConformanceReport(findings=(error.finding,), checked=("parse", "set_operation"))
    found = _findings(written, qualified, Decided(intent, decided, catalog), ctes)
    unique = {(f.rule, f.start, f.end, f.message): f for f in found}
    ordered = sorted(unique.values(), key=lambda f: (f.start, f.end, f.rule, f.message))
    return ConformanceReport(findings=tuple(ordered), checked=tuple(RULES))


def _findings(
    written: exp.Query, qualified: exp.Query, decided: Decided, ctes: Sequence[Step | str]
) -> list[Finding]:
    texts = frozenset(f.text for f in decided.formulas.values() if f.is_condition)
    facts = collect(qualified, decided.catalog, texts)
    filters = FilterRules(facts, decided)
    measures = MeasureRules(facts, decided, filters)
    shape = ShapeRules(facts, decided, measures)
    measured = [atom for a in facts.aggregates.values() for atom in a.atoms]
    followed, owned = related.check_followed(facts, decided, [*facts.atoms, *measured])
    having, kept = shape.check_having()
    filters.used |= owned | kept
    return [
        *joins.check_raw(written),
        *check_ctes(written, ctes),
        *joins.check_tables(facts, decided),
        *joins.check_columns(facts, decided),
        *joins.check_joins(facts, decided),
        *followed,
        *related.check_exists(facts, decided),
        *filters.check(),
        *shape.check_output(),
        *having,
        *check_fan_out(facts, decided),
        *shape.check_group_by(),
        *shape.check_distinct(),
        *shape.check_order(),
        *shape.check_limit(),
        *filters.extra(),
    ]
