"""One column compared with values: typed by the column's family, half-open on days and years."""

from __future__ import annotations

import datetime as dt
import re

from sqlglot import exp

from thoth.analyst.compile import literals
from thoth.analyst.compile.conditions import Atom, all_of
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.scope import Scope
from thoth.analyst.compile.serving import Ref
from thoth.contracts.schema import Column

_OPS: dict[str, type[exp.Binary]] = {
    "=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
}  # fmt: skip
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_LIKE = frozenset({"contains", "starts_with", "ends_with"})
_MONTH = re.compile(r"\d{4}-\d{2}\Z")


def compare(left: exp.Expr, op: str, right: exp.Expr) -> exp.Expr:
    return _OPS[op](this=left, expression=right)


def atom(ref: Ref, column: Column, op: str, values: tuple[str, ...]) -> Atom:
    """`ref op values`.  Raises: UncompilableError `bad_value`, `bad_filter`."""

    def positive(scope: Scope) -> exp.Expr:
        return condition(scope.column(ref), column, op, values)

    def negative(scope: Scope) -> exp.Expr:
        return opposite(scope.column(ref), column, op, values)

    probe = Scope([ref.table])  # a bad value must be found now, not when the query is assembled
    positive(probe), negative(probe)
    return Atom(frozenset({ref.table}), positive, negative)


def condition(left: exp.Expr, column: Column, op: str, values: tuple[str, ...]) -> exp.Expr:
    """The condition as SQL."""
    if op == "is_null":
        return exp.Is(this=left, expression=exp.Null())
    if op in ("is_true", "is_false"):
        return exp.Is(this=left, expression=exp.Boolean(this=op == "is_true"))
    if not values:
        raise UncompilableError(
            "bad_filter", f"A condition on {column.name} has no value.", column.name
        )
    if op in _LIKE:
        return _any_like(left, column, op, values)
    if column.family in literals.DATES:
        return _dated(left, column, op, values)
    return _plain(left, column, op, values)


def _plain(left: exp.Expr, column: Column, op: str, values: tuple[str, ...]) -> exp.Expr:
    typed = [literals.literal(value, column) for value in values]
    if op == "between":
        return exp.Between(this=left, low=typed[0], high=_second(typed, column))
    if op == "in" or len(typed) > 1:
        if op not in ("in", "=", "!="):
            raise UncompilableError(
                "bad_filter", f"{op} compares with one value, not {len(typed)}."
            )
        inside = exp.In(this=left, expressions=typed)
        return exp.Not(this=inside) if op == "!=" else inside
    return compare(left, op, typed[0])


def _second(typed: list[exp.Expr], column: Column) -> exp.Expr:
    if len(typed) != 2:
        raise UncompilableError(
            "bad_filter", f"between on {column.name} needs two values.", column.name
        )
    return typed[1]


def opposite(left: exp.Expr, column: Column, op: str, values: tuple[str, ...]) -> exp.Expr:
    """The negation of `condition`, written as a person would."""
    if op in ("is_true", "is_false"):
        return condition(left, column, "is_false" if op == "is_true" else "is_true", values)
    if op == "is_null":
        return exp.Is(this=left, expression=exp.Null(), negate=True)
    if op in _OPPOSITE and len(values) == 1:
        return condition(left, column, _OPPOSITE[op], values)
    tree = condition(left, column, op, values)
    return tree.this if isinstance(tree, exp.Not) else _not(tree)


def _not(tree: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.paren(tree, copy=False) if isinstance(tree, exp.Connector) else tree)


def _any_like(left: exp.Expr, column: Column, op: str, values: tuple[str, ...]) -> exp.Expr:
    if column.family != "text":
        left = exp.Cast(this=left, to=exp.DataType.build("text"))
    parts = [exp.ILike(this=left.copy(), expression=literals.like_pattern(v, op)) for v in values]
    tree: exp.Expr = parts[0]
    for part in parts[1:]:
        tree = exp.Or(this=tree, expression=part)
    return tree


def _dated(left: exp.Expr, column: Column, op: str, values: tuple[str, ...]) -> exp.Expr:
    if op in ("=", "in", "!=") and all(_exact(v, column) for v in values):
        return _plain(left, column, op, values)
    if op in ("=", "in", "!="):
        return _in_spans(left, column, op, values)
    if op == "between":
        _second([exp.null() for _ in values], column)
        return all_of(
            [_bound(left, column, ">=", values[0]), _bound(left.copy(), column, "<=", values[1])]
        )
    if len(values) > 1:
        raise UncompilableError("bad_filter", f"{op} compares with one value, not {len(values)}.")
    return _bound(left, column, op, values[0])


def _in_spans(left: exp.Expr, column: Column, op: str, values: tuple[str, ...]) -> exp.Expr:
    spans = [
        all_of([_bound(left.copy(), column, ">=", v), _bound(left.copy(), column, "<=", v)])
        for v in values
    ]
    tree: exp.Expr = spans[0] if len(spans) == 1 else exp.paren(spans[0])
    for span in spans[1:]:
        tree = exp.Or(this=tree, expression=exp.paren(span))
    return _not(tree) if op == "!=" else tree


def _bound(left: exp.Expr, column: Column, op: str, value: str) -> exp.Expr:
    """One side of an interval: a day, month or year as value stands for all of its moments."""
    if _exact(value, column):
        return compare(left, op, literals.literal(value, column))
    start, end = span_of(value)
    if op in ("<=", ">"):
        return compare(left, "<" if op == "<=" else ">=", literals.literal(end, column))
    return compare(left, op, literals.literal(start, column))


def _exact(value: str, column: Column) -> bool:
    """Whether the value is one point of the column's own scale."""
    if literals.is_year(value) or _MONTH.match(value.strip()):
        return False
    return column.family == "date" or not literals.is_day(value)


def span_of(value: str) -> tuple[str, str]:
    """[start, end) in ISO days of the year, month or day that `value` names."""
    value = value.strip()
    if literals.is_year(value):
        return f"{value}-01-01", f"{int(value) + 1:04d}-01-01"
    if _MONTH.match(value):
        first = literals.date_of(f"{value}-01")
        return first.isoformat(), (first + dt.timedelta(days=32)).replace(day=1).isoformat()
    return literals.date_of(value).isoformat(), literals.day_after(value)


def period(ref: Ref, column: Column, start: str | None, end: str | None) -> Atom:
    """`start <= ref < end` on a date, a timestamp, or a column of years.

    Raises: UncompilableError `period_grain` (part of a year asked of a column of years), `period_type`.
    """
    if column.family == "integer":
        start, end = _year(start), _year(end)
    elif column.family not in literals.DATES:
        raise UncompilableError("period_type", f"{ref} holds no dates.", str(ref))
    bounds = [(op, value) for op, value in ((">=", start), ("<", end)) if value is not None]

    def positive(scope: Scope) -> exp.Expr:
        typed = [(op, literals.literal(v, column)) for op, v in bounds]
        return all_of([compare(scope.column(ref), op, value) for op, value in typed])

    if not bounds:
        raise UncompilableError("bad_filter", "The period has neither start nor end.")
    return Atom(frozenset({ref.table}), positive, lambda scope: _not(positive(scope)))


def _year(value: str | None) -> str | None:
    if value is None:
        return None
    day = literals.date_of(value)
    if (day.month, day.day) != (1, 1):
        raise UncompilableError("period_grain", "A column of years cannot hold part of a year.")
    return str(day.year)
