"""Where in a question stored values are meant: spans of its words, found without enumerating.

All content words are looked up at once; each value found says which window of the question it
answers, and how strong that evidence is. Windows are also looked up whole by their glued hash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from thoth.warehouse.valueindex.expand import QueryWord
from thoth.warehouse.valueindex.normal import glued, is_number
from thoth.warehouse.valueindex.vocabulary import Vocabulary

WINDOW_MAX_WORDS = 8
_GAP = 2  # places may differ by two: one unmatched word between
# Evidence is in units of rarity: a word that one of half a million values holds weighs 13.
_FULL_WEIGHT = 13.2
_ENOUGH = 6.0
_YEAR_DIGITS = 4
_LARGE = 20_000


@dataclass(slots=True)
class Found:
    """A value, the window [first, last] of query words it answers, and its evidence."""

    item: int
    first: int
    last: int
    evidence: float


@dataclass(slots=True)
class Span:
    """A window of the question and the values found for it."""

    first: int
    last: int
    items: dict[int, None] = field(default_factory=dict)

    def overlaps(self, found: Found) -> bool:
        return found.first <= self.last and found.last >= self.first


def seeds(words: Sequence[QueryWord]) -> list[QueryWord]:
    """The words whose postings are read: neither the frame of a question nor bare short codes."""
    return [
        word
        for word in words
        if not word.everyday and len(word.word) > 2 and not _weak_number(word.word)
    ]


def _weak_number(word: str) -> bool:
    return is_number(word) and len(word) <= _YEAR_DIGITS


def windows(words: Sequence[QueryWord]) -> dict[int, tuple[int, int]]:
    """Glued hash → window, for every run of up to eight words that may name a value whole."""
    found: dict[int, tuple[int, int]] = {}
    for first in range(len(words)):
        text = ""
        for last in range(first, min(first + WINDOW_MAX_WORDS, len(words))):
            text += words[last].word
            if _may_be_value(words[first : last + 1], text):
                found.setdefault(glued(text), (first, last))
    return found


def _may_be_value(run: Sequence[QueryWord], text: str) -> bool:
    if len(run) == 1:
        return len(text) > 2 and not _weak_number(text)
    if text.isdigit():
        # "427.31" was written as one; "2022 2023" is two years.
        return all(b.token.start - a.token.end == 1 for a, b in pairwise(run))
    # "i 21 pazienti" is not code I21: a one-letter article must touch what follows it.
    return not (len(run[0].word) == 1 and run[0].everyday and len(run) == 2)


class Evidence:
    """Measures how strongly a stored value is meant by a question."""

    def __init__(self, words: Sequence[QueryWord], vocabulary: Vocabulary) -> None:
        self._words = words
        self._position = vocabulary.position
        # A small warehouse has no rare words: its rarest count as rare as those of a large one.
        self._unit = _FULL_WEIGHT / (vocabulary.max_idf or 1.0)
        # In a large index a value that is an everyday word (a town called Mese) is an accident.
        self._alone = 0.5 if vocabulary.items < _LARGE else 0.45
        self._idf = vocabulary.idf
        self._max_idf = vocabulary.max_idf
        self._readings: dict[str, list[tuple[int, float]]] = {}
        for place, word in enumerate(words):
            for stored, similarity in word.matches.items():
                self._readings.setdefault(stored, []).append((place, similarity))

    def of_whole(self, item: int, window: tuple[int, int]) -> Found | None:
        """A value that equals a window of the question when blanks are ignored."""
        first, last = window
        run = self._words[first : last + 1]
        weight = self._unit * sum(word.weight for word in run)
        if all(word.everyday for word in run):
            weight *= self._alone if len(run) == 1 else 1.0
        elif sum(len(word.word) for word in run) > 2:
            weight = max(weight, _ENOUGH + 0.5)
        return Found(item, first, last, weight)

    def of_words(self, item: int, norm: str) -> Found | None:
        """A value some of whose words are in the question: its best window."""
        total = 0.0
        hits: list[tuple[int, float, int]] = []  # place in the question, worth, place in the value
        for at, word in enumerate(norm.split(" ")):
            place = self._position.get(word)
            weight = self._idf[place] if place is not None else self._max_idf
            total += weight
            for slot, similarity in self._readings.get(word, ()):
                hits.append((slot, weight * similarity**2, at))
        if not hits:
            return None
        hits.sort()
        best: Found | None = None
        for run in _runs(hits):
            found = self._of_run(item, run, total)
            if best is None or found.evidence > best.evidence:
                best = found
        return best

    def _of_run(self, item: int, run: list[tuple[int, float, int]], total: float) -> Found:
        run = self._trimmed(run)
        worth: dict[int, float] = {}
        for _, weight, at in run:
            worth[at] = max(worth.get(at, 0.0), weight)
        mass = sum(worth.values())
        if all(self._words[slot].everyday for slot, _, _ in run):
            mass *= self._alone
        evidence = self._unit * mass * (0.55 + 0.45 * mass / total)
        return Found(item, run[0][0], run[-1][0], evidence)

    def _trimmed(self, run: list[tuple[int, float, int]]) -> list[tuple[int, float, int]]:
        """Without everyday words at the ends, unless the value has them in that very place."""
        low, high = 0, len(run) - 1
        while low < high and self._loose(run[low], run[low + 1]):
            low += 1
        while high > low and self._loose(run[high], run[high - 1]):
            high -= 1
        return run[low : high + 1]

    def _loose(self, end: tuple[int, float, int], inner: tuple[int, float, int]) -> bool:
        return self._words[end[0]].everyday and end[0] - inner[0] != end[2] - inner[2]


def _runs(hits: list[tuple[int, float, int]]) -> list[list[tuple[int, float, int]]]:
    """Hits cut where more than one word of the question lies between two of them."""
    runs = [[hits[0]]]
    for hit in hits[1:]:
        if hit[0] - runs[-1][-1][0] <= _GAP:
            runs[-1].append(hit)
        else:
            runs.append([hit])
    return runs


def meant(
    norms: Mapping[int, str], windows: Mapping[int, tuple[int, int]], evidence: Evidence
) -> list[Found]:
    """Each value with the window it answers best; values that answer nothing are left out."""
    found: list[Found] = []
    for item, norm in norms.items():
        window = windows.get(glued(norm))
        one = evidence.of_whole(item, window) if window else evidence.of_words(item, norm)
        if one is not None:
            found.append(one)
    return found


def spans(found: list[Found], words: Sequence[QueryWord]) -> list[Span]:
    """Non-overlapping windows, strongest evidence first, each with its values."""
    found.sort(key=lambda f: (-f.evidence, f.last - f.first, f.first, f.item))
    chosen: list[Span] = []
    for one in found:
        home = next((span for span in chosen if span.overlaps(one)), None)
        if home is not None:
            home.items[one.item] = None
        elif one.evidence >= _ENOUGH and not _too_short(one, words):
            chosen.append(Span(one.first, one.last, {one.item: None}))
    return chosen


def _too_short(found: Found, words: Sequence[QueryWord]) -> bool:
    """One- and two-letter words alone: the name of a column should call for them."""
    return found.first == found.last and len(words[found.first].word) <= 2
