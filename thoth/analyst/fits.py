"""Readings that make a query: what F1 compares, F3 restates and F4 links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from thoth.analyst.compile import compile_query
from thoth.analyst.dates import KEY as PERIOD
from thoth.analyst.dates import moved as moved_period
from thoth.analyst.interpret import Interpretation
from thoth.analyst.language.tokens import fold
from thoth.analyst.reading.reading import Reading
from thoth.analyst.reading.slice import decided_slice
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import Cannot
from thoth.contracts.task import DecidedSlice

SPAN = 0.6  # readings further from the best are not looked at
INSTEAD = 0.2  # how near a reading must be to stand in for a better one that makes no query
_COMPILED_MAX = 24


@dataclass(frozen=True)
class Fit:
    """A complete reading, the decisions that it amounts to, and their query."""

    reading: Reading
    decided: DecidedSlice
    sql: str

    @property
    def intent(self) -> QueryIntent:
        assert self.reading.intent is not None
        return self.reading.intent

    @property
    def population(self) -> str:
        """The table whose rows are asked about."""
        return next((t for t, s in self.reading.tables.items() if "population" in s), "")


@dataclass(frozen=True)
class Fits:
    """Fits of different queries, best first. `problem` says why the best reading makes none."""

    found: tuple[Fit, ...] = ()
    problem: Cannot | None = None

    @property
    def best(self) -> Fit | None:
        return self.found[0] if self.found else None


def fits_of(found: Interpretation, left_open: Iterable[str] = ()) -> Fits:
    """The readings near the best one that can be compiled; one for each query.

    `left_open` are words that the reviewer decided to leave unexplained.
    """
    ignored = {fold(word) for word in left_open}
    readings = [_dated(r, found) for r in found.readings if is_complete(r, ignored)]
    fits: dict[str, Fit] = {}
    problem: Cannot | None = None
    for reading in readings[:_COMPILED_MAX]:
        if readings[0].score - reading.score > (SPAN if fits else INSTEAD):
            break
        made = _fit(reading, found)
        if isinstance(made, Cannot):
            problem = problem or made
        else:
            fits.setdefault(made.sql, made)
    return Fits(tuple(fits.values()), None if fits else problem)


def is_complete(reading: Reading, ignored: set[str]) -> bool:
    """Whether the reading has an intent and explains every word that was not left open."""
    explained = {fold(word) for word in reading.unexplained} <= ignored
    return reading.intent is not None and reading.trouble is None and explained


def _dated(reading: Reading, found: Interpretation) -> Reading:
    """The reading with the date that the reviewer chose for its period."""
    chosen = [k.removeprefix(PERIOD) for k in found.guide.readings.values() if k.startswith(PERIOD)]
    view = found.schema.column(chosen[-1]) if chosen else None
    return reading if view is None else moved_period(reading, view.full, " ".join(view.words))


def _fit(reading: Reading, found: Interpretation) -> Fit | Cannot:
    assert reading.intent is not None
    decided = decided_slice(reading)
    compiled = compile_query(reading.intent, decided, found.schema.described)
    return compiled if isinstance(compiled, Cannot) else Fit(reading, decided, compiled.sql)


def shape(intent: QueryIntent) -> dict[str, object]:
    """What of an intent stays the same when a literal is found in another column."""
    value = intent.model_dump(exclude={"population"})
    for part in ("measures", "dimensions", "output"):
        for item in value[part]:
            item.pop("label")
    for item in value["filters"]:
        if item["kind"] == "text":
            item.pop("subject")
    return value
