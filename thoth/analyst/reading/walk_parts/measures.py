"""What is counted, summed, averaged, and ordered by."""

from __future__ import annotations

from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.reading.draft import (
    MeasureDraft,
    OrderDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import (
    MONEY_COLUMNS,
    MONEY_WORDS,
    ROW_STATISTICS,
    same_rows,
)
from thoth.analyst.reading.walk_parts.outputs import Outputs

TOTAL, AMOUNT = "ambiguous_total", "ambiguous_amount"  # doubts that the reviewer is asked about
COUNT = "count"  # an answer to TOTAL


class Measures(Outputs):
    """What is counted, summed, averaged, and ordered by."""

    def _money(self, table: str) -> list[ColumnView]:
        """The columns of a table that are amounts of money."""
        return [
            c
            for c in self.schema.tables[table].columns.values()
            if c.numeric and set(c.words) & MONEY_COLUMNS
        ]

    def _answered(self, code: str, columns: list[ColumnView]) -> list[ColumnView]:
        """The column that the reviewer chose of these, else all."""
        return [c for c in columns if c.full == self.answers.get(code)] or columns

    def _money_word(self, item: Item) -> None:
        """ "total revenue": the one column of money among the tables the question speaks of."""
        tables = list(dict.fromkeys(c.table for _, c in self.choice if c.table))
        columns = [
            c for t in tables for c in self._money(t) if not set(c.words) & {"cost", "costo"}
        ]
        columns = self._answered(AMOUNT, columns)
        known = next((m for m in self.draft.measures if m.label == item.norm), None)
        if len(columns) != 1 and known is None:
            self.draft.fail(AMOUNT, item.norm, *(c.column.name for c in columns))
            return
        target = (
            known.target
            if known is not None
            else Candidate("column", columns[0].table, columns[0].column.name, score=0.6)
        )
        agg, self.agg, self.mode = self.agg or "sum", None, None
        self.draft.ignored.add(item.start)
        self._add_measure(MeasureDraft(agg, target), item)

    def _add_measure(self, measure: MeasureDraft, item: Item) -> None:
        known = self._known_measure(measure)
        if known is None:
            self.draft.measures.append(measure)
            known = len(self.draft.measures) - 1
            if measure.label == "side":
                measure.when += self.pending_when
                self.pending_when = []
        if (
            measure.agg == "count"
            and self.draft.entity is None
            and measure.target is not None
            and not self.draft.dimensions
        ):
            self.draft.entity = measure.target
        self.draft.measures[known].shown = True
        if self.sup is not None and not self.sup.used:
            self.sup.measure, self.sup.used = known, True
        if self.mode == "order" or self.ordering:
            self.ordering = False
            self.draft.orders.append(OrderDraft(self.direction or "asc", measure=known))
        elif ("m", known) not in self.draft.outputs:
            self.draft.outputs.append(("m", known))
        self._used(item, "measure")

    def _known_measure(self, measure: MeasureDraft) -> int | None:
        """The index of a measure asked before that this one only says again, or completes."""
        measures = self.draft.measures
        counted = measure.agg == "count"
        for i, other in enumerate(measures):
            if other.same(measure) and not self.ratio_side:
                return i
        if counted and measure.target is not None and measure.target.kind == "table":
            for i, other in enumerate(measures):
                if other.agg == "count" and other.target is None:
                    other.target = measure.target
                    return i
        if counted and self.draft.explicit_output:
            return self._same_rows_counted(measure)
        return None

    def _same_rows_counted(self, measure: MeasureDraft) -> int | None:
        for i, other in enumerate(self.draft.measures):
            if other.agg == "count" and same_rows(other, measure, self.draft):
                return i
        return None

    def _as_measure(self, item: Item) -> None:
        agg, self.agg, distinct = self.agg or "count", None, self.distinct
        self.mode, self.distinct = None, False
        assert item.candidate is not None
        candidate, view = item.candidate, self._view(item.candidate)
        side = self.ratio_side in ("numerator", "denominator") and self._starts_side()
        plain_number = view is not None and view.numeric and not view.is_key_like
        if side and agg == "count" and plain_number:
            agg = "value"
        if candidate.kind == "table" and agg in ROW_STATISTICS:
            self.agg, self.mode = agg, "agg"  # "the average of sales by amount": a column follows
            self._as_context(item)
            return
        if candidate.kind == "table" and agg == "sum":
            agg, candidate = self._total_of(item, candidate)
        elif agg == "count" and plain_number and view is not None:
            agg, candidate = self._number_of(candidate, view)
        if agg in ("count", "percent", "ratio") and view is not None and view.is_date:
            candidate = Candidate("table", candidate.table, score=candidate.score)
        if agg in ("sum", "avg", "median", "stddev") and view is not None and not view.numeric:
            self.draft.fail("not_a_number", item.norm)
        for other in self.also:
            self._add_measure(MeasureDraft(other, candidate, distinct), item)
        self.also = []
        self._add_measure(
            MeasureDraft(agg, candidate, distinct, label="side" if side else ""), item
        )

    def _total_of(self, item: Item, candidate: Candidate) -> tuple[str, Candidate]:
        """ "Total sales": their number, or their amount; asked when both are possible."""
        money = self._money(candidate.table)
        following = self._next(item)
        counted = self.answers.get(TOTAL) == COUNT
        if not money or counted or (following is not None and following.kind == "count_after"):
            return "count", candidate
        chosen = self._answered(TOTAL, self._answered(AMOUNT, money))
        if len(chosen) == 1 and self.answers.keys() & {TOTAL, AMOUNT}:
            column = chosen[0].column.name
            return "sum", Candidate("column", candidate.table, column, score=candidate.score)
        worth = following if following is not None and following.norm in MONEY_WORDS else None
        if worth is None and "amount" not in self.agg_text:
            self.draft.fail(TOTAL, item.norm, *(c.column.name for c in money))
            return "sum", candidate
        if len(money) > 1:
            self.draft.fail(AMOUNT, item.norm, *(c.column.name for c in money))
        if worth is not None:
            self.draft.ignored.add(worth.start)
        return "sum", Candidate(
            "column", candidate.table, money[0].column.name, score=candidate.score
        )

    def _number_of(self, candidate: Candidate, view: ColumnView) -> tuple[str, Candidate]:
        """A column that is itself a number of things is summed; else its rows are counted."""
        if view.counts or candidate.how == "comment":
            return "sum", candidate
        self.draft.penalty += 0.5
        return "count", Candidate("table", candidate.table, score=candidate.score)

    def _as_super(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        assert self.sup is not None
        view = self._view(candidate)
        ordered = (
            view is not None
            and (view.numeric or view.is_date or view.column.family == "time")
            and not view.is_key_like
        ) or candidate.kind == "formula"
        if ordered:
            self.sup.target, self.sup.used = candidate, True
            self.mode = None
            self._used(item, "super")
            return
        asked_already = bool(self.draft.dimensions or self.draft.entity)
        if (
            candidate.kind == "table"
            and (asked_already or self.last_role in ("out", "dim"))
            and (self.sup.number is None or self.sup.loose)
            and not self._same_entity(candidate)
        ):
            self._add_measure(MeasureDraft("count", candidate, shown=False), item)
            self.sup.used = True
            self.mode = None
            return
        if (
            candidate.kind == "table"
            and self.last_role == "out"
            and self.conj is None
            and self.draft.entity is not None
        ):
            self._as_context(item)
            return
        self._as_output(item)
        self.mode = "sup"

    def _as_order(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        if self.agg:
            self._as_measure(item)
            return
        self.draft.orders.append(OrderDraft(self.direction or "asc", target=candidate))
        self._used(item, "order")
        self.mode = "order" if self._list_goes_on(item) else None
