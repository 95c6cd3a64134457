"""One walk over the items, left to right."""

from __future__ import annotations

from collections.abc import Callable

from thoth.analyst.reading.draft import (
    Draft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import AGGREGATES, COMPARISONS, GRAINS
from thoth.analyst.reading.walk_parts.roles import Roles


class Walker(Roles):
    """One walk over the items, left to right."""

    def _handlers(self) -> dict[str, Callable[[Item], None]]:
        """Which method reads which kind of phrase."""
        return {
            "mention": self._mention, "number": self._number, "period": self._period, "word": self._word,
            "count": self._count, "with_number": self._count, "count_after": self._word, "percent": self._percent,
            "ratio": self._ratio, "rate": self._rate, "distinct": self._distinct, "group": self._group,
            "which": self._which, "list": self._list, "super_desc": self._super, "super_asc": self._super,
            "order": self._order, "desc": self._direction, "asc": self._direction, "neg": self._neg,
            "exclude": self._neg, "exist": self._exist, "or": self._conj, "and": self._conj,
            "versus": self._versus, "compare": self._compare, "trend": self._trend, "note": self._note,
            "out_of": self._out_of, "between": self._between, "combos": self._word, "named": self._word,
            "started": self._text_op, "ended": self._text_op, "contains": self._text_op,
            "ge_after": self._word, "le_after": self._word,
            "within": self._unsupported, "readmitted": self._readmitted, "again": self._unsupported,
            "diff": self._diff, "format": self._format, "weekend": self._part_of_week, "workday": self._part_of_week,
        }  # fmt: skip

    def run(self) -> Draft:
        self._by_kind = self._handlers()
        for position, item in enumerate(self.items):
            if position < self.skip_to:
                continue
            self._new_sentence(position, item)
            if self.note:
                self.draft.ignored |= set(range(item.start, item.end))
                self.note = item.norm != ")"
                continue
            self._step(item)
        self._leftovers()
        return self.draft

    def _step(self, item: Item) -> None:
        kind = item.kind
        if kind in AGGREGATES:
            self._aggregate(item)
        elif kind in GRAINS:
            self._grain(item)
        elif kind in COMPARISONS:
            self._compare_with(item)
        else:
            self._by_kind[kind](item)

    def _new_sentence(self, position: int, item: Item) -> None:
        if position and self.items[position - 1].sentence != item.sentence:
            self._leftovers()
            self.mode, self.agg, self.neg, self.conj, self.note = None, None, False, None, False
            self.neg_exists, self.after_verb, self.sup, self.last = None, False, None, None
