"""A lexical search of the schema: words of the question against names and comments."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

from thoth.contracts.schema import Catalog, Column, Table
from thoth.contracts.tools import ColumnHit, SchemaHit, SchemaSearch

HITS_MAX = 8
COLUMNS_MAX = 5
_STEM_CHARS = 5
_NAME_WEIGHT, _COMMENT_WEIGHT = 2.0, 1.0
_TABLE_SHARE = 0.5
_CACHED = 8
_WORD = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

Words = dict[str, float]


def schema_search_find(catalog: Catalog, text: str, *, limit: int = HITS_MAX) -> SchemaSearch:
    """At most `limit` tables whose names or comments share words with `text`, best first.

    Words are compared without accents and by their first five letters; a rare word counts more.
    Hidden columns neither match nor appear.
    """
    index = _index(catalog)
    query = set(stems(text))
    hits = [hit for table in catalog.tables if (hit := index.hit(table, query)) is not None]
    hits.sort(key=lambda hit: (-hit.score, hit.table))
    return SchemaSearch(hits=tuple(hits[:limit]), omitted=max(0, len(hits) - limit))


def stems(text: str) -> list[str]:
    """`dataNascita`, `data_nascita` and `date di nascita` have words in common."""
    split = _CAMEL.sub(" ", text)
    plain = unicodedata.normalize("NFKD", split).encode("ascii", "ignore").decode().lower()
    return [word[:_STEM_CHARS] for word in _WORD.findall(plain) if len(word) > 1]


class _Index:
    """The stems of every table and column with their weights, and how rare each stem is."""

    def __init__(self, catalog: Catalog) -> None:
        self.tables = {
            table.full_name: _weighted(table.name, table.comment) for table in catalog.tables
        }
        self.columns: dict[str, dict[str, Words]] = {
            table.full_name: {c.name: _weighted(c.name, c.comment) for c in _visible(table)}
            for table in catalog.tables
        }
        counts: Counter[str] = Counter()
        for name, words in self.tables.items():
            counts.update(set(words).union(*self.columns[name].values()))
        total = len(self.tables)
        self.rarity = {stem: math.log(1 + total / count) for stem, count in counts.items()}

    def hit(self, table: Table, query: set[str]) -> SchemaHit | None:
        """None when no word matches."""
        own = self._score(self.tables[table.full_name], query)
        columns = [
            ColumnHit(
                column=f"{table.full_name}.{name}", score=score, matched=tuple(sorted(matched))
            )
            for name, words in self.columns[table.full_name].items()
            if (matched := query & words.keys()) and (score := self._score(words, matched))
        ]
        columns.sort(key=lambda hit: (-hit.score, hit.column))
        if not own and not columns:
            return None
        matched = query & self.tables[table.full_name].keys()
        return SchemaHit(
            table=table.full_name,
            score=own + _TABLE_SHARE * sum(hit.score for hit in columns[:COLUMNS_MAX]),
            columns=tuple(columns[:COLUMNS_MAX]),
            matched=tuple(sorted(matched.union(*(hit.matched for hit in columns)))),
        )

    def _score(self, words: Words, query: set[str]) -> float:
        return sum(words[stem] * self.rarity[stem] for stem in query & words.keys())


def _weighted(name: str, comment: str) -> Words:
    words: Words = defaultdict(float)
    for stem in stems(comment):
        words[stem] = _COMMENT_WEIGHT
    for stem in stems(name):
        words[stem] = _NAME_WEIGHT
    return dict(words)


def _visible(table: Table) -> Iterable[Column]:
    return (column for column in table.columns if not column.hidden)


_indexes: dict[tuple[str, str], _Index] = {}


def _index(catalog: Catalog) -> _Index:
    key = (catalog.workspace, catalog.version)
    if key not in _indexes:
        if len(_indexes) >= _CACHED:
            _indexes.clear()
        _indexes[key] = _Index(catalog)
    return _indexes[key]
