"""Words for the stable names inside decisions and intents: a person never reads the names.

Lazy, so that a document is written in its session's language and a page shown in its reader's.
"""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from thoth.contracts.intent import Dimension, Filter, Measure, Order, Period

_ROLES = {
    "output": _("shown"),
    "filter": _("condition"),
    "measure": _("calculated from"),
    "key": _("connects rows"),
    "dimension": _("grouped by"),
    "period": _("date of the period"),
}
_JOIN_KINDS = {"inner": _("matching rows only"), "left": _("keeps rows without a match")}
_CARDINALITIES = {
    "one_to_one": _("one to one"),
    "one_to_many": _("one to many"),
    "many_to_one": _("many to one"),
    "many_to_many": _("many to many"),
}
_GRAINS = {
    "year": _("by year"),
    "quarter": _("by quarter"),
    "month": _("by month"),
    "week": _("by week"),
    "day": _("by day"),
    "hour": _("by hour"),
    "weekday": _("by day of the week"),
    "month_of_year": _("by month of the year"),
    "hour_of_day": _("by hour of the day"),
}
_AGGREGATES = {
    "count": _("number"),
    "sum": _("sum"),
    "avg": _("average"),
    "min": _("smallest"),
    "max": _("largest"),
    "median": _("median"),
    "stddev": _("standard deviation"),
    "ratio": _("share"),
    "value": _("value"),
}
_UNITS = {
    "second": _("seconds"),
    "minute": _("minutes"),
    "hour": _("hours"),
    "day": _("days"),
    "week": _("weeks"),
    "month": _("months"),
    "year": _("years"),
    "percent": "%",
}
_OPERATORS = {
    "=": _("is"),
    "!=": _("is not"),
    "between": _("is between"),
    "in": _("is one of"),
    "contains": _("contains"),
    "starts_with": _("starts with"),
    "ends_with": _("ends with"),
    "is_null": _("is missing"),
    "is_true": _("is true"),
    "exists": _("exists"),
    "followed_within": _("is followed within"),
    "preceded_within": _("is preceded within"),
}
_DECIDED = {
    "concept_clarified": _("Meanings"),
    "ambiguity_open": _("Left open"),
    "question_rewritten": _("The question"),
    "table_promoted": _("Tables"),
    "table_excluded": _("Tables left out"),
    "column_promoted": _("Columns"),
    "column_corrected": _("Columns"),
    "join_approved": _("Joins"),
    "join_modified": _("Joins"),
    "value_grounded": _("Values"),
    "value_absent": _("Values that are not in the data"),
    "concept_formula_approved": _("Formulas"),
    "concept_formula_rejected": _("Formulas"),
    "evidence_accepted": _("Evidence"),
    "evidence_rejected": _("Evidence"),
    "cte_approved": _("Intermediate steps"),
    "phase_skipped": _("Intermediate steps"),
    "sql_approved": _("The SQL"),
    "datamart_requested": _("Datamart"),
    "datamart_declined": _("Datamart"),
}


def decided_words(decision: str) -> str:
    """What decisions of one type are about, as the heading of several."""
    return str(_DECIDED.get(decision, _("Others")))


def role_words(role: str) -> str:
    """What a column is for: `condition`, `grouped by`, …"""
    return str(_ROLES.get(role, role))


def join_words(kind: str, cardinality: str) -> tuple[str, str]:
    """Which rows a join keeps, and how many meet how many."""
    name = cardinality.replace(" ", "_")
    return str(_JOIN_KINDS.get(kind, kind)), str(_CARDINALITIES.get(name, cardinality))


def measure_words(measure: Measure) -> str:
    """`m1: number of different «patients»`; ids name other measures and conditions."""
    if measure.numerator:
        text = f"{measure.numerator} / {measure.denominator}"
    else:
        aggregate = str(_AGGREGATES.get(measure.agg, measure.agg))
        text = gettext("%(aggregate)s of %(what)s") % {
            "aggregate": aggregate,
            "what": _measured(measure),
        }
    if measure.when:
        text += " " + gettext("where %s") % ", ".join(measure.when)
    unit = f" [{_unit(measure.unit)}]" if measure.unit else ""
    return f"{measure.id}: {text}{unit}"


def dimension_words(dimension: Dimension) -> str:
    """`d1: date of the procedure, by year`."""
    grain = f", {_GRAINS[dimension.grain]}" if dimension.grain else ""
    return f"{dimension.id}: {dimension.of}{grain}"


def filter_words(item: Filter) -> str:
    """`f1: not: ward is «Cardiology»`; at the end, the condition that this one is part of."""
    negation = gettext("not") + ": " if item.negated else ""
    values = ", ".join(f"«{v}»" if item.kind == "text" else v for v in item.values)
    operator = str(_OPERATORS.get(item.op, item.op))
    text = f"{item.id}: {negation}{item.subject} {operator} {values}".rstrip()
    if item.amount is not None:
        text += f" {item.amount} {_unit(item.unit)}".rstrip()
    return text + (f" ({gettext('within')} {item.within})" if item.within else "")


def period_words(period: Period) -> str:
    """`p1: 2023-01-01 ≤ date < 2024-01-01`."""
    start = f"{period.start} ≤ " if period.start else ""
    end = f" < {period.end}" if period.end else ""
    return f"{period.id}: {start}{period.subject}{end}"


def order_words(order: Order) -> str:
    """`m1, descending`."""
    return f"{order.by}, " + (
        gettext("descending") if order.direction == "desc" else gettext("ascending")
    )


def _measured(measure: Measure) -> str:
    what = gettext("rows") if measure.of == "*" else f"«{measure.of}»"
    return gettext("different %s") % what if measure.distinct else what


def _unit(unit: str | None) -> str:
    return str(_UNITS.get(unit or "", unit or ""))
