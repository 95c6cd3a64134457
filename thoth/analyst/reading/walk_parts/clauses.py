"""Phrases that open a group, a list, a negation, a relative clause."""

from __future__ import annotations

from thoth.analyst.reading.draft import (
    FilterDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.aggregates import Aggregates
from thoth.analyst.reading.walk_parts.common import (
    AGGREGATES,
    ARTICLES,
    BREAKERS,
    GRAIN_WORDS,
    MONEY_WORDS,
    POSSESSIVES,
    PREPOSITIONS,
    VERBS,
)


class Clauses(Aggregates):
    """Phrases that open a group, a list, a negation, a relative clause."""

    def _group(self, item: Item) -> None:
        self._abandon()
        following = self._next(item)
        if self.ratio_side == "numerator" and item.norm == "per" and self.draft.measures:
            self._switch_side()
            return
        if self.sup is not None and not self.sup.used and item.norm in ("by", "per", "in terms of"):
            self.mode = "sup"
            return
        if (
            following is not None
            and following.kind in ("count", "avg", "sum", "percent")
            and item.norm in ("by", "per")
        ):
            self.mode = "sup" if self.sup else self.mode
            return
        if item.norm == "by" and self._agent(item):
            self.mode = None
            return
        self.mode, self.agg = "group", None
        following_token = (
            self.frame.tokens[item.end].norm if item.end < len(self.frame.tokens) else ""
        )
        article = self.frame.language == "it" and item.norm == "per" and following_token in ARTICLES
        if article or item.norm in ("for all", "for", "of all", "in all"):
            self.mode = None

    def _agent(self, item: Item) -> bool:
        """ "taken by students": who did it, not a grouping."""
        before = self.frame.tokens[item.start - 1].norm if item.start else ""
        others = any(
            m.kind == "group" and m.text.split()[-1] in ("each", "every", "per")
            for m in self.frame.marks
        )
        participle = before.endswith("ed") or before in (
            "taken",
            "made",
            "written",
            "given",
            "done",
            "taught",
            "bought",
            "sold",
            "paid",
            "held",
        )
        return participle or others or not (self.draft.measures or self.sup)

    def _which(self, item: Item) -> None:
        before = self._before(item)
        relative = before is not None and before.kind == "mention"
        if relative:
            self.mode, self.after_verb, self.neg = None, True, False
            return
        self.mode = "out"

    def _list(self, item: Item) -> None:
        self._abandon()
        self.mode, self.agg = "out", None
        if item.sentence > 0 and item.norm.split()[0] not in (
            "along",
            "alongside",
            "also",
            "as",
            "including",
        ):
            first = next(i for i in self.items if i.sentence == item.sentence)
            if (
                first.start >= item.start - 2
                and item.norm.split()[0] not in ("show", "mostra", "mostrami")
                and (self.draft.measures or self.draft.dimensions or self.draft.entity)
            ):
                self.draft.explicit_output = True
                self.draft.outputs = []

    def _neg(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        self.neg = True
        if self.mode != "agg":
            self.mode = "exist" if self.mode != "out" or self.last_role == "out" else self.mode

    def _exist(self, item: Item) -> None:
        if item.norm == "both" and self.mode == "out":
            return
        self.after_verb = True
        if self.mode == "out" and self.last_role != "out" and item.norm != "with":
            return
        if self.mode != "sup" or self.last_role == "super":
            self.mode = "exist"

    def _conj(self, item: Item) -> None:
        self.conj = item.kind
        following = self._next(item)
        if (
            self.ratio_side == "numerator"
            and item.kind == "and"
            and following is not None
            and self.frame.language == "it"
        ):
            self._switch_side()
        if (
            item.kind == "and"
            and self.last_role == "measure"
            and self.mode is None
            and following is not None
            and following.kind == "mention"
        ):
            self.mode = "out"

    def _versus(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        self.compare, self.conj = True, "or"
        if self.ratio_side == "numerator":
            self._switch_side()
        self._compare_last()

    def _compare(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        self.compare = True

    def _trend(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        self.draft.trend = True

    def _note(self, item: Item) -> None:
        if self.agg and item.norm == "based on":  # "total revenue (based on sale price)"
            begin = max(
                (m.end for m in self.frame.marks if m.end <= item.start and m.kind in AGGREGATES),
                default=item.start,
            )
            self.draft.ignored |= set(range(begin, item.start))
            return
        self.note = True

    def _format(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        return

    def _part_of_week(self, item: Item) -> None:
        """Weekends and working days, by the date or by a column of day names."""
        filter_ = FilterDraft(
            "weekend", None, negated=item.kind == "workday" or self.neg, position=item.start
        )
        self._add_filter(filter_, item)
        self.neg = False

    def _unsupported(self, item: Item) -> None:
        self.draft.fail("unsupported_construct", item.norm)

    def _word(self, item: Item) -> None:
        in_content = item.start in self.frame.content
        if self.frame.tokens[item.start].kind == "quoted" and in_content:
            self.literal = item
        elif self.agg in AGGREGATES and self.mode in ("agg", "sup") and item.norm in MONEY_WORDS:
            self._money_word(item)
        elif item.norm in BREAKERS:
            self._breaker(item)
        elif item.norm in GRAIN_WORDS:
            self._grain_word(item)
        elif self.mode == "agg" and self.agg == "count" and in_content:
            self.draft.fail("unexplained_words", item.norm)
        else:
            self._plain_word(item)

    def _breaker(self, item: Item) -> None:
        if item.norm != ",":
            return
        self.conj = self.conj or ","
        if self.last_role not in ("dim", "out", "measure"):
            if self.neg:
                self.draft.fail("unsupported_construct", item.norm)
            self.neg, self.neg_exists = False, None

    def _plain_word(self, item: Item) -> None:
        """Small words that end a list, begin another, or carry a verb."""
        if item.norm in PREPOSITIONS and self.mode == "out" and self.last_role == "out":
            self.mode = None
        if item.norm in POSSESSIVES and self.mode is None and self.conj in ("and", ","):
            self.mode = "out"
        if item.norm in VERBS:
            self.after_verb = True
        if item.norm == "to" and self.ratio_side == "numerator":
            self._switch_side()
