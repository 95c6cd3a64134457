"""Numbers, periods and comparisons."""

from __future__ import annotations

from thoth.analyst.reading.draft import (
    FilterDraft,
    MeasureDraft,
    PeriodDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import AFTER, BREAKERS, COMPARISONS, place
from thoth.analyst.reading.walk_parts.sequences import Sequences


class Comparisons(Sequences):
    """Numbers, periods and comparisons."""

    def _compare_with(self, item: Item) -> None:
        """ "more than 5 visits", "rating above 4" whose subject comes later or came before."""
        op = COMPARISONS[item.kind]
        position = self._position(item)
        number = self._next(item)
        if number is None or number.kind != "number":
            if (
                op == ">=" and number is not None and number.kind == "mention"
            ):  # "at least one" -> exists
                self.mode = "exist"
                return
            self.draft.fail("unsupported_construct", item.norm)
            return
        value = number.number.value if number.number else ""
        after = self.items[self._position(number) + 1 : self._position(number) + 4]
        subject = next(
            (i for i in after if i.kind not in ("word", "sum", "distinct") or i.norm in BREAKERS),
            None,
        )
        self.skip_to = self._position(number) + 1
        named = subject is not None and subject.candidate is not None
        if subject is not None and named and self._restricts(subject, op, value):
            self.skip_to = self._position(subject) + 1
            return
        if (
            self.last is not None
            and self.last.candidate is not None
            and position - self._position(self.last) <= 3
        ):
            self._forget(self.last)
            if self._number_filter(self.last, op, [value]):
                return
        self.draft.fail("unexplained_number", item.norm, value)

    def _restricts(self, subject: Item, op: str, value: str) -> bool:
        """A table's number of rows, or a column's value, is compared."""
        return self._count_having(subject, op, value) or self._number_filter(subject, op, [value])

    def _count_having(self, subject: Item, op: str, value: str) -> bool:
        candidate = subject.candidate
        assert candidate is not None
        if candidate.kind != "table":
            return False
        if self.draft.entity is not None and self.draft.entity.target == candidate.target:
            candidate_target = None
        else:
            candidate_target = candidate
        if value == "1" and op == ">=" and not self.draft.dimensions:
            self._add_exists(subject)
            return True
        measure = MeasureDraft("count", candidate_target, shown=False)
        self.draft.measures.append(measure)
        self.draft.filters.append(FilterDraft(op, None, [value], "number", role="having",
                                              measure=len(self.draft.measures) - 1, position=subject.start))  # fmt: skip
        self._used(subject, "having")
        return True

    def _number_filter(self, subject: Item, op: str, values: list[str]) -> bool:
        candidate = subject.candidate
        assert candidate is not None
        view = self._view(candidate)
        if candidate.kind != "formula" and (
            view is None or not (view.numeric or view.column.family == "time")
        ):
            return False
        self._add_filter(
            FilterDraft(
                op,
                candidate,
                values,
                "number",
                self.neg,
                position=subject.start,
                mention=subject.mention or -1,
            ),
            subject,
        )
        return True

    def _comparison_after(self, item: Item) -> tuple[str, list[str], int] | None:
        """(operator, values, items used) when a comparison follows the mention."""
        position = self._position(item)
        index = position + 1
        skippable = {
            "of",
            "is",
            "are",
            "was",
            "were",
            "di",
            "e",
            "that",
            "a",
            "score",
            "scores",
            "the",
            "che",
            "pari",
        }
        while (
            index < len(self.items)
            and (self.items[index].norm in skippable or self.items[index].kind == "exist")
            and index - position < 3
        ):
            index += 1
        if index >= len(self.items):
            return None
        kind = self.items[index].kind
        rest = self.items[index + 1 : index + 5]
        if kind == "between":
            numbers = [i for i in rest if i.kind == "number"]
            if len(numbers) >= 2:
                return (
                    "between",
                    [n.number.value for n in numbers[:2] if n.number],
                    self._position(numbers[1]) + 1,
                )
        if kind in COMPARISONS and rest and rest[0].kind == "number" and rest[0].number:
            return COMPARISONS[kind], [rest[0].number.value], index + 2
        if kind == "number" and self.items[index].number and index - position <= 2:
            return self._bare_number(index)
        return None

    def _bare_number(self, index: int) -> tuple[str, list[str], int] | None:
        number = self.items[index].number
        assert number is not None
        following = self.items[index + 1] if index + 1 < len(self.items) else None
        if following is not None and following.kind in AFTER:
            return AFTER[following.kind], [number.value], index + 2
        values = [number.value]
        used = index + 1
        while (
            used + 1 < len(self.items)
            and self.items[used].kind in ("or", "and")
            and self.items[used + 1].kind == "number"
        ):
            other = self.items[used + 1].number
            values.append(other.value if other else "")
            used += 2
        return ("in" if len(values) > 1 else "="), values, used

    def _between(self, item: Item) -> None:  # noqa: ARG002 - all phrases share one signature
        return

    def _text_op(self, item: Item) -> None:
        """ "whose name starts with J": the literal is the next token."""
        following = self.items[self._position(item) + 1 : self._position(item) + 5]
        literal = next(
            (
                i
                for i in following
                if i.kind in ("word", "mention")
                and (
                    self.frame.tokens[i.start].kind == "quoted"
                    or i.norm not in ("the", "letter", "a", "la", "lettera", "with")
                )
            ),
            None,
        )
        op = {"started": "starts_with", "ended": "ends_with", "contains": "contains"}[item.kind]
        target = self.last.candidate if self.last is not None else None
        view = self._view(target) if target else None
        if literal is None or view is None or view.column.family != "text" or self.last is None:
            self.draft.fail("unsupported_construct", item.norm)
            return
        assert target is not None
        if self.last_role != "filter":
            self._forget(self.last)
        text = self.frame.words(literal.start, literal.end).strip("'\"`“”«»")
        self._add_filter(
            FilterDraft(
                op,
                target,
                [text],
                "text",
                self.neg,
                literal=text,
                position=item.start,
                mention=place(self.last),
            ),
            self.last,
        )
        if literal.mention is not None:
            self.draft.used_mentions.add(literal.mention)
        self.draft.ignored |= set(range(item.end, literal.end))
        self.skip_to = self._position(literal) + 1

    def _number(self, item: Item) -> None:
        assert item.number is not None
        following = self._next(item)
        before = self._before(item)
        if (
            following is not None
            and following.kind in ("super_desc", "super_asc", "mention", "distinct")
            and "." not in item.number.value
        ):
            count = int(item.number.value)
            if self.sup is not None and self.sup.number is None and not self.sup.used:
                self.sup.number = count
            else:
                self.loose_number = count
            return
        if before is not None and before.kind in ("gt", "lt", "ge", "le"):
            return
        if (
            following is not None
            and following.kind == "sum"
            and item.number.value == "2"
            and self.compare
        ):
            self.skip_to = self._position(following) + 1
            return
        self.draft.fail("unexplained_number", item.norm)

    def _period(self, item: Item) -> None:
        assert item.period is not None
        subject = None
        if (
            self.last is not None
            and self.last.candidate is not None
            and item.start - self.last.end <= 2
        ):
            view = self._view(self.last.candidate)
            if view is not None and view.is_date and self.last.candidate.kind == "column":
                subject = self.last.candidate
                self._forget(self.last)
        self.draft.periods.append(PeriodDraft(item.period, subject, item.start))
        self.last_role = "period"
