"""Dimensions as keys that can be compared: a column, or a calendar grain of one."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from thoth.contracts.intent import Dimension
from thoth.warehouse.conformance.canon import canon, stripped
from thoth.warehouse.conformance.decided import Decided

_UNITS = {"ISODOW": "weekday", "DOW": "weekday", "MONTH": "month_of_year", "HOUR": "hour_of_day"}


@dataclass(frozen=True)
class Slot:
    """One part of a dimension: the key of its expression, and whether the result shows it."""

    of: str
    label: str
    key: str
    shown: bool


def slots_of(dimension: Dimension, decided: Decided) -> list[Slot]:
    formula = decided.formula(dimension.id, dimension.concept)
    if formula is not None:
        text = canon(stripped(formula.expression))
        return [Slot(dimension.id, dimension.label, _grained(dimension.grain, text), shown=True)]
    columns = decided.columns(dimension.id)
    only_keys = all(decided.slice.columns[c].role == "key" for c in columns)
    return [
        Slot(
            dimension.id, dimension.label, _column_key(dimension, c, decided),
            only_keys or decided.slice.columns[c].role != "key",
        )
        for c in columns
    ]  # fmt: skip


def _column_key(dimension: Dimension, column: str, decided: Decided) -> str:
    family = decided.family(column)
    plain = family == "integer" or (family == "date" and dimension.grain == "day")
    return column if plain else _grained(dimension.grain, column)


def _grained(grain: str | None, text: str) -> str:
    return f"{grain} of {text}" if grain else text


def dimension_key(expression: exp.Expr, decided: Decided) -> str:
    """The key of an expression: a column, `grain of` a column, or the text of anything else."""
    node = expression.unnest()
    if isinstance(node, exp.Cast) and isinstance(node.this.unnest(), exp.Column):
        column = node.this.unnest().name
        if node.is_type("date") and decided.family(column) == "timestamp":
            return f"day of {column}"
    node = stripped(node)
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Extract):
        unit = str(node.this).upper()
        return f"{_UNITS.get(unit, unit.lower())} of {_inner(node.expression)}"
    if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
        unit = str(node.args["unit"].name).lower()
        return f"{unit} of {_inner(node.this)}"
    return canon(node)


def _inner(node: exp.Expr) -> str:
    plain = stripped(node)
    return plain.name if isinstance(plain, exp.Column) else canon(plain)
