"""The question as a row of items: phrases, mentions, numbers, periods, words; and its sentences."""

from __future__ import annotations

from dataclasses import dataclass

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.marks import Mark, Number
from thoth.analyst.language.periods import PeriodSpan
from thoth.analyst.linking.mentions import Candidate, Mention


@dataclass(frozen=True)
class Item:
    """One step of the walk; exactly one of the optional fields is set, none for a plain word."""

    start: int
    end: int
    norm: str
    sentence: int
    mark: Mark | None = None
    mention: int | None = None
    candidate: Candidate | None = None
    number: Number | None = None
    period: PeriodSpan | None = None

    @property
    def kind(self) -> str:
        """The mark's kind, or mention, number, period, word."""
        if self.mark:
            return self.mark.kind
        if self.mention is not None:
            return "mention"
        if self.number:
            return "number"
        return "period" if self.period else "word"


_ENDS = frozenset({".", "?", "!", ";", ":"})


def items_of(frame: Frame, choice: list[tuple[Mention, Candidate]]) -> list[Item]:
    """Items in order; a mention hides the phrases and numbers inside it."""
    mentions = {m.start: (i, m, c) for i, (m, c) in enumerate(choice) if c.kind != "none"}
    marks = {m.start: m for m in frame.marks}
    periods = {r.start: (p, r) for p, r in frame.periods}
    items: list[Item] = []
    index, sentence = 0, 0
    while index < len(frame.tokens):
        token = frame.tokens[index]
        number = frame.number_at(index)
        if index in mentions:
            position, mention, candidate = mentions[index]
            items.append(Item(index, mention.end, frame.words(index, mention.end).lower(), sentence,
                              mention=position, candidate=candidate))  # fmt: skip
        elif index in periods:
            period, places = periods[index]
            items.append(
                Item(index, max(places.stop, index + 1), period.text, sentence, period=period)
            )
        elif index in marks and not _cut(marks[index], mentions):
            items.append(
                Item(index, marks[index].end, marks[index].text, sentence, mark=marks[index])
            )
        elif number:
            items.append(Item(index, number.end, token.norm, sentence, number=number))
        else:
            items.append(Item(index, index + 1, token.norm, sentence))
            if (
                token.norm in _ENDS
                and index + 1 < len(frame.tokens)
                and not _abbreviation(frame, index)
            ):
                sentence += 1
        index = items[-1].end
    return items


def _cut(mark: Mark, mentions: dict[int, tuple[int, Mention, Candidate]]) -> bool:
    """Whether a mention begins inside the phrase: then the phrase is not meant."""
    return any(i in mentions for i in range(mark.start + 1, mark.end))


def _abbreviation(frame: Frame, index: int) -> bool:
    return (
        index > 0
        and frame.tokens[index - 1].norm in ("no", "vs", "eg", "e.g", "st")
        and frame.tokens[index].norm == "."
    )
