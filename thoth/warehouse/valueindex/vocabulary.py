"""All words of one index in this process, and the search for words near a given one.

Words are ordered by length, so "lengths 5 to 9" is one slice of every array. A bigram's list of
words is a slice of one array (CSR); counting shared bigrams over a slice leaves few words for the
edit distance.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from thoth.warehouse.valueindex.store import Ints

_CLASSES = 64  # letters and digits have their own class, other scripts share the rest
_NEAR_MAX = 400
_PREFIX_MAX = 40
_REMEMBERED = 500
_BLOCK = 10_000


def _class_table() -> NDArray[np.uint16]:
    table = np.zeros(128, np.uint16)
    for place, char in enumerate("abcdefghijklmnopqrstuvwxyz0123456789"):
        table[ord(char)] = place + 1
    return table


_TABLE = _class_table()


def _bigrams(text: str) -> NDArray[np.uint16]:
    """The class of every two neighbouring characters; a blank is a word's edge."""
    if text.isascii():
        classes = _TABLE[np.frombuffer(text.encode("ascii"), np.uint8)]
    else:
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        classes = _TABLE[np.minimum(codes, 127)]
        others = codes > 127
        classes[others] = 37 + codes[others] % 27
    return classes[:-1] * np.uint16(_CLASSES) + classes[1:]


class Vocabulary:
    """One version of the words; safe to read from any number of threads."""

    def __init__(self, words: list[str], nos: Ints, df: Ints, items: int) -> None:
        self.words = words
        self.nos = nos
        self.df = df
        self.items = items  # one more than the highest item number
        self._starts, self._members = _bigram_lists(words)
        self.position = {word: place for place, word in enumerate(words)}
        self.idf = _idf(df, items)
        self.max_idf = float(np.log1p(max(items, 1)))
        self._alpha = sorted(words)
        self._near: dict[tuple[str, int], list[tuple[str, int]]] = {}
        self._lengths = np.fromiter(map(len, words), np.int32, len(words))

    def rarity(self, word: str) -> float:
        """The word's idf; that of the rarest for a word that came after this version."""
        place = self.position.get(word)
        return self.max_idf if place is None else self.idf[place]

    def near(self, word: str, edits: int) -> list[tuple[str, int]]:
        """Words at most `edits` optimal-string-alignment edits away, with their distance.

        Remembered: the steps of a session look the same words up again and again.
        """
        known = self._near.get((word, edits))
        if known is None:
            if len(self._near) >= _REMEMBERED:
                self._near.clear()
            known = self._near[word, edits] = self._search(word, edits)
        return known

    def _search(self, word: str, edits: int) -> list[tuple[str, int]]:
        low, high = self._lengths.searchsorted([len(word) - edits, len(word) + edits + 1])
        grams = set(_bigrams(f" {word} ").tolist())
        parts = [self._members[self._starts[gram] : self._starts[gram + 1]] for gram in grams]
        window = [part[slice(*part.searchsorted([low, high]))] for part in parts]
        counts = np.bincount(np.concatenate(window) - low, minlength=1) if window else np.zeros(1)
        # An edit spoils two bigrams, a swap three: more than one swap in a word is not expected.
        enough = max(len(grams) - 2 * edits - 1, 1)
        places = np.flatnonzero(counts >= enough)
        if len(places) > _NEAR_MAX:
            places = places[np.argsort(-counts[places], kind="stable")[:_NEAR_MAX]]
        choices = [self.words[place] for place in (places + low).tolist()]
        found = process.extract(word, choices, scorer=OSA.distance, score_cutoff=edits, limit=None)
        return [(near, int(distance)) for near, distance, _ in found]

    def starting(self, prefix: str) -> list[str]:
        """Words that begin with `prefix`, at most 40, in alphabetical order."""
        place = bisect_left(self._alpha, prefix)
        found: list[str] = []
        while place < len(self._alpha) and len(found) < _PREFIX_MAX:
            if not self._alpha[place].startswith(prefix):
                break
            found.append(self._alpha[place])
            place += 1
        return found


def _idf(df: Ints, items: int) -> array[float]:
    """ln(1 + items/df) per word."""
    return array("d", np.log1p(max(items, 1) / df).tobytes())


def _bigram_lists(words: list[str]) -> tuple[NDArray[np.int64], Ints]:
    """CSR: where each bigram's words start, and the words (positions, ascending) themselves.

    In blocks of words: what is alive at the peak stays with the process, and the index of all
    bigrams at once is several times as large as the lists.
    """
    blocks = [(at, words[at : at + _BLOCK]) for at in range(0, len(words), _BLOCK)]
    counts = np.zeros(_CLASSES * _CLASSES, np.int64)
    for _, block in blocks:
        counts += np.bincount(_joined_bigrams(block), minlength=len(counts))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    members = np.empty(int(starts[-1]), np.int32)
    free = starts[:-1].copy()
    for at, block in blocks:
        grams = _joined_bigrams(block)
        lengths = np.fromiter(map(len, block), np.int32, len(block))
        owner = np.repeat(np.arange(at, at + len(block), dtype=np.int32), lengths + 1)
        order = np.argsort(grams, kind="stable")
        counts = np.bincount(grams, minlength=len(counts))
        # The place in its list: the first free one, plus how many of this bigram came before.
        before = np.arange(len(grams)) - np.repeat(np.cumsum(counts) - counts, counts)
        members[np.repeat(free, counts) + before] = owner[order]
        free += counts
    return starts, members


def _joined_bigrams(words: list[str]) -> NDArray[np.uint16]:
    return _bigrams(f" {' '.join(words)} ")
