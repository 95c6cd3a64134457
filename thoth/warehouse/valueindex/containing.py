"""How many values of each column hold a word: what a "contains" filter would meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thoth.contracts.tools import WordColumns
from thoth.warehouse.valueindex import store
from thoth.warehouse.valueindex.expand import BESIDE_EXACT, INFLECTION, QueryWord
from thoth.warehouse.valueindex.loaded import Loaded

_WORDS_MAX = 6
_SAME = 1e-9
_COLUMNS_MAX = 40
_VALUES_MAX = 20_000  # beyond, counts are of the first 20 000 values


def word_columns(
    loaded: Loaded, words: Sequence[QueryWord], allowed: dict[int, str]
) -> tuple[WordColumns, ...]:
    """Per word of the text, rarest first: allowed columns with the number of values that hold it
    or another inflection of it."""
    telling = [word for word in words if not word.everyday and _readings(word)]
    telling.sort(key=lambda word: -word.weight)
    found: list[WordColumns] = []
    for word in telling[:_WORDS_MAX]:
        counts = store.column_counts(loaded.index_id, _holding(loaded, word))
        shown = [(allowed[column], count) for column, count in counts if column in allowed]
        found += [
            WordColumns(word=word.word, column=column, values=count)
            for column, count in sorted(shown, key=lambda pair: (-pair[1], pair[0]))[:_COLUMNS_MAX]
        ]
    return tuple(found)


def _readings(word: QueryWord) -> list[str]:
    """The word itself and its inflections, not what a typo might have meant."""
    known = word.word in word.matches
    least = INFLECTION * BESIDE_EXACT if known else INFLECTION
    return [
        stored
        for stored, similarity in word.matches.items()
        if similarity == 1.0 or abs(similarity - least) < _SAME
    ]


def _holding(loaded: Loaded, word: QueryWord) -> list[int]:
    places = [loaded.vocabulary.position[stored] for stored in _readings(word)]
    numbers = [int(loaded.vocabulary.nos[place]) for place in places]
    read, _ = store.postings(loaded.index_id, numbers)
    lists = [ids for _, ids in read]
    held: list[int] = np.unique(np.concatenate(lists))[:_VALUES_MAX].tolist() if lists else []
    return held
