"""Which date a period or a calendar part is about."""

from __future__ import annotations

import datetime as dt

from thoth.analyst.language.periods import MONTHS
from thoth.analyst.language.tokens import stems
from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView, TableView
from thoth.analyst.linking.vocabulary import SYNONYM, similarity
from thoth.analyst.reading.draft import (
    DimensionDraft,
    FilterDraft,
    PeriodDraft,
)
from thoth.analyst.reading.resolve_parts.base import Base
from thoth.analyst.reading.resolve_parts.common import MONTH_NAME, Unresolved


class Dates(Base):
    """Which date a period or a calendar part is about."""

    def _settle_periods(self) -> None:
        draft = self.draft
        grains = [d for d in draft.dimensions if d.grain and d.target is None]
        if not draft.periods and not grains:
            return
        asked = next((p.subject for p in draft.periods if p.subject is not None), None)
        column = self.schema.column(asked.target) if asked is not None else None
        self.date = column or self._default_date()
        if self.date is None:
            self._periods_as_parts()
            return
        for dimension in grains:
            dimension.target = self._grain_target(dimension)

    def _grain_target(self, dimension: DimensionDraft) -> Candidate:
        """A calendar table's number when the period lies in one year, else the date itself."""
        assert self.date is not None
        calendar_column = self._calendar_column(dimension.grain or "")
        if calendar_column is not None:
            dimension.grain = None
            return Candidate(
                "column", calendar_column.table, calendar_column.column.name, score=1.0
            )
        return Candidate("column", self.date.table, self.date.column.name, score=1.0)

    def _calendar_column(self, grain: str) -> ColumnView | None:
        if grain not in ("month", "quarter") or not self._within_one_year() or self.date is None:
            return None
        words = {"month": ("month", "mese"), "quarter": ("quarter", "trimestre")}[grain]
        owner = self.schema.tables[self.date.table]
        for key in owner.table.foreign_keys:
            view = self.schema.tables.get(key.ref_table)
            if view is None or not any(c.is_date for c in view.columns.values()):
                continue
            for column in view.columns.values():
                if column.words in ((words[0],), (words[1],)) and column.column.family == "integer":
                    return column
        return None

    def _within_one_year(self) -> bool:
        spans = [p.span for p in self.draft.periods]
        if len(spans) != 1 or spans[0].start is None or spans[0].end is None:
            return False
        last = dt.date.fromisoformat(spans[0].end) - dt.timedelta(days=1)
        return dt.date.fromisoformat(spans[0].start).year == last.year

    def _default_date(self) -> ColumnView | None:
        tables = self._date_tables()
        verbs = self._verb_date(tables)
        if verbs is not None and (self.draft.periods or not self._named_date(tables[0])):
            return verbs
        for table in tables:
            dates = [c for c in self.schema.tables[table].dates if not self._about_life(c)]
            if dates:
                return self._main_date(self.schema.tables[table], dates)
        return None

    def _about_life(self, column: ColumnView) -> bool:
        """A birth or death date is never what "in 2023" means by itself."""
        return any(similarity(w, life) for w in column.words for life in ("birth", "death"))

    def _date_tables(self) -> list[str]:
        """Where the period's date is looked for: events about the population come before it."""
        asked = [c.table for c in self.draft.context]
        asked += [f.target.table for f in self.draft.filters if f.target is not None]
        asked += [m.target.table for m in self.draft.measures if m.target is not None]
        events = [t for t in asked if t != self.base and self._points_to_base(t)]
        tables = [*events, self.base, *asked]
        near = [
            s.target
            for t in tables
            for s in self.graph.steps_from(t)
            if not s.expands and s.edge.left == t
        ]
        return list(dict.fromkeys([*tables, *near]))

    def _points_to_base(self, table: str) -> bool:
        """Whether rows of the table are about a row of the population, which has no such table itself."""
        steps = self.graph.steps_from(table)
        back = any(s.target == self.base and s.edge.left == table and not s.expands for s in steps)
        return back and bool(self.schema.tables[table].dates)

    def _verb_date(self, tables: list[str]) -> ColumnView | None:
        """A date column one of whose own words the question uses near the period."""
        position = self.draft.periods[0].position if self.draft.periods else None
        cited = {
            f.position: f.target.table for f in self.draft.filters if f.target and f.kind == "text"
        }
        window = (
            range(len(self.frame.tokens))
            if position is None
            else range(max(0, position - 4), position + 1)
        )
        words = [
            (i, self.frame.tokens[i].norm)
            for i in window
            if self.frame.tokens[i].kind == "word" and i not in self.frame.stop
        ]
        best: tuple[float, ColumnView] | None = None
        empty = {f.target.target for f in self.draft.filters if f.target and f.op == "is_null"}
        for table in tables:
            view = self.schema.tables[table]
            for column in view.dates:
                if column.full in empty:
                    continue
                own = [
                    w
                    for w in column.words
                    if w not in ("date", "data", "time", "dt", "ts")
                    and not stems(w) & {x for v in view.words for x in stems(v)}
                ]
                heard = [n for i, n in words if cited.get(i, table) == table]
                score = max((similarity(n, w) for n in heard for w in own), default=0.0)
                if score >= SYNONYM and (best is None or score > best[0]):
                    best = (score, column)
        return best[1] if best else None

    def _named_date(self, table: str) -> bool:
        """Whether one date of the table is marked as its main one, by comment or by name."""
        view = self.schema.tables[table]
        own = {s for w in view.words for s in stems(w)}
        return any(
            "data di riferimento" in c.column.comment.casefold()
            or "reference date" in c.column.comment.casefold()
            or any(stems(w) & own for w in c.words)
            for c in view.dates
        )

    def _main_date(self, view: TableView, dates: list[ColumnView]) -> ColumnView:
        """The date named after the table, or called the reference in its comment; else the first."""
        own = {s for w in view.words for s in stems(w)}
        for column in dates:
            comment = column.column.comment.casefold()
            if "data di riferimento" in comment or "reference date" in comment:
                return column
        named = [c for c in dates if any(stems(w) & own for w in c.words)]
        business = [c for c in dates if not c.technical]
        if len(business) > 1 and not named:
            self.assumptions.append(f"The period is that of {business[0].column.name}.")
        return (named or dates)[0]

    def _periods_as_parts(self) -> None:
        """Year and month kept as separate columns ("year", "month" as a name or number)."""
        for period in self.draft.periods:
            for table in self._date_tables():
                if self._parts_of(period, self.schema.tables[table]):
                    break
            else:
                raise Unresolved("no_date_column", period.span.text)
        self.draft.periods = []
        for dimension in self.draft.dimensions:
            if dimension.grain and dimension.target is None:
                self._grain_part(dimension)

    def _grain_part(self, dimension: DimensionDraft) -> None:
        words = {"year": ("year", "anno"), "month": ("month", "mese"), "day": ("day", "giorno"), "quarter": ("quarter", "trimestre"),
                 "weekday": ("day", "giorno", "weekday"), "week": ("week", "settimana")}[dimension.grain or "year"]  # fmt: skip
        for table in self._date_tables():
            for column in self.schema.tables[table].columns.values():
                if len(column.words) == 1 and column.words[0] in words:
                    dimension.target = Candidate("column", table, column.column.name, score=1.0)
                    dimension.grain = None
                    return
        raise Unresolved("no_date_column", dimension.grain or "")

    def _parts_of(self, period: PeriodDraft, view: TableView) -> bool:
        year = next(
            (c for c in view.columns.values() if c.words in (("year",), ("anno",)) and c.numeric),
            None,
        )
        if year is None or period.span.start is None or period.span.end is None:
            return False
        start = dt.date.fromisoformat(period.span.start)
        if period.span.grain not in ("year", "month"):
            return False
        target = Candidate("column", view.full, year.column.name, score=1.0)
        self.draft.filters.append(FilterDraft("=", target, [str(start.year)], "number"))
        if period.span.grain == "month":
            month = next(
                (c for c in view.columns.values() if c.words in (("month",), ("mese",))), None
            )
            if month is None:
                return False
            self._month_filter(month, start.month)
        return True

    def _month_filter(self, month: ColumnView, number: int) -> None:
        target = Candidate("column", month.table, month.column.name, score=1.0)
        if month.numeric:
            self.draft.filters.append(FilterDraft("=", target, [str(number)], "number"))
            return
        names = [n for n, k in MONTHS.items() if k == number]
        stored = [v for v in (month.sample.values if month.sample else ()) if v.casefold() in names]
        value = stored[0] if stored else MONTH_NAME[number].capitalize()
        target = Candidate(
            "value", month.table, month.column.name, value, score=1.0, method="exact"
        )
        self.draft.filters.append(FilterDraft("=", target, [value], "text", literal=value))
