"""Which values to look at: postings added up per value, the best numbers first."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thoth.warehouse.valueindex import store
from thoth.warehouse.valueindex.expand import QueryWord
from thoth.warehouse.valueindex.loaded import Loaded, StaleError
from thoth.warehouse.valueindex.store import Ints
from thoth.warehouse.valueindex.vocabulary import Vocabulary

_POSTINGS_MAX = 120_000
_PLENTY = 5_000


class _Sums(threading.local):
    """One array of sums per thread, all zero between searches.

    Shared by two threads it would mix their values; made anew each time it would cost more than
    the search.
    """

    def __init__(self) -> None:
        self.array = np.zeros(0, np.float32)

    def of_size(self, size: int) -> NDArray[np.float32]:
        if len(self.array) < size:
            self.array = np.zeros(size, np.float32)
        return self.array


_sums = _Sums()


@dataclass(frozen=True, slots=True)
class Posting:
    """The values that hold one reading of the query word at `slot`, and what it is worth."""

    slot: int
    weight: float
    ids: Ints


def fetch(loaded: Loaded, words: Sequence[QueryWord]) -> list[Posting]:
    """The postings of all readings, rarest first, up to 120 000 numbers in all.

    Raises: StaleError when the index is not the one that was loaded.
    """
    vocabulary = loaded.vocabulary
    wanted = _affordable(words, vocabulary)
    read, version = store.postings(
        loaded.index_id, {int(vocabulary.nos[place]) for _, place, _ in wanted}
    )
    if version != loaded.version:
        raise StaleError
    lists: dict[int, list[Ints]] = {}
    for word_no, ids in read:
        lists.setdefault(word_no, []).append(ids)
    return [
        Posting(slot, weight, ids)
        for slot, place, weight in wanted
        for ids in lists.get(int(vocabulary.nos[place]), [])
    ]


def best(postings: Sequence[Posting], limit: int) -> list[int]:
    """Values with the highest sums; of equal sums the lower number, which is a shorter value."""
    with _summed(postings) as (sums, touched):
        return _top(touched, sums, limit)


def best_per_word(postings: Sequence[Posting], limit: int) -> list[int]:
    """The `limit` highest sums among the values of each word: a rich place of the question must
    not starve the others."""
    of_slot: dict[int, list[Ints]] = {}
    for posting in postings:
        of_slot.setdefault(posting.slot, []).append(posting.ids)
    chosen: dict[int, None] = {}
    with _summed(postings) as (sums, _):
        for lists in of_slot.values():
            ids = np.concatenate(lists) if len(lists) > 1 else lists[0]
            chosen.update(dict.fromkeys(_top(ids, sums, limit)))
    return list(chosen)


@contextmanager
def _summed(postings: Sequence[Posting]) -> Iterator[tuple[NDArray[np.float32], Ints]]:
    """This thread's sums and the numbers they touch; all zero again afterwards."""
    # Sized by the postings: a refresh may have added values that the vocabulary knows nothing of.
    sums = _sums.of_size(max((int(p.ids[-1]) + 1 for p in postings), default=0))
    touched: list[Ints] = [np.empty(0, np.int32)]
    seen = 0
    try:
        for posting in postings:
            held = sums[posting.ids]
            # Rarest first: once there are plenty, frequent words only add to what is there.
            if seen < _PLENTY:
                touched.append(posting.ids[held == 0])
                seen += len(touched[-1])
            held += posting.weight
            sums[posting.ids] = held
        yield sums, np.concatenate(touched)
    finally:
        for posting in postings:
            sums[posting.ids] = 0


def _affordable(words: Sequence[QueryWord], vocabulary: Vocabulary) -> list[tuple[int, int, float]]:
    """(query word, word position, weight) by rising frequency, up to 120 000 postings."""
    all_readings = [
        (int(vocabulary.df[place]), slot, place, vocabulary.idf[place] * similarity**2)
        for slot, word in enumerate(words)
        for stored, similarity in word.matches.items()
        for place in (vocabulary.position[stored],)
    ]
    all_readings.sort()
    kept: list[tuple[int, int, float]] = []
    total = 0
    for df, slot, place, weight in all_readings:
        total += df
        if total > _POSTINGS_MAX and kept:
            break
        kept.append((slot, place, weight))
    return kept


def _top(ids: Ints, sums: NDArray[np.float32], limit: int) -> list[int]:
    """The ids with the highest sums, ties to the lower id."""
    if len(ids) <= limit:
        return list(dict.fromkeys(ids.tolist()))
    keys = sums[ids] - ids * np.float64(2.0**-40)
    best = np.argpartition(-keys, limit)[:limit]
    return list(dict.fromkeys(ids[best].tolist()))
