"""How well a stored value answers a piece of text: idf- and word-aware, 0 to 100.

The order of candidates decides quality more than how they are found: whole-string similarity
drowns the one salient word of a long value, so words are weighed by rarity first and the string
comparison only breaks ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappush, heappushpop
from itertools import pairwise
from operator import mul

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

        Complete as far as the first `enough`; values that cannot be among those may be missing:
        a score is at most what the share of the words found and the length of the value allow.
        """
        shares = [(self._share(norm), item, norm) for item, norm in norms.items()]
        shares.sort(key=lambda one: (-one[0], len(one[2]), one[2]))
        scored: list[tuple[float, int, str]] = []
        bar: list[float] = []
        for share, item, norm in shares:
            if share < _NOISE or (len(bar) == enough and share * 100 < bar[0]):
                break
            if len(bar) == enough and self._at_most(share, norm) < bar[0]:
                continue
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
        readings, weights = self._readings, self._weights
        best: dict[int, float] = {}
        for word in norm.split(" "):
            if word in readings:
                for slot, similarity in readings[word]:
                    if similarity > best.get(slot, 0.0):
                        best[slot] = similarity
        share = 0.0
        for slot, similarity in best.items():
            share += weights[slot] * similarity
        if share < self._total and norm.replace(" ", "") == self.glued:
            return 1.0
        return share / self._total

    def _at_most(self, share: float, norm: str) -> float:
        """No score of the value is above this: two strings are never more alike than their
        lengths. The text in another order has its length, glued it has all of its weight."""
        same = len(norm) == len(self.text)
        if same or (share >= 1 and norm.replace(" ", "") == self.glued):
            return 100.0
        shorter, both = min(len(self.text), len(norm)), len(self.text) + len(norm)
        return 100 * share * (_SHARE + _COVER + _LIKE * 2 * shorter / both + _RUNS)

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
        readings, rarity = self._readings, self._vocabulary.rarity
        for word in norm.split(" "):
            weight = rarity(word)
            mass += weight
            if word not in readings:
                continue
            slot, similarity = self._reading(readings[word], best)
            if similarity > best[slot]:
                best[slot] = similarity
                order.append(slot)
            matched += weight * similarity
        if not order:
            return 0.0
        share = sum(map(mul, self._weights, best)) / self._total
        phrase = sum(b - a == 1 for a, b in pairwise(order))
        runs = phrase / (self._count - 1) if self._count > 1 else 1.0
        likeness = ratio(self.text, norm) / 100
        made = _SHARE + _COVER * matched / mass + _LIKE * likeness + _RUNS * min(runs, 1.0)
        return float(100 * share * made)

    @staticmethod
    def _reading(hits: list[tuple[int, float]], best: list[float]) -> tuple[int, float]:
        """Of equal query words, the one that nothing matched yet: "anna anna"."""
        return hits[0] if len(hits) == 1 else max(hits, key=lambda hit: hit[1] - best[hit[0]])
