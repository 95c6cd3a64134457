"""values_search: from a text to the columns that hold what it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from thoth.contracts.schema import Catalog
from thoth.contracts.tools import MatchType, ValueHit, ValueSpan
from thoth.warehouse.valueindex import candidates, question, store
from thoth.warehouse.valueindex.everyday import everyday_words
from thoth.warehouse.valueindex.expand import QueryWord, expand
from thoth.warehouse.valueindex.loaded import Loaded, load
from thoth.warehouse.valueindex.normal import Token, glued, norm, signs, tokens
from thoth.warehouse.valueindex.rank import Scorer
from thoth.warehouse.valueindex.store import Occurrence

Mode = Literal["auto", "literal", "question"]

_RERANKED = 150
_PER_WORD = 80
_LITERAL_MAX_WORDS = 12
_LITERAL_SURE = 60.0
_OTHER_SIGNS = 0.6
_HITS_MAX = 400
_SIGN_BEFORE = re.compile(r"[<>=≤≥+\-#]+\s?$")
_SIGN_AFTER = re.compile(r"^[+\-%#*]+(?!\w)")


def values_search(
    workspace: str, text: str, *, catalog: Catalog, limit: int = 10, mode: Mode = "auto"
) -> tuple[ValueSpan, ...]:
    """The places of `text` that name stored values, each with at most `limit` distinct values in
    every column that holds them, best first.

    `text` is one literal or a whole question; `mode` says which when the caller knows. A literal
    is one span over all of it. Scores are 0..100. Columns that `catalog` does not list, hides or
    calls identifying are never returned. Empty when nothing matches or nothing is indexed.
    """
    loaded = load(workspace)
    words = tokens(text)
    if loaded is None or not words:
        return ()
    allowed = loaded.allowed(catalog)
    if mode == "question" or (mode == "auto" and _reads_as_question(text, words)):
        return _question(loaded, text, words, allowed, limit)
    spans = _literal(loaded, text, words, allowed, limit)
    if mode == "literal" or len(words) < 3 or _sure(spans):
        return spans
    return _question(loaded, text, words, allowed, limit) or spans


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


def _literal(
    loaded: Loaded, text: str, words: Sequence[Token], allowed: dict[int, str], limit: int
) -> tuple[ValueSpan, ...]:
    query = expand(list(words), loaded.vocabulary, frozenset())
    found = candidates.best(candidates.fetch(loaded.index_id, query, loaded.vocabulary), _RERANKED)
    hashes = [glued(" ".join(word.word for word in words))]
    norms = store.items(loaded.index_id, found, hashes)
    span = _Group(0, len(text), text, query)
    span.rank(loaded, norms, limit)
    return _fill(loaded, [span], allowed, limit)


def _question(
    loaded: Loaded, text: str, words: Sequence[Token], allowed: dict[int, str], limit: int
) -> tuple[ValueSpan, ...]:
    query = expand(list(words), loaded.vocabulary, everyday_words())
    postings = candidates.fetch(loaded.index_id, question.seeds(query), loaded.vocabulary)
    found = candidates.best_per_word(postings, _PER_WORD)
    windows = question.windows(query)
    norms = store.items(loaded.index_id, found, windows)
    evidence = question.Evidence(query, loaded.vocabulary)
    meant: list[question.Found] = []
    for item, normal in norms.items():
        window = windows.get(glued(normal))
        one = evidence.of_whole(item, window) if window else evidence.of_words(item, normal)
        if one is not None:
            meant.append(one)
    groups = []
    for span in question.spans(meant, query):
        run = query[span.first : span.last + 1]
        start, end = _with_signs(text, run[0].token.start, run[-1].token.end)
        group = _Group(start, end, text[start:end], run)
        group.rank(loaded, {item: norms[item] for item in span.items}, limit)
        groups.append(group)
    return _fill(loaded, groups, allowed, limit)


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


def _fill(
    loaded: Loaded, groups: Sequence[_Group], allowed: dict[int, str], limit: int
) -> tuple[ValueSpan, ...]:
    """Provenance for the best values of every span, in one statement.

    Values that occur in no allowed column fall away before the cut to `limit`: when the best ones
    do, all others are looked up too.
    """
    wanted = {item for group in groups for _, item, _ in group.ranked[:limit]}
    places = _places(loaded, wanted, allowed)
    short = [g for g in groups if len(g.ranked) > limit and _kept(g, places) < limit]
    if short:
        rest = {item for group in short for _, item, _ in group.ranked[limit:]}
        places |= _places(loaded, rest, allowed)
    spans = [_span(loaded, group, places, allowed, limit) for group in groups]
    return tuple(sorted((span for span in spans if span.hits), key=lambda span: span.start))


def _kept(group: _Group, places: dict[int, list[Occurrence]]) -> int:
    return sum(item in places for _, item, _ in group.ranked)


def _places(
    loaded: Loaded, items: set[int], allowed: dict[int, str]
) -> dict[int, list[Occurrence]]:
    found: dict[int, list[Occurrence]] = {}
    if items:
        for place in store.occurrences(loaded.index_id, items):
            if place.column_id in allowed:
                found.setdefault(place.item, []).append(place)
    return found


def _span(
    loaded: Loaded,
    group: _Group,
    places: dict[int, list[Occurrence]],
    allowed: dict[int, str],
    limit: int,
) -> ValueSpan:
    kept = [one for one in group.ranked if one[1] in places][:limit]
    written = _Written(group)
    hits = [
        ValueHit(
            column=allowed[place.column_id],
            value=place.raw,
            score=round(score * written.factor(place.raw), 2),
            match=written.match(place.raw, normal),
            rows=place.rows,
            indexed_at=loaded.indexed_at.get(place.column_id),
        )
        for score, item, normal in kept
        for place in places[item]
    ]
    hits.sort(
        key=lambda hit: (
            -hit.score,
            hit.match != "exact",
            len(hit.value),
            hit.value,
            -hit.rows,
            hit.column,
        )
    )
    return ValueSpan(
        text=group.text, start=group.start, end=group.end, hits=tuple(hits[:_HITS_MAX])
    )


class _Written:
    """The span as it was written, against a value as it is stored."""

    def __init__(self, group: _Group) -> None:
        self._text = group.text.strip()
        self._norm = norm(self._text)
        self._signs = signs(self._text)
        self._exact = [{w for w, s in word.matches.items() if s == 1.0} for word in group.words]

    def factor(self, raw: str) -> float:
        """A+ and A- share a normal form: the one with other signs is worth less."""
        if raw.casefold() == self._text.casefold() or signs(raw) == self._signs:
            return 1.0
        return _OTHER_SIGNS if norm(raw) == self._norm else 1.0

    def match(self, raw: str, normal: str) -> MatchType:
        if raw == self._text:
            return "exact"
        if normal == self._norm:
            return "normalised"
        if normal.replace(" ", "") == self._norm.replace(" ", ""):
            return "glued"
        held = set(normal.split(" "))
        return "token" if all(exact & held for exact in self._exact) else "fuzzy"
