"""How well a stored value answers a piece of text: idf- and word-aware, 0 to 100.

The order of candidates decides quality more than how they are found: whole-string similarity
drowns the one salient word of a long value, so words are weighed by rarity first and the string
comparison only breaks ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappush, heappushpop
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from thoth.warehouse.valueindex.expand import QueryWord
from thoth.warehouse.valueindex.vocabulary import Vocabulary

GLUED = 99.0
SAME_WORDS = 98.0
_BESIDE_BEST = 0.4  # what scores less than this part of the best is left out
_NOISE = 0.25  # a value that answers less of the query's weight is no answer
# How the score of a value is made up once its share of the query's weight is known.
_SHARE, _COVER, _LIKE, _RUNS = 0.79, 0.07, 0.09, 0.05


class Scorer:
    """Scores values against one run of query words."""

    def __init__(self, words: Sequence[QueryWord], vocabulary: Vocabulary) -> None:
        self.text = " ".join(word.word for word in words)
        self.glued = self.text.replace(" ", "")
        self._sorted = sorted(word.word for word in words)
        self._vocabulary = vocabulary
        self._count = len(words)
        self._weights = [word.weight for word in words]
        self._total = sum(self._weights) or 1.0
        self._readings: dict[str, list[tuple[int, float]]] = {}
        for place, word in enumerate(words):
            for stored, similarity in word.matches.items():
                self._readings.setdefault(stored, []).append((place, similarity))

    def best(self, norms: Mapping[int, str], enough: int) -> list[tuple[float, int, str]]:
        """(score, item, norm) of the values that match, best first.

        Complete as far as the first `enough`; values that cannot be among those may be missing.
        A score is at least 80 % of the share of the words found and at most all of it, so most
        values need no closer look.
        """
        shares = [(self._share(norm), item, norm) for item, norm in norms.items()]
        shares.sort(key=lambda one: (-one[0], len(one[2]), one[2]))
        scored: list[tuple[float, int, str]] = []
        bar: list[float] = []
        for share, item, norm in shares:
            if share < _NOISE or (len(bar) == enough and share * 100 < bar[0]):
                break
            score = self.score(norm)
            scored.append((score, item, norm))
            if len(bar) < enough:
                heappush(bar, score)
            else:
                heappushpop(bar, score)
        scored.sort(key=lambda one: (-one[0], len(one[2]), one[2]))
        floor = scored[0][0] * _BESIDE_BEST if scored else 0.0
        return [one for one in scored if one[0] >= floor]

    def _share(self, norm: str) -> float:
        """The part of the query's weight that the value's words carry, 0..1; an upper bound."""
        if norm.replace(" ", "") == self.glued:
            return 1.0
        best: dict[int, float] = {}
        for word in norm.split(" "):
            for slot, similarity in self._readings.get(word, ()):
                if similarity > best.get(slot, 0.0):
                    best[slot] = similarity
        return sum(self._weights[slot] * sim for slot, sim in best.items()) / self._total

    def score(self, norm: str) -> float:
        """0 when no word matches, 100 for the same words in order, 98 in another, 99 glued."""
        if norm == self.text:
            return 100.0
        if norm.replace(" ", "") == self.glued:
            return GLUED
        if len(norm) == len(self.text) and sorted(norm.split(" ")) == self._sorted:
            return SAME_WORDS
        best = [0.0] * self._count
        order: list[int] = []
        mass = matched = 0.0
        position, idf = self._vocabulary.position, self._vocabulary.idf
        for word in norm.split(" "):
            place = position.get(word)
            weight = idf[place] if place is not None else self._vocabulary.max_idf
            mass += weight
            hits = self._readings.get(word)
            if not hits:
                continue
            # Of equal query words, take one that nothing matched yet: "anna anna".
            slot, similarity = max(hits, key=lambda hit: hit[1] - best[hit[0]])
            if similarity > best[slot]:
                best[slot] = similarity
                order.append(slot)
            matched += weight * similarity
        if not order:
            return 0.0
        share = sum(w * s for w, s in zip(self._weights, best, strict=True)) / self._total
        phrase = sum(b - a == 1 for a, b in pairwise(order))
        runs = phrase / (self._count - 1) if self._count > 1 else 1.0
        likeness = ratio(self.text, norm) / 100
        return (
            100
            * share
            * (_SHARE + _COVER * matched / mass + _LIKE * likeness + _RUNS * min(runs, 1.0))
        )
