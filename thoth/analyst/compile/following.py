"""Rows that are followed, or preceded, by another row of the same person within some time.

The filter is served by three columns of one table: role `key` says who; role `period` is the date on
which a row begins; role `filter` is the date on which it ends (the begin, when absent). A row is
followed when another one begins strictly after its end and at most `amount` units later; it is
preceded when it is itself such a follower. The other row is restricted by the filters `within` this
one alone: neither the period nor other filters apply to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from thoth.analyst.compile.comparisons import compare
from thoth.analyst.compile.conditions import Atom, Condition, Negated, all_of
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.literals import DATES
from thoth.analyst.compile.scope import Scope
from thoth.analyst.compile.serving import Ref, Serving
from thoth.contracts.decisions import ColumnPromoted
from thoth.contracts.intent import Filter

_DAYS = {"day": 1, "week": 7}
_INTERVALS = frozenset({"second", "minute", "hour", "day", "week", "month", "year"})


@dataclass(frozen=True)
class _Sequence:
    """`days` is set when both dates are plain dates and the distance is a number of days."""

    keys: tuple[Ref, ...]
    begin: Ref
    end: Ref
    distance: exp.Expr

    @property
    def table(self) -> str:
        return self.begin.table


def followed(filter_: Filter, serving: Serving, inner: tuple[Condition, ...]) -> Atom:
    """The condition.  Raises: UncompilableError `bad_filter`, `unserved`."""
    sequence = _sequence(filter_, serving)
    for condition in inner:
        if condition.tables - {sequence.table}:
            message = (
                f"A condition within “{filter_.subject}” needs a table besides {sequence.table}."
            )
            raise UncompilableError("condition_spans", message, filter_.subject)

    def positive(scope: Scope) -> exp.Expr:
        other = Scope([sequence.table], scope)
        first, then = (scope, other) if filter_.op == "followed_within" else (other, scope)
        parts = [compare(other.column(key), "=", scope.column(key)) for key in sequence.keys]
        end, begin = first.column(sequence.end), then.column(sequence.begin)
        latest = exp.Add(this=end.copy(), expression=sequence.distance.copy())
        parts += [compare(begin, ">", end), compare(begin.copy(), "<=", latest)]
        parts += [_on_own_row(condition, other) for condition in inner]
        found = exp.select("1").from_(other.source(sequence.table)).where(all_of(parts))
        return exp.Exists(this=found)

    return Atom(frozenset({sequence.table}), positive, lambda scope: exp.Not(this=positive(scope)))


def _on_own_row(condition: Condition, scope: Scope) -> exp.Expr:
    if isinstance(condition, Negated) and isinstance(condition.of, Atom):
        return condition.of.negative(scope)
    if isinstance(condition, Atom):
        return condition.positive(scope)
    raise UncompilableError("condition_spans", "A condition on the other row must be a simple one.")


def _sequence(filter_: Filter, serving: Serving) -> _Sequence:
    columns = serving.columns(filter_.id)
    if len({ref.table for ref, _ in columns}) != 1:
        message = f"“{filter_.subject}” needs its key and its dates in one table."
        raise UncompilableError("unserved", message, filter_.subject)
    keys = tuple(ref for ref, promoted in columns if _is_key(ref, promoted, serving))
    dates = [(ref, promoted) for ref, promoted in columns if serving.meta(ref).family in DATES]
    if not keys or not dates:
        message = f"“{filter_.subject}” needs the key of the person and a date."
        raise UncompilableError("unserved", message, filter_.subject)
    begin = next((ref for ref, promoted in dates if promoted.role == "period"), dates[0][0])
    end = next((ref for ref, _ in dates if ref != begin), begin)
    plain = all(serving.meta(ref).family == "date" for ref in (begin, end))
    return _Sequence(keys, begin, end, _distance(filter_, plain=plain))


def _is_key(ref: Ref, promoted: ColumnPromoted, serving: Serving) -> bool:
    return promoted.role == "key" or serving.meta(ref).family not in DATES


def _distance(filter_: Filter, *, plain: bool) -> exp.Expr:
    if not filter_.amount or filter_.amount < 0 or filter_.unit not in _INTERVALS:
        message = f"“{filter_.subject}” needs a length of time."
        raise UncompilableError("bad_filter", message, filter_.subject)
    if plain and filter_.unit in _DAYS:
        return exp.Literal.number(filter_.amount * _DAYS[filter_.unit])
    return exp.Interval(
        this=exp.Literal.string(str(filter_.amount)), unit=exp.var(filter_.unit.upper())
    )
