"""Dimensions as SQL: the columns or formulas that a result lists or groups by.

Grains: `year`, `weekday` (1 = Monday … 7 = Sunday), `month_of_year`, `hour_of_day` are integers;
`quarter`, `month`, `week` (from Monday) are the date of their first day; `day` is a date; `hour` a
timestamp. A grain on an integer column (a calendar table's year) is that column itself.
Columns that serve a dimension with role `key` beside others are grouped by, and not shown: two
people of one name stay two rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.formulas import Formula, parse_formula
from thoth.analyst.compile.literals import DATES
from thoth.analyst.compile.scope import Scope
from thoth.analyst.compile.serving import Ref, Serving
from thoth.contracts.intent import Dimension, Grain
from thoth.contracts.schema import TypeFamily

_PARTS: dict[Grain, str] = {
    "year": "YEAR", "weekday": "ISODOW", "month_of_year": "MONTH", "hour_of_day": "HOUR",
}  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One expression of a dimension. `name` is a column's own, empty for a formula."""

    name: str
    shown: bool
    value: Ref | Formula
    family: TypeFamily
    grain: Grain | None

    @property
    def tables(self) -> frozenset[str]:
        return frozenset({self.value.table}) if isinstance(self.value, Ref) else self.value.tables

    def expression(self, scope: Scope) -> exp.Expr:
        value = (
            scope.column(self.value) if isinstance(self.value, Ref) else self.value.placed(scope)
        )
        return _cut(value, self.family, self.grain) if self.grain else value


def parts_of(dimension: Dimension, serving: Serving) -> list[Part]:
    """The expressions of a dimension, in the order of the decisions.  Raises: UncompilableError `unserved`."""
    formula = serving.formula(dimension.id, dimension.concept)
    if formula is not None:
        return [
            Part(
                name="",
                shown=True,
                value=parse_formula(formula),
                family="timestamp",
                grain=dimension.grain,
            )
        ]
    columns = serving.columns(dimension.id)
    if not columns:
        raise UncompilableError("unserved", f"No column serves “{dimension.of}”.", dimension.of)
    only_keys = all(promoted.role == "key" for _, promoted in columns)
    return [
        Part(
            ref.name,
            only_keys or promoted.role != "key",
            ref,
            serving.meta(ref).family,
            dimension.grain,
        )
        for ref, promoted in columns
    ]


def _cut(value: exp.Expr, family: TypeFamily, grain: Grain) -> exp.Expr:
    if family == "integer":
        return value
    if family not in DATES and not (family == "time" and grain == "hour_of_day"):
        raise UncompilableError("grain_type", f"There is no {grain} of a value that is no date.")
    if grain in _PARTS:
        return _cast(exp.Extract(this=exp.var(_PARTS[grain]), expression=value), "int")
    if grain == "day":
        return value if family == "date" else _cast(value, "date")
    cut = exp.TimestampTrunc(this=value, unit=exp.var(grain.upper()))
    return cut if grain == "hour" else _cast(cut, "date")


def _cast(value: exp.Expr, sql_type: str) -> exp.Expr:
    return exp.Cast(this=value, to=exp.DataType.build(sql_type, dialect="postgres"))
