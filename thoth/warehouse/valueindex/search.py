"""values_search: from a text to the columns that hold what it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from thoth.contracts.schema import Catalog
from thoth.contracts.tools import MatchType, ValueHit, ValueSpan
from thoth.warehouse.valueindex import candidates, question, store
from thoth.warehouse.valueindex.asking import ask_spans
from thoth.warehouse.valueindex.containing import word_columns
from thoth.warehouse.valueindex.everyday import everyday_words
from thoth.warehouse.valueindex.expand import QueryWord, expand
from thoth.warehouse.valueindex.loaded import Loaded, StaleError, load, loaded_before
from thoth.warehouse.valueindex.normal import Token, glued, norm, signs, tokens
from thoth.warehouse.valueindex.rank import Scorer
from thoth.warehouse.valueindex.source import ValueSource
from thoth.warehouse.valueindex.store import Occurrence

Mode = Literal["auto", "literal", "question"]

# More of them cost time and find nothing that these miss (benchmarks/value_index.py).
_RERANKED = 80
_PER_WORD = 50
_LITERAL_MAX_WORDS = 12
_LITERAL_SURE = 60.0
_QUESTION_MIN_WORDS = 3
_OTHER_SIGNS = 0.6
_HITS_MAX = 400
_SIGN_BEFORE = re.compile(r"[<>=≤≥+\-#]+\s?$")
_SIGN_AFTER = re.compile(r"^[+\-%#*]+(?!\w)")


def values_search(  # noqa: PLR0913 - one text, five ways to narrow or widen the answer
    workspace: str,
    text: str,
    *,
    catalog: Catalog,
    limit: int = 10,
    mode: Mode = "auto",
    with_words: bool = False,
    source: ValueSource | None = None,
) -> tuple[ValueSpan, ...]:
    """The places of `text` that name stored values, in order, each with at most `limit` distinct
    values in every column that holds them, best first.

    `text` is one literal or a whole question; `mode` says which when the caller knows. A literal
    is one span over all of it. Scores are 0..100. `with_words` adds how many values of each column
    hold a span's words. With a `source`, codes are also asked of near-unique columns, which are
    not stored. Columns that `catalog` does not list, hides or calls identifying are never
    returned. Empty when nothing matches or nothing is indexed.
    """
    words = tokens(text)
    loaded = loaded_before(workspace) or load(workspace)
    while loaded is not None and words:
        search = _Search(loaded, text, words, loaded.allowed(catalog), limit, with_words)
        try:
            spans = _spans(search, mode)
        except StaleError:
            loaded = load(workspace)
            continue
        asked = ask_spans(loaded, text, search.allowed, source) if source else []
        return tuple(_merged(spans, asked))
    return ()


def _spans(search: _Search, mode: Mode) -> list[ValueSpan]:
    if mode == "question" or (mode == "auto" and _reads_as_question(search.text, search.tokens)):
        return search.question()
    spans = search.literal()
    if mode == "literal" or len(search.tokens) < _QUESTION_MIN_WORDS or _sure(spans):
        return spans
    return search.question() or spans


def _merged(spans: list[ValueSpan], asked: list[ValueSpan]) -> list[ValueSpan]:
    """What the warehouse said of a code comes before what resembles it in the index."""
    kept = [
        span
        for span in spans
        if not any(code.start <= span.start and span.end <= code.end for code in asked)
        or (span.hits[0].match == "exact")
    ]
    return sorted([*asked, *kept], key=lambda span: (span.start, span.end))


def _sure(spans: Sequence[ValueSpan]) -> bool:
    return bool(spans) and spans[0].hits[0].score >= _LITERAL_SURE


def _reads_as_question(text: str, words: Sequence[Token]) -> bool:
    """Long, or with a question mark, or mostly the frame of a question."""
    if "?" in text:
        return True
    everyday = everyday_words()
    common = sum(word.word in everyday for word in words)
    if len(words) > _LITERAL_MAX_WORDS:
        return common * 2 >= len(words)
    return len(words) >= 4 and common * 5 >= len(words) * 3


@dataclass
class _Search:
    """One text against one version of an index."""

    loaded: Loaded
    text: str
    tokens: list[Token]
    allowed: dict[int, str]
    limit: int
    with_words: bool = False

    def literal(self) -> list[ValueSpan]:
        """The whole text as one value."""
        query = expand(self.tokens, self.loaded.vocabulary, frozenset())
        found = candidates.best(candidates.fetch(self.loaded, query), _RERANKED)
        whole = glued(" ".join(token.word for token in self.tokens))
        group = _Group(0, len(self.text), self.text, query)
        group.rank(self.loaded, store.items(self.loaded.index_id, found, [whole]), self.limit)
        return self._fill([group])

    def question(self) -> list[ValueSpan]:
        """The places of the text that name values."""
        vocabulary, index_id = self.loaded.vocabulary, self.loaded.index_id
        query = expand(self.tokens, vocabulary, everyday_words())
        postings = candidates.fetch(self.loaded, question.seeds(query))
        windows = question.windows(query)
        norms = store.items(index_id, candidates.best_per_word(postings, _PER_WORD), windows)
        meant = question.meant(norms, windows, question.Evidence(query, vocabulary))
        groups = []
        for span in question.spans(meant, query):
            run = query[span.first : span.last + 1]
            start, end = _with_signs(self.text, run[0].token.start, run[-1].token.end)
            group = _Group(start, end, self.text[start:end], run)
            group.rank(self.loaded, {item: norms[item] for item in span.items}, self.limit)
            groups.append(group)
        return self._fill(groups)

    def _fill(self, groups: list[_Group]) -> list[ValueSpan]:
        """Provenance for the best values of every span, in one statement.

        Values that occur in no allowed column fall away before the cut to `limit`: when the best
        ones do, all others are looked up too.
        """
        limit = self.limit
        places = self._places({item for g in groups for _, item, _ in g.ranked[:limit]})
        short = [g for g in groups if len(g.ranked) > limit and _kept(g, places) < limit]
        if short:
            places |= self._places({item for g in short for _, item, _ in g.ranked[limit:]})
        spans = [self._span(group, places) for group in groups]
        return sorted((span for span in spans if span.hits), key=lambda span: span.start)

    def _places(self, items: set[int]) -> dict[int, list[Occurrence]]:
        found: dict[int, list[Occurrence]] = {}
        for place in store.occurrences(self.loaded.index_id, items) if items else []:
            if place.column_id in self.allowed:
                found.setdefault(place.item, []).append(place)
        return found

    def _span(self, group: _Group, places: dict[int, list[Occurrence]]) -> ValueSpan:
        written = _Written(group)
        kept = [one for one in group.ranked if one[1] in places][: self.limit]
        found = [
            _Hit.of(place, score, normal, written)
            for score, item, normal in kept
            for place in places[item]
        ]
        found.sort(key=lambda hit: (hit.order, self.allowed[hit.place.column_id], hit.place.raw))
        words = word_columns(self.loaded, group.words, self.allowed) if self.with_words else ()
        return ValueSpan(
            text=group.text,
            start=group.start,
            end=group.end,
            hits=tuple(self._hit(hit) for hit in found[:_HITS_MAX]),
            words=words,
        )

    def _hit(self, hit: _Hit) -> ValueHit:
        column = hit.place.column_id
        return ValueHit(
            column=self.allowed[column],
            value=hit.place.raw,
            score=hit.score,
            match=hit.match,
            rows=hit.place.rows,
            indexed_at=self.loaded.indexed_at.get(column),
        )


@dataclass(frozen=True, slots=True)
class _Hit:
    """A spelling in a column, as near to the text as it is."""

    place: Occurrence
    score: float
    match: MatchType
    order: tuple[float, bool, int, str, int]

    @classmethod
    def of(cls, place: Occurrence, score: float, normal: str, written: _Written) -> _Hit:
        """Best first; of one value, its columns together and the usual spelling before others."""
        score = round(score * written.factor(place.raw, normal), 2)
        match = written.match(place.raw, normal)
        order = (-score, match != "exact", len(normal), normal, -place.rows)
        return cls(place, score, match, order)


def _kept(group: _Group, places: dict[int, list[Occurrence]]) -> int:
    return sum(item in places for _, item, _ in group.ranked)


def _with_signs(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with the signs that touch it: "A+", "<5"."""
    before = _SIGN_BEFORE.search(text[:start])
    after = _SIGN_AFTER.match(text[end:])
    return (before.start() if before else start), (end + after.end() if after else end)


class _Group:
    """A span under construction: its words and its values in order of score."""

    def __init__(self, start: int, end: int, text: str, words: Sequence[QueryWord]) -> None:
        self.start, self.end, self.text, self.words = start, end, text, words
        self.ranked: list[tuple[float, int, str]] = []

    def rank(self, loaded: Loaded, norms: dict[int, str], limit: int) -> None:
        self.ranked = Scorer(self.words, loaded.vocabulary).best(norms, limit)


class _Written:
    """The span as it was written, against a value as it is stored."""

    def __init__(self, group: _Group) -> None:
        self._text = group.text.strip()
        self._norm = norm(self._text)
        self._signs = signs(self._text)
        self._exact = [{w for w, s in word.matches.items() if s == 1.0} for word in group.words]

    def factor(self, raw: str, normal: str) -> float:
        """A+ and A- share a normal form: the one with other signs is worth less."""
        same = normal != self._norm or raw.casefold() == self._text.casefold()
        return 1.0 if same or signs(raw) == self._signs else _OTHER_SIGNS

    def match(self, raw: str, normal: str) -> MatchType:
        if raw == self._text:
            return "exact"
        if normal == self._norm:
            return "normalised"
        if normal.replace(" ", "") == self._norm.replace(" ", ""):
            return "glued"
        held = set(normal.split(" "))
        return "token" if all(exact & held for exact in self._exact) else "fuzzy"
