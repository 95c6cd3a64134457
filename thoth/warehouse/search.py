"""Lexical search over the names and comments of a schema, in Italian and English.

A word counts by its rarity among tables, as in BM25; a table is as good as the words of the text
that it or one of its columns answers, so that covering two words beats saying one twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p

from rapidfuzz import process
from rapidfuzz.distance import OSA

from thoth.contracts.schema import Catalog, Table
from thoth.contracts.tools import ColumnHit, SchemaHit, SchemaSearch, ValueSpan
from thoth.warehouse.segmenting import segmented
from thoth.warehouse.wordforms import FUNCTION_WORDS, stems, words_of

COLUMNS_MAX = 8
_SATURATION = 1.2
_LENGTH_SHARE = 0.4  # how much a long comment is worth less per word
_NAME, _COMMENT = 3.0, 1.0
_PART = 0.5  # what a word of a long name is worth at least
_TABLE = 1.5  # a table's own words against those of one of its columns
_SECOND = 0.1  # what the other places of the same word in a table add
_ABBREVIATED = 0.6
_MISSPELT = 0.55
_PREFIX_MIN = 3
_FUZZY_MIN = 5
_LONG_WORD = 8
_VALUE = {"exact": 1.0, "normalised": 1.0, "glued": 0.9, "token": 0.45, "fuzzy": 0.4}
_VALUE_WEIGHT = 0.5
_CACHED = 8

Place = tuple[int, int]  # (table, column); column -1 is the table itself


@dataclass(frozen=True, slots=True)
class _Match:
    """A stem that a word of the text means, and how surely."""

    stem: str
    worth: float


class SchemaIndex:
    """The words of one version of a catalog. Immutable once built."""

    def __init__(self, catalog: Catalog) -> None:
        self.tables = catalog.tables
        known = _known_words(catalog)
        self._postings: dict[str, dict[Place, float]] = defaultdict(dict)
        for number, table in enumerate(catalog.tables):
            self._add((number, -1), table.name, table.comment, known)
            for place, column in enumerate(table.columns):
                if not column.hidden:
                    self._add((number, place), column.name, column.comment, known)
        self._idf = {
            stem: log1p((len(self.tables) - held + 0.5) / (held + 0.5))
            for stem, places in self._postings.items()
            for held in (len({table for table, _ in places}),)
        }

    def _add(self, place: Place, name: str, comment: str, known: frozenset[str]) -> None:
        names = [part for word in words_of(name) for part in segmented(word, known)]
        said = [word for word in words_of(comment) if word not in FUNCTION_WORDS]
        usual = 6
        damped = _COMMENT / (1 + _LENGTH_SHARE * max(len(said) - usual, 0) / usual)
        # "flight" is rather the table flight than flight_stop.
        whole = _NAME * (_PART + (1 - _PART) / max(len(names), 1))
        for words, weight in ((names, whole), (said, damped)):
            for word in words:
                for stem in stems(word):
                    held = self._postings[stem]
                    held[place] = held.get(place, 0.0) + weight

    @cached_property
    def _stems_sorted(self) -> list[str]:
        return sorted(self._postings)

    def matches(self, word: str) -> list[_Match]:
        """What a word of the text may mean here: itself, an abbreviation, or a slip of the pen."""
        own = [_Match(stem, 1.0) for stem in sorted(stems(word)) if stem in self._postings]
        if own or len(word) < _PREFIX_MIN:
            return own + self._abbreviations(word)
        return self._abbreviations(word) or self._near(word)

    def _abbreviations(self, word: str) -> list[_Match]:
        """`cust` for customer, `diag` for diagnosi: the name begins the word, or the other way."""
        if not word.isalpha():
            return []
        own = stems(word)
        return [
            _Match(stem, _ABBREVIATED * length / len(word))
            for length in range(_PREFIX_MIN, len(word))
            for stem in ("i:" + word[:length], "e:" + word[:length])
            if stem in self._postings and stem not in own
        ]

    def _near(self, word: str) -> list[_Match]:
        if len(word) < _FUZZY_MIN or not word.isalpha():
            return []
        edits = 1 if len(word) < _LONG_WORD else 2
        found: dict[str, float] = {}
        for stem in sorted(stems(word)):
            for near, distance, _ in process.extract(
                stem, self._stems_sorted, scorer=OSA.distance, score_cutoff=edits, limit=5
            ):
                if near[:3] == stem[:3]:
                    found[near] = max(found.get(near, 0.0), _MISSPELT / max(distance, 1))
        return [_Match(stem, worth) for stem, worth in sorted(found.items())]

    def scores(self, word: str) -> dict[Place, float]:
        """Every place that a word of the text is found in, with its worth."""
        found: dict[Place, float] = {}
        for match in self.matches(word):
            idf = self._idf[match.stem] * match.worth
            for place, weight in self._postings[match.stem].items():
                worth = idf * weight * (_SATURATION + 1) / (weight + _SATURATION)
                found[place] = max(found.get(place, 0.0), worth)
        return found


def _known_words(catalog: Catalog) -> frozenset[str]:
    """Words by which glued names can be cut: those of comments and of names already apart."""
    texts = [text for table in catalog.tables for text in _texts(table)]
    return frozenset(word for text in texts for word in words_of(text))


def _texts(table: Table) -> list[str]:
    parts = [table.comment, *(column.comment for column in table.columns)]
    names = [table.name, *(column.name for column in table.columns)]
    return parts + [name for name in names if len(words_of(name)) > 1]


_indexes: dict[tuple[str, str], SchemaIndex] = {}


def _index(catalog: Catalog) -> SchemaIndex:
    key = (catalog.workspace, catalog.version)
    found = _indexes.get(key)
    if found is None:
        found = SchemaIndex(catalog)
        while len(_indexes) >= _CACHED:
            _indexes.pop(next(iter(_indexes)), None)
        _indexes[key] = found
    return found


def schema_search(
    catalog: Catalog, text: str, limit: int = 10, *, values: Sequence[ValueSpan] = ()
) -> tuple[SchemaHit, ...]:
    """At most `limit` tables that the words of `text` speak of, best first, each with at most
    eight of its columns and the words that matched.

    `values` (of `values_search` on the same text) lets columns count that hold a value named in
    it. Scores are comparable within one search; equal ones are ordered by name. Hidden columns
    are never returned. Empty when nothing matches.
    """
    return _tally(catalog, text, values).hits(limit)


def schema_search_bounded(
    catalog: Catalog, text: str, limit: int = 8, *, values: Sequence[ValueSpan] = ()
) -> SchemaSearch:
    """The same with the number of tables left out."""
    found = _tally(catalog, text, values)
    return SchemaSearch(hits=found.hits(limit), omitted=max(0, found.tables - limit))


def _tally(catalog: Catalog, text: str, values: Sequence[ValueSpan]) -> _Tally:
    index = _index(catalog)
    found = _Tally(index)
    words = [word for word in dict.fromkeys(words_of(text)) if word not in FUNCTION_WORDS]
    for word in words:
        found.add(word, index.scores(word))
    for span in values:
        found.add(span.text, _value_places(catalog, span))
    return found


def _value_places(catalog: Catalog, span: ValueSpan) -> dict[Place, float]:
    numbers = {table.full_name: number for number, table in enumerate(catalog.tables)}
    weight = _VALUE_WEIGHT * log1p(len(catalog.tables))
    found: dict[Place, float] = {}
    for hit in span.hits:
        table_name, _, column_name = hit.column.rpartition(".")
        number = numbers.get(table_name)
        if number is None:
            continue
        names = [column.name for column in catalog.tables[number].columns]
        if column_name in names:
            place = (number, names.index(column_name))
            worth = weight * _VALUE[hit.match] * hit.score / 100
            found[place] = max(found.get(place, 0.0), worth)
    return found


class _Tally:
    """Sums per table and per column."""

    def __init__(self, index: SchemaIndex) -> None:
        self._index = index
        self._tables: dict[int, float] = defaultdict(float)
        self._columns: dict[Place, float] = defaultdict(float)
        self._words: dict[Place, list[str]] = defaultdict(list)

    def add(self, word: str, places: dict[Place, float]) -> None:
        """Count one word: a table has it once, at its best place, the rest adds a little."""
        of_table: dict[int, list[float]] = defaultdict(list)
        for (table, column), worth in places.items():
            if column < 0:
                of_table[table].append(worth * _TABLE)
            else:
                of_table[table].append(worth)
                self._columns[table, column] += worth
            self._words[table, column].append(word)
        for table, worths in of_table.items():
            best = max(worths)
            self._tables[table] += best + _SECOND * min(sum(worths) - best, best)

    @property
    def tables(self) -> int:
        """How many tables matched."""
        return len(self._tables)

    def hits(self, limit: int) -> tuple[SchemaHit, ...]:
        """The best tables; only for them are columns sorted and described."""
        names = self._index.tables
        ranked = sorted(
            self._tables, key=lambda t: (-round(self._tables[t], 4), names[t].full_name)
        )
        kept = ranked[:limit]
        columns: dict[int, list[ColumnHit]] = {table: [] for table in kept}
        for (table, column), score in self._columns.items():
            if table in columns:
                columns[table].append(self._column(table, column, score))
        return tuple(self._hit(table, columns[table]) for table in kept)

    def _column(self, table: int, column: int, score: float) -> ColumnHit:
        described = self._index.tables[table]
        return ColumnHit(
            column=f"{described.full_name}.{described.columns[column].name}",
            score=round(score, 4),
            matched=tuple(self._words[table, column]),
        )

    def _hit(self, table: int, columns: list[ColumnHit]) -> SchemaHit:
        columns.sort(key=lambda column: (-column.score, column.column))
        words = [*self._words[table, -1], *(word for column in columns for word in column.matched)]
        return SchemaHit(
            table=self._index.tables[table].full_name,
            score=round(self._tables[table], 4),
            columns=tuple(columns[:COLUMNS_MAX]),
            matched=tuple(dict.fromkeys(words)),
        )
