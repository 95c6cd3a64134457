"""Which places of the question may name which table, column, value, or flag."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.tokens import fold, same, stems
from thoth.analyst.linking.formulas import AGE, birth_dates, definitions, distinctive
from thoth.analyst.linking.places import US_STATES
from thoth.analyst.linking.schema_view import Code, ColumnView, SchemaView, TableView
from thoth.analyst.linking.vocabulary import is_generic, similarity
from thoth.contracts.tools import ValueHit, ValueSearch

Kind = Literal["table", "column", "value", "flag", "formula", "none"]
How = Literal["name", "comment", "value", "code", "synonym"]


@dataclass(frozen=True)
class Candidate:
    """One reading of a place. `value`/`op` are the condition of a value or flag."""

    kind: Kind
    table: str
    column: str | None = None
    value: str | None = None
    op: str = "="
    score: float = 0.0
    how: How = "name"
    rows: int = 0
    method: str = ""
    formula: str | None = None  # sql of a calculated concept
    full: bool = True  # every word of the name was said

    @property
    def target(self) -> str:
        """`schema.table` or `schema.table.column`."""
        return f"{self.table}.{self.column}" if self.column else self.table

    @property
    def key(self) -> str:
        """Stable name of this reading."""
        parts = [
            self.kind,
            self.target,
            self.op if self.value is not None else "",
            self.value or self.formula or "",
        ]
        return "|".join(parts)


@dataclass(frozen=True)
class Mention:
    """Tokens [start, end) and how they may be read, best first."""

    start: int
    end: int
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


@dataclass(frozen=True)
class _Hit:
    start: int
    end: int
    candidate: Candidate
    strength: float


_MAX_CANDIDATES = 10
_SEGMENTATIONS_MAX = 3


def find_mentions(frame: Frame, schema: SchemaView, values: ValueSearch) -> tuple[Mention, ...]:
    """Non-overlapping mentions in question order; the strongest places win."""
    return segmentations(frame, schema, values)[0]


def segmentations(
    frame: Frame, schema: SchemaView, values: ValueSearch
) -> tuple[tuple[Mention, ...], ...]:
    """The mentions with the strongest places first, then with a contested long value taken apart."""
    usable = _usable(frame)
    hits = [h for table in schema.tables.values() for h in _table_hits(frame, table, usable)]
    for column in schema.columns:
        hits += _column_hits(frame, column, schema.tables[column.table], usable)
        hits += _code_hits(frame, column, usable)
        hits += _sample_hits(frame, column, usable)
    hits = _without_table_names(frame, schema, hits)
    hits += _counted_hits(frame, schema, usable)
    hits += _formula_hits(frame, schema, usable)
    hits += _value_hits(frame, schema, values)
    hits += _place_hits(frame, schema)
    ways = [_select(frame, hits)]
    for mention in ways[0]:
        if mention.end - mention.start > 1 and mention.best.kind == "value" and not _quoted(frame, mention):
            inner = [h for h in hits if not (h.start <= mention.start and h.end >= mention.end and h.candidate.kind == "value")]
            other = _select(frame, inner)
            if other not in ways and len(ways) < _SEGMENTATIONS_MAX:
                ways.append(other)
    return tuple(with_silent(frame, schema, way) for way in ways)


def _quoted(frame: Frame, mention: Mention) -> bool:
    return any(frame.tokens[i].kind == "quoted" for i in range(mention.start, mention.end))


def _without_table_names(frame: Frame, schema: SchemaView, hits: list[_Hit]) -> list[_Hit]:
    """A word that is the whole name of a table speaks of a column that has more words only weakly."""
    tables = {
        (h.start, h.end): h.candidate.table
        for h in hits
        if h.candidate.kind == "table" and h.candidate.score >= 0.85
    }
    result = []
    for hit in hits:
        other = tables.get((hit.start, hit.end))
        if (
            hit.candidate.kind in ("column", "flag")
            and not hit.candidate.full
            and other not in (None, hit.candidate.table)
        ):
            hit = replace(
                hit,
                candidate=replace(hit.candidate, score=hit.candidate.score - 0.4),
                strength=hit.strength * 0.6,
            )  # noqa: PLW2901
        result.append(hit)
    return result


def _formula_hits(frame: Frame, schema: SchemaView, usable: frozenset[int]) -> list[_Hit]:
    """Names of calculated concepts that comments define, and ages of people with a birth date."""
    hits = []
    for item in definitions(schema):
        candidate = Candidate("formula", item.table, None, item.name, formula=item.sql, how="comment", score=1.1)
        for words in item.aliases:
            for start, end, got, _ in _name_clusters(frame, words, usable):
                if len(got) == len(words):
                    hits.append(_Hit(start, end, candidate, 1.3 * len(words)))
        names = distinctive(item)
        for start, end, got, _ in _name_clusters(frame, names, usable) if names else ():
            share = sum(got.values()) / len(names)
            hits.append(_Hit(start, end, replace(candidate, score=0.55 + 0.5 * share), 0.6 + share * len(got)))
    for birth in birth_dates(schema):
        candidate = Candidate("formula", birth.table, None, AGE, formula=birth.full, how="synonym", score=1.0)
        for token in frame.tokens:
            if token.norm in ("age", "ages", "eta") and token.index in usable:
                hits.append(_Hit(token.index, token.index + 1, candidate, 1.0))
    return hits


_COUNTED = re.compile(
    r"^(?:the )?(?:total )?(?:number|numero|count)(?: totale)? (?:of|di|dei|delle|degli) "
)


def _counted_hits(frame: Frame, schema: SchemaView, usable: frozenset[int]) -> list[_Hit]:
    """ "number of students who found …": a column whose comment says that it is that number."""
    hits = []
    columns = [c for c in schema.columns if c.numeric and _COUNTED.match(fold(c.column.comment))]
    for mark in frame.marks:
        if mark.kind != "count" or not columns:
            continue
        end = _clause_end(frame, mark.end)
        words = [i for i in range(mark.end, end) if i in frame.content or i in frame.light]
        for column in columns:
            names = [w for w in column.words if not is_generic(w)]
            said = [i for i in words if any(same(frame.tokens[i].norm, w) for w in names)]
            known = [i for i in words if frame.tokens[i].stems & column.comment_stems or i in said]
            if said and len(words) > 1 and all(i in known or i in frame.light for i in words):
                candidate = Candidate(
                    "column", column.table, column.column.name, score=1.2, how="comment"
                )
                hits.append(_Hit(words[0], words[-1] + 1, candidate, 1.2 * len(words) + len(said)))
    return hits


def _clause_end(frame: Frame, start: int) -> int:
    """Where the counted thing ends: at a grouping, a comma, the other side of a ratio."""
    ratio = any(m.kind == "ratio" for m in frame.marks)
    stops = ("to", "per") if ratio else ("per",)
    for index in range(start, len(frame.tokens)):
        mark = frame.mark_at(index)
        if (
            mark
            and mark.start == index
            and mark.kind
            in (
                "group",
                "order",
                "desc",
                "asc",
                "count",
                "yearly",
                "monthly",
                "out_of",
                "exist",
                "neg",
            )
        ):
            return index
        if frame.tokens[index].norm in (",", "?", ".", *stops) or any(
            index in r for _, r in frame.periods
        ):
            return index
    return len(frame.tokens)


def _usable(frame: Frame) -> frozenset[int]:
    """Tokens that may be part of a name: content, light words, and words inside some phrases."""
    inside = {i for _, r in frame.periods for i in r}
    soft = {"count_after", "super_desc", "super_asc", "order", "named", "rate", "min", "max", "sum", "diff",
            "daily", "monthly", "yearly", "weekly", "avg", "lt", "gt", "light", "list", "count", "within",
            "readmitted", "distinct", "percent", "again", "contains", "weekdayly", "started"}  # fmt: skip
    marked = {i for m in frame.marks if m.kind not in soft for i in range(m.start, m.end)}
    return frozenset(
        t.index for t in frame.tokens
        if t.kind in ("word", "quoted", "number") and t.index not in inside and t.index not in marked
    )  # fmt: skip


def _name_clusters(
    frame: Frame, words: tuple[str, ...], usable: frozenset[int]
) -> list[tuple[int, int, dict[int, float], set[int]]]:
    """Places where words of a name stand together: (start, end, name word -> similarity, tokens)."""
    matched: list[tuple[int, int, float]] = []  # token, name word, similarity
    for token in frame.tokens:
        if token.index not in usable or token.kind == "quoted":
            continue
        in_stop = token.index in frame.stop
        for position, word in enumerate(words):
            score = similarity(token.norm, word)
            if in_stop and token.norm != word:
                score = 0.0
            if score:
                matched.append((token.index, position, score))
    clusters: list[tuple[int, int, dict[int, float], set[int]]] = []
    for index, position, score in matched:
        last = clusters[-1] if clusters else None
        if last and index - last[1] <= _gap(frame, last[1], index) and position not in last[2]:
            last[2][position] = score
            last[3].add(index)
            clusters[-1] = (last[0], index + 1, last[2], last[3])
        elif last and index < last[1]:
            last[2].setdefault(position, score)
        else:
            clusters.append((index, index + 1, {position: score}, {index}))
    return clusters


def _gap(frame: Frame, end: int, index: int) -> int:
    """How far the next word of a name may stand: only over words like "of the"."""
    between = range(end, index)
    joins = {
        "of",
        "the",
        "di",
        "del",
        "della",
        "dei",
        "delle",
        "degli",
        "da",
        "for",
        "to",
        "a",
        "s",
    }
    return (
        len(between)
        if all(frame.tokens[i].norm in joins or frame.tokens[i].text in ("-", "_") for i in between)
        and len(between) <= 2
        else 0
    )


def _glued(frame: Frame, words: tuple[str, ...], usable: frozenset[int]) -> list[tuple[int, int]]:
    """Places where the question's words, written together, are the name (`first name`, `firstname`)."""
    name = "".join(words)
    found = []
    for start in range(len(frame.tokens)):
        text = ""
        for end in range(start, min(start + 4, len(frame.tokens))):
            if end not in usable and frame.tokens[end].text not in ("-", "_"):
                break
            text += frame.tokens[end].norm.strip("_-")
            if text in (name, name + "s") and (
                end > start or len(words) > 1 or "_" in frame.tokens[end].norm
            ):
                found.append((start, end + 1))
    return found


def _weight(word: str, own: frozenset[str]) -> float:
    if is_generic(word):
        return 0.45
    return 0.3 if stems(word) & own else 1.0


def _table_hits(frame: Frame, table: TableView, usable: frozenset[int]) -> list[_Hit]:
    hits = []
    own: frozenset[str] = frozenset()
    total = sum(_weight(w, own) for w in table.words)
    for start, end, got, _ in _name_clusters(frame, table.words, usable):
        share = sum(_weight(table.words[p], own) * s for p, s in got.items()) / total
        if share < 0.5 or not any(not is_generic(table.words[p]) for p in got):
            continue
        full = len(got) == len(table.words)
        score = share if full else share * 0.7
        hits.append(
            _Hit(
                start, end, Candidate("table", table.full, score=score, full=full), score * len(got)
            )
        )
    for start, end in _glued(frame, table.words, usable):
        hits.append(
            _Hit(start, end, Candidate("table", table.full, score=1.0), len(table.words) + 0.1)
        )
    return hits


def _column_hits(
    frame: Frame, column: ColumnView, table: TableView, usable: frozenset[int]
) -> list[_Hit]:
    own = frozenset(s for w in table.words for s in stems(w))
    words = column.words
    bare = all(is_generic(w) or stems(w) & own for w in words)
    weights = [0.1 if bare and stems(w) & own else _weight(w, own) for w in words]
    total = sum(weights) or 1.0
    hits = []
    for start, end, got, tokens in _name_clusters(frame, words, usable):
        start, end, extra = _with_table_word(frame, start, end, table, usable)
        share = sum(weights[p] * s for p, s in got.items()) / total
        informative = any(not is_generic(words[p]) and not stems(words[p]) & own for p in got)
        lone = len(words) == 1 or bare
        if not informative and not lone:
            continue
        if share < 0.35:
            continue
        if (
            words[0] in ("num", "number")
            and 0 not in got
            and len(words) > 1
            and not _counts_before(frame, start)
        ):
            share *= 0.6  # "semester" is hardly the number of semesters
        full = len(got) == len(words)
        missing = [words[p] for p in range(len(words)) if p not in got]
        score = (
            share
            if full
            else share * (1.0 if all(is_generic(w) or stems(w) & own for w in missing) else 0.75)
        )
        start, end, bonus = _widened(frame, column, start, end)
        score += bonus
        if lone and is_generic(words[-1]) and not extra and len(got) == 1:
            score *= 0.7  # a bare "name" or "id" leans on what stands near
        if _preceded(frame, start, words):
            score += 0.1
        hits.append(_Hit(start, end, Candidate("column", table.full, column.column.name, score=min(score + extra, 1.2), full=full),
                         (score + extra) * (len(got) + (0.5 if extra else 0))))  # fmt: skip
    if len(words) == 2:
        for start in _shared_noun(frame, words):
            hits.append(
                _Hit(
                    start,
                    start + 1,
                    Candidate("column", table.full, column.column.name, score=1.0),
                    1.4,
                )
            )
    for start, end in _glued(frame, words, usable):
        hits.append(_Hit(start, end, Candidate("column", table.full, column.column.name, score=1.1),
                         1.1 * (end - start if end - start > 1 else len(words))))  # fmt: skip
    if column.boolean:
        return _flag_hits(hits, column)
    return [*hits, *_yes_hits(hits, column)]


def _with_table_word(
    frame: Frame, start: int, end: int, table: TableView, usable: frozenset[int]
) -> tuple[int, int, float]:
    """Take in the table's own word beside the column's ("city name", "rating of the restaurant")."""
    own = set(table.words)
    before, after = start - 1, end
    if (
        before in usable
        and frame.language == "en"
        and any(similarity(frame.tokens[before].norm, w) for w in own if len(w) > 2)
        and frame.tokens[before].kind == "word"
    ):
        return before, end, 0.15
    while after < len(frame.tokens) and frame.tokens[after].norm in (
        "of",
        "the",
        "di",
        "del",
        "della",
        "dei",
        "delle",
    ):
        after += 1
    return start, end, 0.0


def _counts_before(frame: Frame, start: int) -> bool:
    marks = [
        m
        for m in frame.marks
        if m.end <= start
        and m.kind in ("count", "sum", "avg", "super_desc", "super_asc", "max", "min", "ratio")
    ]
    return any(start - m.end <= 3 for m in marks)


def _shared_noun(frame: Frame, words: tuple[str, ...]) -> list[int]:
    """ "first and last name": the first word shares the noun of the second."""
    found = []
    for token in frame.tokens[:-3]:
        following = frame.tokens[token.index + 1 : token.index + 4]
        if (
            token.norm == words[0]
            and following[0].norm in ("and", "or", "e", "o")
            and same(following[2].norm, words[1])
        ):
            found.append(token.index)
    return found


def _widened(frame: Frame, column: ColumnView, start: int, end: int) -> tuple[int, int, float]:
    """Take in the neighbour that the column's comment says right beside it ("population density")."""
    comment = " ".join(_words(column.column.comment))
    if start > 0 and frame.tokens[start - 1].kind == "word" and start - 1 in frame.content:
        if f" {frame.tokens[start - 1].norm} {frame.tokens[start].norm} " in f" {comment} ":
            return start - 1, end, 0.1
    return start, end, 0.0


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(text))


def _preceded(frame: Frame, start: int, words: tuple[str, ...]) -> bool:
    return start > 0 and frame.tokens[start - 1].norm in words


def _flag_hits(hits: list[_Hit], column: ColumnView) -> list[_Hit]:
    """A boolean column that is named is a condition."""
    return [
        replace(
            h, candidate=replace(h.candidate, kind="flag", op="is_true"), strength=h.strength + 0.05
        )
        for h in hits
    ]


_YES, _NO = frozenset({"yes", "y", "si", "s", "true"}), frozenset({"no", "n", "false"})


def _yes_hits(hits: list[_Hit], column: ColumnView) -> list[_Hit]:
    """A text column that only says yes or no is a condition as well."""
    values = column.sample.values if column.sample else ()
    yes = next((v for v in values if fold(v) in _YES), None)
    if yes is None or not {fold(v) for v in values} <= _YES | _NO:
        return []
    return [
        replace(
            h,
            candidate=replace(h.candidate, kind="value", value=yes, how="name", method="flag"),
            strength=h.strength + 0.05,
        )
        for h in hits
        if h.candidate.score >= 0.5
    ]


def _code_hits(frame: Frame, column: ColumnView, usable: frozenset[int]) -> list[_Hit]:
    hits = []
    for code in column.codes:
        for words, score in [(code.words, 1.0), *((alias, 0.95) for alias in code.aliases)]:
            hits += _phrase_hits(frame, column, code, words, score, usable)
    return hits


def _sample_hits(frame: Frame, column: ColumnView, usable: frozenset[int]) -> list[_Hit]:
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
        words = tuple(_words(value))
        if not words or len(words) > 2 or len(words[0]) < 3:
            continue
        for start, end, got, _ in _name_clusters(frame, words, usable):
            if len(got) == len(words) and min(got.values()) >= 0.95 and start not in frame.stop:
                candidate = Candidate(
                    "value",
                    column.table,
                    column.column.name,
                    value,
                    score=0.9,
                    how="value",
                    method="normalised",
                )
                hits.append(_Hit(start, end, candidate, 0.9 * len(got)))
    return hits


def _letter_hits(frame: Frame, column: ColumnView, value: str) -> list[_Hit]:
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
            hits.append(_Hit(token.index, token.index + 1, candidate, 1.5))
    return hits


def _phrase_hits(
    frame: Frame,
    column: ColumnView,
    code: Code,
    words: tuple[str, ...],
    base: float,
    usable: frozenset[int],
) -> list[_Hit]:
    wanted = [w for w in words if len(w) > 2 or len(words) == 1]
    if not wanted or len(wanted) > 5:
        return []
    hits = []
    for start, end, got, _ in _name_clusters(frame, tuple(wanted), usable):
        share = sum(got.values()) / len(wanted)
        if share < 0.99 and (0 not in got or len(wanted) > 3 or share < 0.4):
            continue
        if all(i in frame.stop or (share < 0.99 and i in frame.light) for i in range(start, end)):
            continue
        score = base * (share if share > 0.99 else share * 0.85)
        kind: Kind = "flag" if column.boolean else "value"
        op = (
            {"true": "is_true", "false": "is_false"}.get(code.value, "=") if column.boolean else "="
        )
        candidate = Candidate(
            kind, column.table, column.column.name, code.value, op, score, "code", method="comment"
        )
        hits.append(_Hit(start, end, candidate, score * len(got) + 0.02))
    return hits


def _repeated(frame: Frame, start: int, end: int) -> list[tuple[int, int]]:
    """Other places of the question where the same words stand."""
    words = [t.norm for t in frame.tokens[start:end]]
    return [
        (i, i + len(words))
        for i in range(len(frame.tokens) - len(words) + 1)
        if i != start and [t.norm for t in frame.tokens[i : i + len(words)]] == words
    ]


def _value_hits(frame: Frame, schema: SchemaView, values: ValueSearch) -> list[_Hit]:
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
        places = [(start, end), *_repeated(frame, start, end)]
        for hit in span.hits:
            found = [_value_hit(frame, schema, hit, s, e) for s, e in places]
            hits += [h for h in found if h]
    return hits


def _value_hit(
    frame: Frame, schema: SchemaView, hit: ValueHit, start: int, end: int
) -> _Hit | None:
    column = schema.column(hit.column)
    if column is None or column.column.identifying:
        return None
    said = " ".join(frame.tokens[i].norm for i in range(start, end))
    exact = fold(hit.value) == said
    score = min(hit.score, 100.0) / 100
    quoted = any(frame.tokens[i].kind == "quoted" for i in range(start, end))
    if len(said) < 3 and not quoted and frame.tokens[start].text != hit.value:
        return None
    whole = len(_words(hit.value))
    partial = hit.match == "token" or (end - start) / max(whole, 1) < 0.5  # noqa: PLR2004
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
    return _Hit(start, end, candidate, strength)


_CUE = re.compile(r"[«\"“]([^»\"”]{3,40}?)\s+X[»\"”]")


def _said_in_comment(frame: Frame, schema: SchemaView, column: ColumnView, start: int, end: int) -> float:
    """A comment that says for which wording a column is meant («Visits for X»), or names the value."""
    said = " ".join(t.norm for t in frame.tokens[max(0, start - 3) : start] if t.kind == "word")
    comments = [column.column.comment, *_pointing_comments(schema, column.table)]
    for comment in comments:
        for cue in _CUE.findall(comment):
            words = _words(cue)
            tail = said.split()[-len(words) :]
            if len(tail) == len(words) and all(same(a, b) for a, b in zip(words, tail, strict=True)):
                return 0.5
    value = " ".join(frame.tokens[i].norm for i in range(start, end))
    return 0.15 if f" {value} " in f" {' '.join(_words(column.column.comment))} " else 0.0


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


def _place_hits(frame: Frame, schema: SchemaView) -> list[_Hit]:
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
                        _Hit(token.index, token.index + length, candidate, 0.9 * length + 0.2)
                    )
    return hits


def _select(frame: Frame, hits: list[_Hit]) -> tuple[Mention, ...]:
    """Strongest places first; weaker readings of the same words stay as alternatives."""
    hits = sorted(hits, key=lambda h: (-h.strength, h.start, h.candidate.key))
    chosen: list[tuple[int, int]] = []
    for hit in hits:
        if all(hit.end <= s or hit.start >= e for s, e in chosen):
            if hit.candidate.score >= 0.4 and _says_something(frame, hit):
                chosen.append((hit.start, hit.end))
    mentions = []
    for start, end in sorted(chosen):
        inside = [
            h for h in hits if h.start >= start and h.end <= end and _covers(frame, h, start, end)
        ]
        best: dict[str, Candidate] = {}
        for hit in inside:
            share = (hit.end - hit.start) / (end - start)
            if share < 1:
                hit = replace(
                    hit,
                    candidate=replace(
                        hit.candidate, score=hit.candidate.score * (0.55 + 0.45 * share)
                    ),
                )  # noqa: PLW2901
            current = best.get(hit.candidate.key)
            if current is None or hit.candidate.score > current.score:
                best[hit.candidate.key] = hit.candidate
        ranked = sorted(best.values(), key=lambda c: (-c.score, c.key))
        if ranked:
            mentions.append(Mention(start, end, tuple(ranked[:_MAX_CANDIDATES])))
    return tuple(mentions)


NONE = Candidate("none", "", score=0.4)


def with_silent(
    frame: Frame, schema: SchemaView, mentions: tuple[Mention, ...]
) -> tuple[Mention, ...]:
    """Add the reading "says nothing of its own" where a word is empty or a comment explains it."""
    result = []
    for position, mention in enumerate(mentions):
        if _explained_in_parentheses(frame, mention, mentions[position + 1 : position + 2]):
            result.append(
                Mention(mention.start, mention.end, (replace(NONE, score=0.9, value="alias"),))
            )
            continue
        others = [c for i, m in enumerate(mentions) if i != position for c in m.candidates]
        if (
            mention.best.kind == "value"
            and mention.best.method == "exact"
            and mention.end - mention.start == 1
            and frame.tokens[mention.start].text.isupper()
        ):
            result.append(mention)
        elif _empty(frame, mention) or _commented(frame, schema, mention, others):
            light = _empty(frame, mention)
            lowered = tuple(
                replace(c, score=min(c.score, 0.5)) if light and c.kind in ("value", "table") else c
                for c in mention.candidates
            )
            result.append(Mention(mention.start, mention.end, (*lowered, NONE)))
        else:
            result.append(mention)
    return tuple(result)


def _explained_in_parentheses(
    frame: Frame, mention: Mention, following: tuple[Mention, ...]
) -> bool:
    """ "Los Angeles (LAX)": the code says it again, more exactly."""
    if not following or mention.best.kind != "value" or following[0].best.kind != "value":
        return False
    other = following[0]
    inside = frame.tokens[mention.end].text == "(" and other.start == mention.end + 1
    return inside and other.end < len(frame.tokens) and frame.tokens[other.end].text == ")"


_ASKED = frozenset({"name", "names", "nome", "nomi", "id", "ids"})


def _empty(frame: Frame, mention: Mention) -> bool:
    if any(frame.tokens[i].norm in _ASKED for i in range(mention.start, mention.end)):
        return False
    places = range(mention.start, mention.end)
    return all(i in frame.stop or i in frame.light or frame.mark_at(i) for i in places)


def _commented(frame: Frame, schema: SchemaView, mention: Mention, others: list[Candidate]) -> bool:
    words = [t for t in frame.tokens[mention.start : mention.end] if t.index in frame.content]
    after_rank = any(
        m.end >= mention.start - 1 and m.start < mention.start and m.kind.startswith("super")
        for m in frame.marks
    )
    if not words or after_rank or any(t.kind == "quoted" for t in words):
        return False
    for other in others:
        view = (
            schema.column(other.target)
            if other.column and other.kind in ("column", "flag", "formula")
            else None
        )
        if (
            view is not None
            and (view.numeric or view.boolean)
            and not view.is_key_like
            and all(t.stems & view.comment_stems for t in words)
        ):
            return True
    return False


def _says_something(frame: Frame, hit: _Hit) -> bool:
    """Not only words that are analytic phrases by themselves."""
    places = range(hit.start, hit.end)
    if all(i in frame.stop for i in places):
        return hit.candidate.kind == "value" and frame.tokens[hit.start].text.isupper()
    if all(frame.mark_at(i) or i in frame.stop for i in places):
        marks = {m.kind for i in places if (m := frame.mark_at(i))}
        return (
            hit.candidate.kind == "column"
            and hit.candidate.full
            and bool(
                marks
                <= {
                    "max",
                    "min",
                    "sum",
                    "daily",
                    "monthly",
                    "yearly",
                    "diff",
                    "count_after",
                    "rate",
                    "super_asc",
                    "super_desc",
                }
            )
            and (
                len(places) > 1
                or frame.tokens[min(hit.end, len(frame.tokens) - 1)].norm in ("and", "e")
            )
        )
    return True


def _covers(frame: Frame, hit: _Hit, start: int, end: int) -> bool:
    """Whether the words of the place that the hit leaves out are empty ones."""
    left_out = [i for i in range(start, end) if not hit.start <= i < hit.end]
    return all(i in frame.stop or i in frame.light or frame.mark_at(i) for i in left_out)
