"""Columns as integer arrays, and their rendering as PostgreSQL COPY text.

Everything is an int64 array: days since 1970-01-01, scaled decimals, indices into a tuple of
labels. That keeps the generator free of Python objects until the last step, where one list
comprehension per column makes the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

NULL = -(2**62)
BATCH_ROWS = 20_000


class TableRows(NamedTuple):
    """One table: `batches` are blocks of COPY text (UTF-8), at most BATCH_ROWS lines each."""

    name: str
    columns: tuple[str, ...]
    batches: Iterator[bytes]


@dataclass(frozen=True, slots=True)
class Column:
    """`values` holds NULL for SQL NULL. What a value means depends on `kind`:

    integer: itself · decimal: value x 10**digits · day, day_key: days since 1970-01-01 ·
    label: index into `labels` (free of tab, newline and backslash).
    """

    name: str
    kind: Literal["integer", "decimal", "day", "day_key", "label"]
    values: Ints
    labels: tuple[str, ...] = ()
    digits: int = 0


def integer(name: str, values: Ints) -> Column:
    return Column(name, "integer", values)


def decimal(name: str, values: Ints, digits: int) -> Column:
    """Non-negative decimals, given as integers scaled by 10**digits."""
    return Column(name, "decimal", values, digits=digits)


def day(name: str, values: Ints) -> Column:
    return Column(name, "day", values)


def day_key(name: str, values: Ints) -> Column:
    """The same day as an integer YYYYMMDD."""
    return Column(name, "day_key", values)


def label(name: str, codes: Ints, labels: Sequence[str]) -> Column:
    return Column(name, "label", codes, tuple(labels))


def flag(name: str, values: Ints) -> Column:
    """0 is false, 1 is true."""
    return Column(name, "label", values, ("f", "t"))


def text(name: str, values: Sequence[str]) -> Column:
    """One string per row."""
    return Column(name, "label", np.arange(len(values)), tuple(values))


def or_null(values: Ints, known: Bools) -> Ints:
    """`values` where `known`, NULL elsewhere."""
    return np.where(known, values, NULL)


def table(name: str, columns: Sequence[Column]) -> TableRows:
    """Columns of equal length as one table, rendered batch by batch when iterated."""
    return TableRows(name, tuple(column.name for column in columns), _batches(tuple(columns)))


def _batches(columns: tuple[Column, ...]) -> Iterator[bytes]:
    rows = len(columns[0].values)
    for start in range(0, rows, BATCH_ROWS):
        rendered = [_render(column, slice(start, start + BATCH_ROWS)) for column in columns]
        yield ("\n".join(map("\t".join, zip(*rendered, strict=True))) + "\n").encode()


def _render(column: Column, rows: slice) -> list[str]:
    values = column.values[rows]
    known = values != NULL
    if column.kind == "integer":
        rendered = list(map(str, values.tolist()))
    elif column.kind == "decimal":
        rendered = _render_decimals(values, column.digits)
    elif column.kind == "label":
        rendered = _pick(column.labels, values, known, 0)
    else:
        rendered = _render_days(values, known, compact=column.kind == "day_key")
    for position in np.flatnonzero(~known).tolist():
        rendered[position] = "\\N"
    return rendered


def _render_decimals(values: Ints, digits: int) -> list[str]:
    pattern = f"%d.%0{digits}d"
    unit = 10**digits
    return [pattern % divmod(value, unit) for value in values.tolist()]


def _render_days(values: Ints, known: Bools, *, compact: bool) -> list[str]:
    if not known.any():
        return [""] * len(values)
    first, last = int(values[known].min()), int(values[known].max())
    calendar = np.arange(first, last + 1).astype("datetime64[D]").astype(str).tolist()
    if compact:
        calendar = [written.replace("-", "") for written in calendar]
    return _pick(calendar, values, known, first)


def _pick(labels: Sequence[str], values: Ints, known: Bools, offset: int) -> list[str]:
    return [labels[index] for index in np.where(known, values - offset, 0).tolist()]
