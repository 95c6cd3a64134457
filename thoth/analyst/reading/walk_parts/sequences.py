"""Differences between two dates, and rows that follow one another."""

from __future__ import annotations

from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.linking.vocabulary import similarity
from thoth.analyst.reading.draft import (
    FilterDraft,
    MeasureDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import GRAIN_WORDS
from thoth.analyst.reading.walk_parts.measures import Measures

# "from a previous discharge": what following another row means already
_EARLIER = frozenset({"precedente", "precedenti", "previous", "prior", "earlier"})


class Sequences(Measures):
    """Differences between two dates, and rows that follow one another."""

    def _readmitted(self, item: Item) -> None:
        """Rows of one person that follow one another within some time."""
        rest = self.items[self._position(item) + 1 : self._position(item) + 5]
        within = next((i for i in rest if i.kind == "within" and i.mark and i.mark.number), None)
        table = self._stays()
        if within is None or table is None or within.mark is None:
            self.draft.fail("unsupported_construct", item.norm)
            return
        unit = next((GRAIN_WORDS[w] for w in within.norm.split() if w in GRAIN_WORDS), "day")
        noun = item.norm.endswith(("ione", "ioni", "ion", "ions"))
        filter_ = FilterDraft("preceded_within" if noun and self.agg is None and self.after_verb else "followed_within",
                              Candidate("table", table, score=1.0), amount=int(float(within.mark.number or 0)), unit=unit, position=item.start)  # fmt: skip
        if self.mode == "agg" and self.agg == "percent":
            self.draft.measures.append(
                MeasureDraft("percent", Candidate("table", table, score=1.0))
            )
            self.draft.outputs.append(("m", len(self.draft.measures) - 1))
            self.draft.measures[-1].when.append(len(self.draft.filters))
            self.draft.filters.append(filter_)
            self.agg, self.mode = None, None
        else:
            self._add_filter(filter_, item)
        self.draft.ignored |= {t.index for t in self.frame.tokens if t.norm in _EARLIER}
        self.stays = table
        self.skip_to = self._position(within) + 1

    def _stays(self) -> str | None:
        """The table of stays: the one with a date of admission and one of discharge."""
        for view in self.schema.tables.values():
            words = [w for c in view.dates for w in c.words]
            if any(similarity("discharge", w) for w in words) and len(view.dates) > 1:
                return view.full
        return None

    def _diff(self, item: Item) -> None:
        """ "the time between A and B": a calculated concept of two columns of one table."""
        rest = self.items[self._position(item) + 1 : self._position(item) + 10]
        ends = [i for i in rest if i.kind == "mention"][:2]
        if len(ends) == 2 and all(i.candidate is not None for i in ends):
            formula = self._difference(ends[0], ends[1])
            if formula is not None:
                both = Item(
                    item.start,
                    ends[1].end,
                    item.norm,
                    item.sentence,
                    mention=ends[0].mention,
                    candidate=formula,
                )
                self.skip_to = self._position(ends[1]) + 1
                self._place_formula(both)
                return
        self.draft.fail("unsupported_construct", item.norm)

    def _difference(self, first: Item, second: Item) -> Candidate | None:
        columns = [self._moment(first), self._moment(second)]
        if (
            columns[0] is None
            or columns[1] is None
            or columns[0].table != columns[1].table
            or columns[0].full == columns[1].full
        ):
            return None
        start, end = columns[0], columns[1]
        if start.column.family != end.column.family:
            return None
        name = f"{' '.join(end.words)} - {' '.join(start.words)}"
        return Candidate(
            "formula",
            start.table,
            value=name,
            formula=f"{end.full} - {start.full}",
            score=1.0,
            how="synonym",
        )

    def _moment(self, item: Item) -> ColumnView | None:
        """The date a mention stands for: a date column, or the main date of a table."""
        assert item.candidate is not None
        view = self._view(item.candidate)
        if view is not None and (view.is_date or view.numeric) and not view.is_key_like:
            return view
        if item.candidate.kind == "table":
            dates = self.schema.tables[item.candidate.table].dates
            return dates[0] if dates else None
        return None

    def _place_formula(self, item: Item) -> None:
        if self.sup is not None and not self.sup.used:
            self._as_super(item)
        else:
            self.agg = self.agg if self.agg not in (None, "count") else None
            if self.agg:
                self._as_measure(item)
            else:
                self._as_output(item)
