"""Phrases that announce an aggregate, an order, a rank."""

from __future__ import annotations

from thoth.analyst.reading.draft import (
    MeasureDraft,
    OrderDraft,
    SuperDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import AGGREGATES, COUNTING_SUPERS, GRAIN_WORDS, UNITS
from thoth.analyst.reading.walk_parts.comparisons import Comparisons


class Aggregates(Comparisons):
    """Phrases that announce an aggregate, an order, a rank."""

    def _count(self, item: Item) -> None:
        following = self._next(item)
        if following is not None and following.norm in UNITS and item.norm != "how often":
            self.draft.grains.add(GRAIN_WORDS.get(following.norm, "day"))
            self.unit_asked = following.norm
            self.draft.ignored |= set(range(following.start, following.end))
            self.skip_to = self._position(following) + 1
            return
        self.mode, self.agg = (
            ("agg", "count")
            if self.agg not in ("percent", "ratio", "avg", "max", "min")
            else ("agg", self.agg)
        )

    def _percent(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        self.mode, self.agg = "agg", "percent"

    def _rate(self, item: Item) -> None:
        before = self._before(item)
        if (
            before
            and before.mention is not None
            and before.candidate
            and before.candidate.kind == "column"
        ):
            return
        self.draft.fail("unsupported_construct", item.norm)

    def _ratio(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        self.draft.ratio_agg = self.agg if self.agg in AGGREGATES else None
        self.mode, self.agg, self.ratio_side = None, None, "numerator"

    def _switch_side(self) -> None:
        self.ratio_side = "denominator"
        self.mode, self.agg, self.last = None, None, None

    def _out_of(self, item: Item) -> None:
        if self.ratio_side == "numerator":
            self.draft.whole = item.norm in ("out of", "over all")
            self._switch_side()
            if "number" in item.norm or "totale" in item.norm:
                self.mode, self.agg = "agg", "count"
            return
        if self.agg == "percent" or any(m.agg == "percent" for m in self.draft.measures):
            self.ratio_side = "whole"
            self.mode, self.agg = None, None

    def _distinct(self, item: Item) -> None:
        if (
            self.last_role == "measure"
            and self.last is not None
            and self.last.end >= item.start - 1
            and self.draft.measures
        ):
            self.draft.measures[-1].distinct = True
        elif self.agg == "count":
            self.distinct = True
        else:
            self.draft.distinct = True

    def _aggregate(self, item: Item) -> None:
        kind = item.kind
        before = self.last
        if (
            before is not None
            and before.candidate
            and before.end == item.start
            and self.frame.language == "it"
        ) and self._postfix(kind, before):
            return
        if kind == "sum" and self.agg == "count":
            return
        if (
            self.mode == "agg"
            and self.agg in AGGREGATES
            and self.conj == "and"
            and self.agg != kind
        ):
            self.also.append(self.agg)  # "minimum and maximum amount"
        self.agg_text = item.norm
        self.agg = kind if not (self.agg == "avg" and kind == "sum") else self.agg
        self.mode = "agg"

    def _postfix(self, kind: str, before: Item) -> bool:
        """ "durata media": the noun came first."""
        candidate = before.candidate
        assert candidate is not None
        view = self._view(candidate)
        if candidate.kind != "formula" and (
            view is None or not view.numeric or (kind == "sum" and self.last_role == "measure")
        ):
            return False
        self._forget(before)
        self._add_measure(MeasureDraft(kind, candidate), before)
        return True

    def _super(self, item: Item) -> None:
        direction = "desc" if item.kind == "super_desc" else "asc"
        assert item.mark is not None
        number = int(float(item.mark.number)) if item.mark.number else self.loose_number
        if (
            item.norm
            in ("last", "first", "the last", "the first", "prima", "primo", "ultimo", "ultima")
            and not number
        ):
            following = self._next(item)
            if (
                following is None
                or following.candidate is None
                or following.candidate.kind == "table"
            ):
                self.draft.fail("unsupported_construct", item.norm)
                return
        loose = self.loose_number is not None and not item.mark.number
        self.loose_number = None
        if self.mode == "order" or (self.draft.orders and self.draft.orders[-1].measure is None
                                    and self.draft.orders[-1].target is None and self.mode == "order"):  # fmt: skip
            self.direction = direction
            return
        if self.sup is not None and not self.sup.used and self.sup in self.draft.supers:
            loose = loose or (number is None and self.sup.number is not None)
            number = number if number is not None else self.sup.number
            self.draft.supers.remove(self.sup)
        self.sup = SuperDraft(direction, number, item.start, loose=loose)
        self.draft.supers.append(self.sup)
        if any(stem in item.norm for stem in COUNTING_SUPERS):
            self._add_measure(MeasureDraft("count"), item)
            self.sup.used = True
            self.mode = None
            return
        self.mode = "sup"

    def _order(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        self.ordering = True
        if self.sup is not None and not self.sup.used:
            self.mode = "sup"
            return
        self.mode, self.direction, self.agg = "order", None, None

    def _direction(self, item: Item) -> None:
        direction = item.kind
        if self.draft.orders:
            self.draft.orders[-1].direction = direction
        else:
            self.draft.orders.append(OrderDraft(direction))
        self.direction = direction
        if "best" in item.norm or "top" in item.norm or item.norm.startswith("starting"):
            self.mode = "order"
