"""When two results are the same answer. Pure.

Rows are compared as a multiset: duplicates count. Column names and the order of columns do not.
Numbers are equal within a relative 1e-6, whatever their type; a timestamp at midnight is its date;
the blanks that fill up a `char(n)` are not part of a value; NULL equals NULL only; text is never a
number. Where the question asks for an order, rows that tie in the gold's ORDER BY may change places.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from thoth.contracts.schema import TypeFamily

Verdict = Literal["exact", "superset", "different"]
Value = None | bool | float | str | dt.date | dt.datetime | dt.time
REL_TOLERANCE = 1e-6
ABS_TOLERANCE = 1e-12  # sums of floats that ought to be zero
_SIGNIFICANT = 5  # digits by which rows are sorted before they are compared pairwise
_ASSIGNMENTS_MAX = 5_000
_PAIRWISE_MAX = 2_000


@dataclass(frozen=True, slots=True)
class Rows:
    """A result: `width` columns, rows of normalised values in their order."""

    width: int
    rows: tuple[tuple[Value, ...], ...]

    def column(self, index: int) -> list[Value]:
        return [row[index] for row in self.rows]

    def project(self, indexes: Sequence[int]) -> list[tuple[Value, ...]]:
        return [tuple(row[i] for i in indexes) for row in self.rows]


def normalise(cell: object, family: TypeFamily = "other") -> Value:
    """One value in comparable form, from a database's text (with its family) or a Python value."""
    if isinstance(cell, str):
        return _from_text(cell, family)
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, dt.timedelta):
        return cell.total_seconds()
    if isinstance(cell, dt.datetime):
        return _moment(cell)
    known = cell is None or isinstance(cell, (bool, dt.date, dt.time))
    return cell if known else str(cell).rstrip(" ")  # type: ignore[return-value]


def _from_text(text: str, family: TypeFamily) -> Value:
    """Values that Python cannot represent (infinity, years beyond 9999) stay text."""
    reader = _READERS.get(family, _plain)
    try:
        return reader(text)
    except ValueError:
        return _plain(text)


def _plain(text: str) -> Value:
    return text.rstrip(" ")


def _moment(value: dt.datetime) -> dt.date | dt.datetime:
    plain = value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
    return plain.date() if plain.time() == dt.time() else plain


_READERS: dict[TypeFamily, Callable[[str], Value]] = {
    "integer": float,
    "decimal": float,
    "boolean": lambda text: text in ("t", "true"),
    "date": dt.date.fromisoformat,
    "timestamp": lambda text: _moment(dt.datetime.fromisoformat(text)),
    "time": dt.time.fromisoformat,
}


def is_excluded(gold: Rows) -> bool:
    """A gold that says nothing: no rows, or nothing but NULL. Any wrong query might match it."""
    return all(value is None for row in gold.rows for value in row)


def compare(gold: Rows, answer: Rows, *, order_keys: Sequence[int] | None = None) -> Verdict:
    """How the answer relates to the gold.

    `order_keys`: None when order does not matter; else the gold's columns by which its rows are
    ordered (none: every row must stand in its place). `superset`: further columns, else exact.
    """
    if len(gold.rows) != len(answer.rows) or answer.width < gold.width:
        return "different"
    good: Verdict = "exact" if answer.width == gold.width else "superset"
    for indexes in itertools.islice(_assignments(gold, answer), _ASSIGNMENTS_MAX):
        projected = answer.project(indexes)
        if not _same_multiset(list(gold.rows), projected):
            continue
        if order_keys is None or _same_order(gold, projected, order_keys):
            return good
    return "different"


def _assignments(gold: Rows, answer: Rows) -> Iterator[tuple[int, ...]]:
    """Ways to find each gold column among the answer's, by the values they hold."""
    answers = [sorted(answer.column(i), key=_sort_key) for i in range(answer.width)]
    candidates = []
    for index in range(gold.width):
        column = sorted(gold.column(index), key=_sort_key)
        candidates.append([i for i, other in enumerate(answers) if _equal_columns(column, other)])
    yield from _distinct(candidates, ())


def _distinct(candidates: list[list[int]], chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(chosen) == len(candidates):
        yield chosen
        return
    for index in candidates[len(chosen)]:
        if index not in chosen:
            yield from _distinct(candidates, (*chosen, index))


def _equal_columns(one: list[Value], other: list[Value]) -> bool:
    return all(equal(a, b) for a, b in zip(one, other, strict=True))


def equal(one: Value, other: Value) -> bool:
    """Two normalised values are the same."""
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=REL_TOLERANCE, abs_tol=ABS_TOLERANCE)
    return type(one) is type(other) and one == other


def _equal_rows(one: Sequence[Value], other: Sequence[Value]) -> bool:
    return all(equal(a, b) for a, b in zip(one, other, strict=True))


def _same_multiset(one: list[tuple[Value, ...]], other: list[tuple[Value, ...]]) -> bool:
    left = sorted(one, key=lambda row: [_sort_key(v) for v in row])
    right = sorted(other, key=lambda row: [_sort_key(v) for v in row])
    rest_left, rest_right = [], []
    for a, b in zip(left, right, strict=True):
        if not _equal_rows(a, b):
            rest_left.append(a)
            rest_right.append(b)
    return _paired(rest_left, rest_right)


def _paired(left: list[tuple[Value, ...]], right: list[tuple[Value, ...]]) -> bool:
    """Rows that sorting put side by side wrongly (numbers that round apart), paired one by one."""
    if len(left) > _PAIRWISE_MAX:
        return False
    for row in left:
        found = next((i for i, other in enumerate(right) if _equal_rows(row, other)), None)
        if found is None:
            return False
        del right[found]
    return True


def _same_order(gold: Rows, projected: list[tuple[Value, ...]], keys: Sequence[int]) -> bool:
    """The ordering columns hold the same sequence; without any, the rows do."""
    indexes = list(keys) or list(range(gold.width))
    return all(
        equal(mine[i], theirs[i])
        for mine, theirs in zip(gold.rows, projected, strict=True)
        for i in indexes
    )


def _sort_key(value: Value) -> tuple[str, float, str]:
    """By kind, then by rounded number or by text."""
    if isinstance(value, float):
        rounded = float(f"{value:.{_SIGNIFICANT}g}") if math.isfinite(value) else value
        return "number", 0.0 if math.isnan(rounded) else rounded, str(math.isnan(rounded))
    return type(value).__name__, 0.0, str(value)
