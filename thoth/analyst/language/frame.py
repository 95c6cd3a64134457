"""A question taken apart, independent of its language: what the later stages read."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from thoth.analyst.language.marks import (
    Language,
    Mark,
    Number,
    detect_language,
    find_marks,
    find_numbers,
    lexicon,
)
from thoth.analyst.language.periods import PeriodSpan, find_periods, tokens_of
from thoth.analyst.language.tokens import Token, tokenize


@dataclass(frozen=True)
class Frame:
    """Tokens, the phrases and numbers found among them, and the periods with their token ranges.

    `content` are the indexes of words that must be explained by the warehouse; stop words, light
    verbs, phrases, numbers and periods explain themselves.
    """

    text: str
    language: Language
    tokens: tuple[Token, ...]
    marks: tuple[Mark, ...]
    numbers: tuple[Number, ...]
    periods: tuple[tuple[PeriodSpan, range], ...]
    stop: frozenset[int]
    light: frozenset[int]
    content: tuple[int, ...]

    def words(self, start: int, end: int) -> str:
        """The text of tokens [start, end) as written."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]

    def mark_at(self, index: int) -> Mark | None:
        return next((m for m in self.marks if m.start <= index < m.end), None)

    def number_at(self, index: int) -> Number | None:
        return next((n for n in self.numbers if n.start == index), None)


_PERIOD_EATS = frozenset({"gt", "lt", "ge", "le", "between", "diff", "super_desc", "super_asc", "exclude",
                          "group", "exist", "yearly", "and", "or", "within"})  # fmt: skip


def read_frame(text: str, today: dt.date, default_language: str) -> Frame:
    """The frame of one text. Pure: the same text and day give the same frame."""
    tokens = tokenize(text)
    language = detect_language(tokens, default_language)
    periods = tuple((span, tokens_of(span, tokens)) for span in find_periods(text, today))
    inside = {index for _, indexes in periods for index in indexes}
    numbers = tuple(n for n in find_numbers(tokens) if n.start not in inside)
    marks = _outside(find_marks(tokens, numbers, language), periods)
    book = lexicon(language)
    taken = inside | {i for m in marks for i in range(m.start, m.end)}
    taken |= {i for n in numbers for i in range(n.start, n.end)}
    stop = frozenset(t.index for t in tokens if t.kind == "word" and t.norm in book.stop)
    light = frozenset(t.index for t in tokens if t.kind == "word" and t.norm in book.light)
    content = tuple(
        t.index
        for t in tokens
        if t.kind in ("word", "quoted") and t.index not in taken | stop | light and len(t.norm) > 0
    )
    return Frame(text, language, tokens, marks, numbers, periods, stop, light, content)


def _outside(
    marks: tuple[Mark, ...], periods: tuple[tuple[PeriodSpan, range], ...]
) -> tuple[Mark, ...]:
    """Marks without those that a period already explains ("the last", "excluding", "between")."""
    kept = []
    for mark in marks:
        overlap = [r for _, r in periods if mark.start < r.stop and mark.end > r.start]
        if overlap and mark.kind in _PERIOD_EATS:
            continue
        kept.append(mark)
    return tuple(kept)
