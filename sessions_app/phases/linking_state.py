"""What F4 still has to settle: derived from the intent and the effective view alone. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sessions_app.decided import tables_of_join
from sessions_app.view import EffectiveView
from thoth.contracts.intent import Dimension, Filter, Measure, QueryIntent
from thoth.contracts.task import DecidedSlice

_LITERAL_OPS = frozenset({"=", "!=", "in", "contains", "starts_with", "ends_with"})
_VALUE_TYPES = ("value_grounded", "value_absent")
_FORMULA_TYPES = ("concept_formula_approved", "concept_formula_rejected")


def literals(intent: QueryIntent) -> dict[str, tuple[str, ...]]:
    """Every text literal of the intent with the ids of the filters that cite it, in order.

    A filter on a calculated concept has none: its values belong to the formula.
    """
    found: dict[str, tuple[str, ...]] = {}
    for item in intent.filters:
        if item.kind == "text" and item.op in _LITERAL_OPS and not item.concept:
            if item.role == "having":
                continue
            for value in item.values:
                found[value] = (*found.get(value, ()), item.id)
    return found


def pending_literals(intent: QueryIntent, view: EffectiveView) -> dict[str, tuple[str, ...]]:
    """Literals (with filter ids) that are neither grounded nor recorded as absent."""
    served = set()
    for row in view.of_type(*_VALUE_TYPES):
        ids = row.payload.get("serves") or ["*"]
        served |= {(row.subject, str(item)) for item in ids}
    return {
        literal: ids
        for literal, ids in literals(intent).items()
        if (literal, "*") not in served and any((literal, item) not in served for item in ids)
    }


def concepts(intent: QueryIntent) -> dict[str, tuple[str, ...]]:
    """Every calculated concept of the intent with the ids that need its formula, in order."""
    found: dict[str, tuple[str, ...]] = {}
    items: list[Measure | Dimension | Filter] = [
        *intent.measures,
        *intent.dimensions,
        *intent.filters,
    ]
    for item in items:
        if item.concept:
            found[item.concept] = (*found.get(item.concept, ()), item.id)
    return found


def pending_concepts(intent: QueryIntent, view: EffectiveView) -> dict[str, tuple[str, ...]]:
    """Calculated concepts whose formula is neither approved nor rejected."""
    decided = {row.subject for row in view.of_type(*_FORMULA_TYPES)}
    return {name: ids for name, ids in concepts(intent).items() if name not in decided}


def tables_pending(view: EffectiveView) -> bool:
    """Is no table promoted since the question was rewritten?"""
    rewritten = view.latest("question_rewritten")
    promoted = view.latest("table_promoted")
    return promoted is None or (rewritten is not None and promoted.seq < rewritten.seq)


def unconnected(tables: Iterable[str], joins: Iterable[str]) -> tuple[str, ...]:
    """The tables that the joins do not connect to the first one; empty when all hang together."""
    wanted = list(dict.fromkeys(tables))
    if len(wanted) < 2:
        return ()
    edges = [tables_of_join(subject) for subject in joins]
    reached = {wanted[0]}
    grown = True
    while grown:
        grown = False
        for edge in edges:
            if edge & reached and not edge <= reached:
                reached |= edge
                grown = True
    return tuple(table for table in wanted if table not in reached)


def unserved(intent: QueryIntent, decided: DecidedSlice) -> tuple[str, ...]:
    """Ids of the intent that nothing serves and whose absence is not recorded, sorted.

    A measure of rows (`*`) is served by any promoted table, a quotient by its parts, a condition on
    a measure by that measure, a calculated concept by its approved formula only.
    """
    served = set(_serves(decided))
    needing = {item: name for name, ids in concepts(intent).items() for item in ids}
    for item, name in needing.items():
        served.discard(item)
        if name in decided.formulas:
            served.add(item)
    served |= {m.id for m in intent.measures if m.of == "*" and not m.concept and decided.tables}
    served |= {m.id for m in intent.measures if _quotient_served(m, served)}
    served |= {f.id for f in intent.filters if _having_served(f, served)}
    return tuple(sorted(intent.ids() - served))


def _quotient_served(measure: Measure, served: set[str]) -> bool:
    return measure.numerator in served and measure.denominator in served


def _having_served(item: Filter, served: set[str]) -> bool:
    return item.role == "having" and item.subject in served


def _serves(decided: DecidedSlice) -> Iterator[str]:
    parts = (
        decided.tables,
        decided.columns,
        decided.groundings,
        decided.absent,
        decided.formulas,
    )
    for part in parts:
        for payload in part.values():
            yield from payload.serves
