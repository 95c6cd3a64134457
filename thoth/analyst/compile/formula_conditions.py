"""Conditions on approved formulas."""

from __future__ import annotations

from sqlglot import exp

from thoth.analyst.compile import comparisons, literals
from thoth.analyst.compile.conditions import Atom, all_of
from thoth.analyst.compile.formulas import Formula
from thoth.analyst.compile.scope import Scope
from thoth.contracts.intent import Filter, Period
from thoth.contracts.schema import Column, TypeFamily


def bare(formula: Formula) -> Atom:
    """A formula that is a condition itself."""
    return Atom(formula.tables, formula.placed, lambda scope: exp.Not(this=formula.placed(scope)))


def compared(formula: Formula, filter_: Filter) -> Atom:
    """`formula op values`, typed by the kind of the values.  Raises: `bad_value`, `bad_filter`."""
    column = _typed_as(filter_.kind)

    def positive(scope: Scope) -> exp.Expr:
        return comparisons.condition(formula.placed(scope), column, filter_.op, filter_.values)

    def negative(scope: Scope) -> exp.Expr:
        return comparisons.opposite(formula.placed(scope), column, filter_.op, filter_.values)

    positive(Scope(sorted(formula.tables)))  # a bad value must be found now
    return Atom(formula.tables, positive, negative)


def between_days(formula: Formula, period: Period) -> Atom:
    """`start <= formula < end`, the formula giving a date."""
    bounds = [(op, v) for op, v in ((">=", period.start), ("<", period.end)) if v is not None]

    def positive(scope: Scope) -> exp.Expr:
        return all_of(
            [
                comparisons.compare(formula.placed(scope), op, literals.cast(v, "DATE"))
                for op, v in bounds
            ]
        )

    return Atom(formula.tables, positive, lambda scope: exp.Not(this=exp.paren(positive(scope))))


def _typed_as(kind: str) -> Column:
    families: dict[str, TypeFamily] = {"number": "decimal", "date": "date", "boolean": "boolean"}
    family = families.get(kind, "text")
    return Column(name="the formula", type=family, family=family)
