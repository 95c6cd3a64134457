"""All words of one index in this process, and the search for words near a given one.

Words are ordered by length, so "lengths 5 to 9" is one slice of every array. A bigram's list of
words is a slice of one array (CSR); counting shared bigrams over a slice leaves few words for the
edit distance.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from thoth.warehouse.valueindex.store import Ints

_CLASSES = 64  # letters and digits have their own class, other scripts share the rest
_NEAR_MAX = 400
_PREFIX_MAX = 40


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
    """Immutable once built; safe to read from any number of threads."""

    def __init__(self, words: list[str], nos: Ints, df: Ints, items: int) -> None:
        self.words = words
        self.nos = nos
        self.df = df
        self.items = items  # one more than the highest item number
        # First, while the heap is small: its large temporaries then go back to the system.
        self._starts, self._members = _bigram_lists(words)
        self.position = {word: place for place, word in enumerate(words)}
        self.idf = _idf(df, items)
        self.max_idf = float(np.log1p(max(items, 1)))
        self._alpha = sorted(words)
        self._lengths = np.fromiter(map(len, words), np.int32, len(words))

    def near(self, word: str, edits: int) -> list[tuple[str, int]]:
        """Words at most `edits` optimal-string-alignment edits away, with their distance."""
        low, high = self._lengths.searchsorted([len(word) - edits, len(word) + edits + 1])
        grams = np.unique(_bigrams(f" {word} ")).tolist()
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


def _idf(df: Ints, items: int) -> list[float]:
    """ln(1 + items/df) per word; equal frequencies share one float object."""
    shared: dict[int, float] = {}
    for count in np.unique(df).tolist():
        shared[count] = float(np.log1p(max(items, 1) / count))
    return [shared[count] for count in df.tolist()]


def _bigram_lists(words: list[str]) -> tuple[NDArray[np.int64], Ints]:
    """CSR: where each bigram's words start, and the words (positions, ascending) themselves."""
    # Narrow types and early deletion: what is alive at the peak stays with the process.
    grams = _bigrams(f" {' '.join(words)} ") if words else np.empty(0, np.uint16)
    lengths = np.fromiter(map(len, words), np.int32, len(words))
    owner = np.repeat(np.arange(len(words), dtype=np.int32), lengths + 1)
    counts = np.bincount(grams, minlength=_CLASSES * _CLASSES)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    order = np.argsort(grams, kind="stable")
    del grams
    return starts, owner[order]
