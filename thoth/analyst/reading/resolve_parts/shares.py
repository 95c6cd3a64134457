"""Counts, shares, ages and parts of the week made concrete."""

from __future__ import annotations

from thoth.analyst.language.tokens import fold, stems
from thoth.analyst.linking.formulas import AGE
from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView, TableView
from thoth.analyst.reading.draft import (
    FilterDraft,
    MeasureDraft,
)
from thoth.analyst.reading.resolve_parts.common import COUNT_ELSEWHERE, PARTIAL_SHARE, Unresolved
from thoth.analyst.reading.resolve_parts.dates import Dates


class Shares(Dates):
    """Counts, shares, ages and parts of the week made concrete."""

    def _count_of_rows(self) -> None:
        """ "Admissions per month", "compare A and B": without an aggregate the rows are counted."""
        draft = self.draft
        grained = (
            any(d.grain for d in draft.dimensions)
            or draft.trend
            or any(m.kind == "compare" for m in self.frame.marks)
        )
        if draft.measures or not grained:
            return
        entity = draft.entity or next(iter(draft.context), None)
        if entity is None:
            return
        keep = [
            i
            for i, d in enumerate(draft.dimensions)
            if not (d.entity and d.target is not None and d.target.table == entity.table)
        ]
        draft.dimensions = [draft.dimensions[i] for i in keep]
        draft.measures = [
            MeasureDraft("count", Candidate("table", entity.table, score=entity.score))
        ]
        draft.outputs = [("d", i) for i in range(len(draft.dimensions))] + [("m", 0)]

    def _settle_percent(self) -> None:
        """A share needs the condition it is the share of: the only one, else the last said."""
        for measure in self.draft.measures:
            if measure.agg == "percent" and not measure.when:
                rows = [
                    i
                    for i, f in enumerate(self.draft.filters)
                    if f.role == "rows" and f.within is None
                ]
                if len(rows) == 1:
                    measure.when = rows
                elif rows:
                    raise Unresolved(
                        "ambiguous_share", *(self.draft.filters[i].literal for i in rows)
                    )

    def _refuse_worded_definitions(self) -> None:
        """A comment that defines a share over part of the rows only, in words, cannot be followed."""
        if not any(m.agg == "percent" for m in self.draft.measures):
            return
        if any(f.op == "is_null" and f.negated for f in self.draft.filters):
            return
        view = self.schema.tables[self.base]
        said = {
            s
            for t in self.frame.tokens
            if t.index in self.frame.content or self.frame.mark_at(t.index)
            for s in t.stems
        }
        for comment in (view.table.comment, *(c.column.comment for c in view.columns.values())):
            for match in PARTIAL_SHARE.finditer(fold(comment)):
                if stems(match.group(1)) & said:
                    raise Unresolved("defined_in_words", match.group(0))

    def _refuse_counted_elsewhere(self) -> None:
        """A table whose comment says that its things are counted in other tables is not counted."""
        comment = fold(self.schema.tables[self.base].table.comment)
        if self.draft.measures and COUNT_ELSEWHERE.search(comment):
            raise Unresolved("count_elsewhere", self._label(self.base))

    def _pre_aggregated(self) -> None:
        """A table that already counts ("total number of check-ins on a day") is summed, not counted."""
        for measure in self.draft.measures:
            if (
                measure.agg != "count"
                or measure.target is None
                or measure.target.kind != "table"
                or measure.distinct
            ):
                continue
            column = self._counter(self.schema.tables[measure.target.table])
            if column is not None:
                measure.agg = "sum"
                measure.target = Candidate("column", column.table, column.column.name, score=1.0)

    @staticmethod
    def _counter(view: TableView) -> ColumnView | None:
        name = view.words[0]
        for column in view.columns.values():
            said = "".join(w for w in column.column.comment.casefold() if w.isalnum())
            if (
                column.numeric
                and column.words == ("count",)
                and said.startswith(("totalnumberof" + name, "numberof" + name))
            ):
                return column
        return None

    def _settle_parts_of_week(self) -> None:
        """Weekend conditions become a formula on the date, or names of days."""
        for filter_ in self.draft.filters:
            if filter_.op != "weekend":
                continue
            date = self._default_date()
            if date is None:
                self._named_days(filter_)
                continue
            filter_.op, filter_.kind = "is_true", "boolean"
            sql = f"EXTRACT(ISODOW FROM {date.full}) IN (6, 7)"
            filter_.target = Candidate("formula", date.table, value="weekend", formula=sql)

    def _named_days(self, filter_: FilterDraft) -> None:
        for table in self._date_tables():
            for column in self.schema.tables[table].columns.values():
                days = [
                    v
                    for v in (column.sample.values if column.sample else ())
                    if v.casefold() in ("saturday", "sunday", "sabato", "domenica")
                ]
                if column.words in (("day",), ("giorno",), ("weekday",)) and days:
                    filter_.op, filter_.kind, filter_.values, filter_.literal = (
                        "=",
                        "text",
                        days,
                        "weekend",
                    )
                    filter_.target = Candidate(
                        "value", table, column.column.name, days[0], score=1.0, method="calendar"
                    )
                    return
        raise Unresolved("no_date_column", "weekend")

    def _settle_ages(self) -> None:
        """An age is taken at the event the question speaks of, else today."""
        drafts: list[MeasureDraft | FilterDraft] = [*self.draft.measures, *self.draft.filters]
        for item in drafts:
            if item.target is None or item.target.kind != "formula" or item.target.value != AGE:
                continue
            event = self._event_of(item.target.table)
            birth = item.target.formula or ""
            at = event.full if event is not None else "CURRENT_DATE"
            table = event.table if event is not None else item.target.table
            sql = f"EXTRACT(YEAR FROM AGE({at}, {birth}))"
            item.target = Candidate(
                "formula", table, None, AGE, formula=sql, how="synonym", score=item.target.score
            )

    def _event_of(self, person: str) -> ColumnView | None:
        """The date of the first table of the question whose rows point to the person."""
        tables = [c.table for c in self.draft.context] + [
            f.target.table for f in self.draft.filters if f.target is not None
        ]
        tables += [m.target.table for m in self.draft.measures if m.target is not None]
        for table in dict.fromkeys(tables):
            dates = [c for c in self.schema.tables[table].dates if not self._about_life(c)]
            if (
                table != person
                and dates
                and any(s.target == person for s in self.graph.steps_from(table))
            ):
                return self._main_date(self.schema.tables[table], dates)
        return None
