"""Conditions: values, flags, existence, absence."""

from __future__ import annotations

from dataclasses import replace

from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.reading.draft import (
    DimensionDraft,
    FilterDraft,
    MeasureDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import MONEY_COLUMNS, place
from thoth.analyst.reading.walk_parts.walk_state import WalkState


class Conditions(WalkState):
    """Conditions: values, flags, existence, absence."""

    def _or_group(self) -> str | None:
        if self.conj != "or" or not self.draft.filters:
            return None
        previous = self.draft.filters[-1]
        previous.any_of = previous.any_of or f"g{len(self.draft.filters)}"
        return previous.any_of

    def _add_filter(self, filter_: FilterDraft, item: Item) -> None:
        if filter_.any_of is None and self.last_role in (
            "filter",
            "subject",
            "measure",
            "context",
            "out",
            "exists",
            "period",
        ):
            filter_.any_of = self._or_group()
        if self.ratio_side in ("numerator", "denominator") and self._starts_side():
            self.pending_when.append(len(self.draft.filters))
        elif (
            self.ratio_side in ("numerator", "denominator")
            and self.draft.measures
            and self.draft.measures[-1].label == "side"
        ):
            self.draft.measures[-1].when.append(len(self.draft.filters))
        elif (
            any(m.agg == "percent" for m in self.draft.measures)
            and self.ratio_side != "whole"
            and self.after_verb
        ):
            next(m for m in self.draft.measures if m.agg == "percent").when.append(
                len(self.draft.filters)
            )
        self.draft.filters.append(filter_)
        self._used(item, "filter")

    def _compare_last(self) -> None:
        """In a comparison the compared values are the groups."""
        values = [f for f in self.draft.filters if f.kind == "text" and f.target is not None]
        for filter_ in values:
            same = [
                f
                for f in values
                if f.target is not None
                and filter_.target is not None
                and f.target.target == filter_.target.target
            ]
            if len(same) > 1 and filter_.target is not None:
                target = Candidate("column", filter_.target.table, filter_.target.column, score=1.0)
                if not any(
                    d.target is not None and d.target.target == target.target
                    for d in self.draft.dimensions
                ):
                    self.draft.dimensions.append(DimensionDraft(target))
                    self.draft.outputs.insert(0, ("d", len(self.draft.dimensions) - 1))

    def _value(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        negated = self.neg
        if item.norm.startswith("non-"):
            negated = not negated
        literal = self.frame.words(item.start, item.end).strip("'\"`“”«»")
        kind = "boolean" if candidate.kind == "flag" else "text"
        op = candidate.op if candidate.kind == "flag" else "="
        filter_ = FilterDraft(
            op,
            candidate,
            [candidate.value or ""] if kind == "text" else [],
            kind,
            negated,
            literal,
            position=item.start,
            mention=place(item),
        )
        if self.neg_exists is not None and self._belongs(candidate):
            filter_.within, filter_.negated = self.neg_exists, False
        self._counted_by_value(item, candidate)
        if self.mode == "group" and candidate.kind == "flag" and candidate.how == "name":
            self._add_dimension(DimensionDraft(replace(candidate, kind="column")))
            self._used(item, "dim")
            self.mode = None
            return
        if self.mode in ("group", "exist"):
            self.mode = None
        if self.mode == "out" and self.draft.outputs:
            self.mode = None
        self._add_filter(filter_, item)
        if self.compare:
            self._compare_last()
        self.neg = False

    def _counted_by_value(self, item: Item, candidate: Candidate) -> None:
        """ "How many pacemakers": the rows that hold the value are what is counted."""
        agg = self.agg
        if self.mode != "agg" or agg not in ("count", "percent") or self.draft.measures:
            return
        position = self._position(item)
        following = self.items[position + 1] if position + 1 < len(self.items) else None
        if (
            following is not None
            and following.candidate is not None
            and following.candidate.kind in ("table", "column")
        ):
            return  # the noun that is counted comes right after
        self.draft.entity = Candidate("table", candidate.table, score=candidate.score)
        side = "side" if self.ratio_side else ""
        self.draft.measures.append(MeasureDraft(agg, self.draft.entity, self.distinct, label=side))
        self.draft.outputs.append(("m", len(self.draft.measures) - 1))
        self.agg, self.mode, self.distinct = None, None, False

    @staticmethod
    def _none_code(view: ColumnView) -> str | None:
        """The code by which a column says that there is none (`N = nessuna`)."""
        words = {"nessuna", "nessuno", "none", "no", "assente", "absent"}
        return next(
            (c.value for c in view.codes if set(c.words) & words and len(c.words) <= 2), None
        )

    def _some(self, item: Item, candidate: Candidate, none: str) -> None:
        """ "with complications": any code but the one for none; unknown rows are no part of a share."""
        target = Candidate(
            "value",
            candidate.table,
            candidate.column,
            none,
            score=candidate.score,
            how="code",
            method="comment",
        )
        literal = self.frame.words(item.start, item.end)
        op = "=" if self.neg else "!="
        self._add_filter(
            FilterDraft(
                op,
                target,
                [none],
                "text",
                literal=literal,
                position=item.start,
                mention=place(item),
            ),
            item,
        )
        if any(m.agg == "percent" for m in self.draft.measures):
            known = Candidate("column", candidate.table, candidate.column, score=1.0)
            self.draft.filters.append(
                FilterDraft("is_null", known, negated=True, position=item.start)
            )
        self.neg = False

    def _add_exists(self, item: Item) -> None:
        self.draft.filters.append(FilterDraft("exists", item.candidate, negated=self.neg, position=item.start, mention=place(item),
                                              any_of=self._or_group()))  # fmt: skip
        if self.neg:
            self.neg_exists = len(self.draft.filters) - 1
        self.neg = False
        self._used(item, "filter")
        if not self._list_goes_on(item):
            self.mode = None

    def _as_exists(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        view = self._view(candidate)
        if candidate.kind == "table":
            if self.neg or not self._same_entity(candidate):
                self._add_exists(item)
            else:
                self.draft.context.append(candidate)
                self._used(item, "context")
            return
        if view is not None and view.is_date and not self.neg and self._period_follows(item):
            self._as_context(item)
            return
        if view is not None and view.numeric and not view.is_key_like:
            if set(view.words) & MONEY_COLUMNS or view.column.family != "integer":
                self.draft.fail("unplaced_words", item.norm)
            self._add_filter(
                FilterDraft(
                    "=" if self.neg else ">",
                    candidate,
                    ["0"],
                    "number",
                    position=item.start,
                    mention=place(item),
                ),
                item,
            )
            self.neg = False
            return
        none = self._none_code(view) if view is not None else None
        if view is not None and none is not None:
            self._some(item, candidate, none)
            return
        if view is not None:
            op = FilterDraft(
                "is_null",
                candidate,
                negated=not self.neg,
                position=item.start,
                mention=place(item),
            )
            self._add_filter(op, item)
            self.neg = False

    def _as_context(self, item: Item) -> None:
        assert item.candidate is not None
        if self.stays is not None and item.candidate.table == self.stays:
            self._used(item, "subject")
            return
        self.draft.context.append(item.candidate)
        self._used(item, "context")

    def _literal_in(self, item: Item) -> bool:
        """ "'M5' in its VIN number": the quoted text is part of the column's value."""
        if self.literal is None or item.candidate is None:
            return False
        view = self._view(item.candidate)
        if view is None or view.column.family != "text" or item.start - self.literal.end > 4:
            return False
        text = self.frame.words(self.literal.start, self.literal.end).strip("'\"`“”«»")
        self.draft.ignored.add(self.literal.start)
        self._add_filter(
            FilterDraft(
                "contains",
                item.candidate,
                [text],
                "text",
                self.neg,
                literal=text,
                position=item.start,
                mention=place(item),
            ),
            item,
        )
        self.literal, self.mode = None, None
        return True
