"""Places that name stored values: codes, samples, values of the index."""

from __future__ import annotations

import re

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.tokens import fold, same
from thoth.analyst.linking.candidates import Candidate, Hit, Kind
from thoth.analyst.linking.phrases import name_clusters, repeated, words_of
from thoth.analyst.linking.places import US_STATES
from thoth.analyst.linking.schema_view import Code, ColumnView, SchemaView
from thoth.contracts.tools import ValueHit, ValueSearch

_SAME, _WHOLE, _PART = 0.95, 0.99, 0.5
_LEAST_PART = 0.5  # what the beginning of a meaning counts when it tells the code from its fellows
_CODE_WORDS_MAX = 6
_YES_NO = frozenset({"yes", "no", "si", "true", "false"})
_SMALL = frozenset(
    [
        "del",
        "dei",
        "della",
        "delle",
        "degli",
        "dal",
        "dalla",
        "con",
        "per",
        "the",
        "and",
        "for",
        "from",
        "with",
        "una",
        "uno",
        "gli",
        "durante",
        "during",
    ]
)


def code_hits(frame: Frame, column: ColumnView, usable: frozenset[int]) -> list[Hit]:
    hits = []
    for code in column.codes:
        for words, score in [(code.words, 1.0), *((alias, 0.95) for alias in code.aliases)]:
            hits += _phrase_hits(frame, column, code, words, score, usable)
    return hits


def sample_hits(frame: Frame, column: ColumnView, usable: frozenset[int]) -> list[Hit]:
    """The few values of a column, in another form of the word ("successful" for "success")."""
    sample = column.sample
    if (
        sample is None
        or sample.distinct is None
        or sample.distinct > 12
        or column.column.family != "text"
    ):
        return []
    hits = []
    for value in sample.values:
        hits += _letter_hits(frame, column, value)
        words = tuple(words_of(value))
        if not words or len(words) > 2 or len(words[0]) < 3:
            continue
        for start, end, got, _ in name_clusters(frame, words, usable):
            if len(got) == len(words) and min(got.values()) >= _SAME and start not in frame.stop:
                candidate = Candidate(
                    "value",
                    column.table,
                    column.column.name,
                    value,
                    score=0.9,
                    how="value",
                    method="normalised",
                )
                hits.append(Hit(start, end, candidate, 0.9 * len(got)))
    return hits


def _letter_hits(frame: Frame, column: ColumnView, value: str) -> list[Hit]:
    """ "a grade of A or C": a capital letter is a value where its column was just named."""
    if len(value) > 2 or not value.isupper():
        return []
    hits = []
    for token in frame.tokens:
        before = frame.tokens[max(0, token.index - 5) : token.index]
        if token.text == value and any(
            same(t.norm, w) for t in before for w in column.words if len(w) > 2
        ):
            candidate = Candidate(
                "value",
                column.table,
                column.column.name,
                value,
                score=1.0,
                how="value",
                method="exact",
            )
            hits.append(Hit(token.index, token.index + 1, candidate, 1.5))
    return hits


def _phrase_hits(
    frame: Frame,
    column: ColumnView,
    code: Code,
    words: tuple[str, ...],
    base: float,
    usable: frozenset[int],
) -> list[Hit]:
    wanted = telling(words)
    if not wanted or len(wanted) > _CODE_WORDS_MAX or set(words) <= _YES_NO:
        return []
    hits = []
    for first, end, got, _ in name_clusters(frame, wanted, usable):
        share = sum(got.values()) / len(wanted)
        if share < _WHOLE and not _begins(column, code, wanted, got):
            continue
        start = _with_small_words(frame, first, words, wanted)
        if all(i in frame.stop or (share < _WHOLE and i in frame.light) for i in range(start, end)):
            continue
        score = base * (share if share > _WHOLE else max(share, _LEAST_PART) * 0.85)
        kind: Kind = "flag" if column.boolean else "value"
        op = (
            {"true": "is_true", "false": "is_false"}.get(code.value, "=") if column.boolean else "="
        )
        candidate = Candidate(
            kind, column.table, column.column.name, code.value, op, score, "code", method="comment"
        )
        hits.append(Hit(start, end, candidate, score * len(got) + 0.02))
    return hits


def telling(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a meaning without the small ones, unless there are no others."""
    return tuple(w for w in words if len(w) > 2 and w not in _SMALL) or words


def _begins(column: ColumnView, code: Code, wanted: tuple[str, ...], got: dict[int, float]) -> bool:
    """Whether the meaning's first words were said, enough of them to tell the code from its fellows."""
    if 0 not in got or (len(wanted) > 3 and len(got) < 2):
        return False
    said = [wanted[p] for p in got]
    others = [telling(c.words) for c in column.codes if c.value != code.value]
    return not any(all(any(same(w, o) for o in other) for w in said) for other in others)


def _with_small_words(
    frame: Frame, start: int, words: tuple[str, ...], wanted: tuple[str, ...]
) -> int:
    """Take in the small words that a meaning begins with ("no-show")."""
    small = words[: words.index(wanted[0])]
    at = start
    for word in reversed(small):
        at -= 1
        while at > 0 and frame.tokens[at].text in ("-", "_"):
            at -= 1
        if at < 0 or frame.tokens[at].norm != word:
            return start
    return at


def value_hits(frame: Frame, schema: SchemaView, values: ValueSearch) -> list[Hit]:
    hits = []
    for span in values.spans:
        tokens = [
            t
            for t in frame.tokens
            if t.start < span.end and t.end > span.start and t.kind != "punct"
        ]
        if not tokens:
            continue
        start, end = tokens[0].index, tokens[-1].index + 1
        if all(t.index in frame.stop for t in tokens):
            continue
        places = [(start, end), *repeated(frame, start, end)]
        for hit in span.hits:
            found = [_value_hit(frame, schema, hit, s, e) for s, e in places]
            hits += [h for h in found if h]
    return hits


def _value_hit(frame: Frame, schema: SchemaView, hit: ValueHit, start: int, end: int) -> Hit | None:
    column = schema.column(hit.column)
    if column is None or column.column.identifying:
        return None
    said = " ".join(frame.tokens[i].norm for i in range(start, end))
    exact = fold(hit.value) == said
    score = min(hit.score, 100.0) / 100
    quoted = any(frame.tokens[i].kind == "quoted" for i in range(start, end))
    if len(said) < 3 and not quoted and frame.tokens[start].text != hit.value:
        return None
    whole = len(words_of(hit.value))
    partial = hit.match == "token" or (end - start) / max(whole, 1) < _PART
    if hit.match == "fuzzy" and end - start > 1:
        score *= 0.75  # other words stand between; a part of it may be meant alone
    if partial:
        score = min(score, 0.6)
    lone_everyday = end - start == 1 and start in (frame.stop | frame.light) and not quoted
    if lone_everyday:
        return None
    marked = frame.mark_at(start)
    if marked and end <= marked.end and not quoted:
        return None
    score += _direction(frame, column, start) + _said_in_comment(frame, schema, column, start, end)
    words = sum(1 for i in range(start, end) if i not in frame.stop) or 1
    strength = score * words + (0.3 if exact else 0) + (2.0 if quoted else 0)
    value = frame.words(start, end).strip("'\"`“”«»") if partial else hit.value
    candidate = Candidate("value", column.table, column.column.name, value, "contains" if partial else "=",
                          score, "value", hit.rows, hit.match)  # fmt: skip
    return Hit(start, end, candidate, strength)


_CUE = re.compile(r"[«\"“]([^»\"”]{3,40}?)\s+X[»\"”]")


def _said_in_comment(
    frame: Frame, schema: SchemaView, column: ColumnView, start: int, end: int
) -> float:
    """A comment that says for which wording a column is meant («Visits for X»), or names the value."""
    said = " ".join(t.norm for t in frame.tokens[max(0, start - 3) : start] if t.kind == "word")
    comments = [column.column.comment, *_pointing_comments(schema, column.table)]
    for comment in comments:
        for cue in _CUE.findall(comment):
            words = words_of(cue)
            tail = said.split()[-len(words) :]
            if len(tail) == len(words) and all(
                same(a, b) for a, b in zip(words, tail, strict=True)
            ):
                return 0.5
    value = " ".join(frame.tokens[i].norm for i in range(start, end))
    return 0.15 if f" {value} " in f" {' '.join(words_of(column.column.comment))} " else 0.0


def _pointing_comments(schema: SchemaView, table: str) -> list[str]:
    """Comments of the foreign keys that lead to the table."""
    return [
        view.columns[name].column.comment
        for view in schema.tables.values()
        for key in view.table.foreign_keys
        if key.ref_table == table
        for name in key.columns
        if name in view.columns
    ]


_DIRECTIONS = frozenset({"from", "to", "da", "a", "at"})


def _direction(frame: Frame, column: ColumnView, start: int) -> float:
    """ "from LAX" means the column that says "from"; one that says "to" is then unlikely."""
    own = _DIRECTIONS & set(column.words)
    for index in range(start - 1, max(-1, start - 6), -1):
        norm = frame.tokens[index].norm
        if norm in _DIRECTIONS:
            return 0.35 if norm in own else (-0.35 if own else 0.0)
        if norm in (",", "and", "or", "?", "."):
            break
    return 0.0


def place_hits(frame: Frame, schema: SchemaView) -> list[Hit]:
    """ "California" where a state column holds two-letter codes."""
    hits = []
    columns = [
        c for c in schema.columns if "state" in c.words and c.sample and c.column.family == "text"
    ]
    for token in frame.tokens:
        for length in (2, 1):
            words = " ".join(t.norm for t in frame.tokens[token.index : token.index + length])
            code = US_STATES.get(words)
            for column in columns if code else ():
                if column.sample and any(len(v) == 2 and v.isupper() for v in column.sample.values):
                    candidate = Candidate(
                        "value",
                        column.table,
                        column.column.name,
                        code,
                        score=0.9,
                        how="synonym",
                        method="synonym",
                    )
                    hits.append(
                        Hit(token.index, token.index + length, candidate, 0.9 * length + 0.2)
                    )
    return hits
