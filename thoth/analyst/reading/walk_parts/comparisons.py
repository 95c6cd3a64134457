"""Numbers, periods and comparisons."""

from __future__ import annotations

from thoth.analyst.linking.ages import age_places
from thoth.analyst.linking.candidates import Candidate
from thoth.analyst.linking.formulas import AGE, birth_dates
from thoth.analyst.reading.draft import (
    FilterDraft,
    MeasureDraft,
    PeriodDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import AFTER, BREAKERS, COMPARISONS, place
from thoth.analyst.reading.walk_parts.sequences import Sequences

_AGE_ADJECTIVES = ("older", "younger", "anzian", "giovan")


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
        self.skip_to = self._position(number) + 1
        if self._implied_age(item, op, value):
            return
        after = self.items[self._position(number) + 1 : self._position(number) + 4]
        subject = next(
            (i for i in after if i.kind not in ("word", "sum", "distinct") or i.norm in BREAKERS),
            None,
        )
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

    def _implied_age(self, item: Item, op: str, value: str) -> bool:
        """ "Women older than 70": an age without its unit."""
        births = birth_dates(self.schema)
        if not births or not any(word in item.norm for word in _AGE_ADJECTIVES):
            return False
        said = [c.table for _, c in self.choice]
        birth = next((b for b in births if b.table in said), births[0])
        age = Candidate("formula", birth.table, None, AGE, formula=birth.full, score=1.0)
        filter_ = FilterDraft(op, age, [value], "number", self.neg, position=item.start)
        self._add_filter(filter_, item)
        return True

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

    def _between(self, item: Item) -> None:
        """ "Between 60 and 70 years": the subject comes after the two numbers."""
        following = self.items[self._position(item) + 1 : self._position(item) + 7]
        numbers = [i for i in following if i.kind == "number"][:2]
        subject = next((i for i in following if i.kind == "mention"), None)
        if len(numbers) < 2 or subject is None or subject.start < numbers[1].end:
            return
        values = [n.number.value for n in numbers if n.number]
        if self._number_filter(subject, "between", values):
            self.skip_to = self._position(subject) + 1

    def _aged(self, number: Item, subject: Item) -> bool:
        """ "Patients of 75 years", "70 years or more"."""
        if subject.start not in age_places(self.frame) or number.number is None:
            return False
        position = self._position(subject)
        after = self.items[position + 1] if position + 1 < len(self.items) else None
        op = AFTER.get(after.kind, "=") if after is not None else "="
        if not self._number_filter(subject, op, [number.number.value]):
            return False
        self.skip_to = position + (2 if op != "=" else 1)
        return True

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
        if following is not None and following.kind == "mention" and self._aged(item, following):
            return
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
            plain = self.last.candidate.kind == "column" and self.last_role != "filter"
            if view is not None and view.is_date and plain:
                subject = self.last.candidate
                self._forget(self.last)
        self.draft.periods.append(PeriodDraft(item.period, subject, item.start))
        self.last_role = "period"
