"""Places that name tables, columns, flags and calculated concepts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.tokens import fold, same, stems
from thoth.analyst.linking.ages import age_places
from thoth.analyst.linking.candidates import Candidate, Hit
from thoth.analyst.linking.formulas import AGE, Definition, birth_dates, definitions, distinctive
from thoth.analyst.linking.phrases import clause_end, glued, name_clusters, weight, words_of
from thoth.analyst.linking.schema_view import ColumnView, SchemaView, TableView
from thoth.analyst.linking.vocabulary import SYNONYM, is_generic, similarity


def table_hits(frame: Frame, table: TableView, usable: frozenset[int]) -> list[Hit]:
    hits = []
    own: frozenset[str] = frozenset()
    total = sum(weight(w, own) for w in table.words)
    for start, end, got, _ in name_clusters(frame, table.words, usable):
        share = sum(weight(table.words[p], own) * s for p, s in got.items()) / total
        if share < HALF or not any(not is_generic(table.words[p]) for p in got):
            continue
        full = len(got) == len(table.words)
        score = share if full else share * 0.7
        hits.append(
            Hit(
                start, end, Candidate("table", table.full, score=score, full=full), score * len(got)
            )
        )
    for start, end in glued(frame, table.words, usable):
        hits.append(
            Hit(start, end, Candidate("table", table.full, score=1.0), len(table.words) + 0.1)
        )
    return hits


@dataclass(frozen=True)
class _Name:
    """The words of a column's name and how much each says. `bare`: all are generic or the table's."""

    column: ColumnView
    table: TableView
    own: frozenset[str]
    bare: bool
    weights: tuple[float, ...]

    @classmethod
    def of(cls, column: ColumnView, table: TableView) -> _Name:
        own = frozenset(s for w in table.words for s in stems(w))
        bare = all(is_generic(w) or stems(w) & own for w in column.words)
        weights = [
            _NEARLY_NOTHING if bare and stems(w) & own else weight(w, own) for w in column.words
        ]
        return cls(column, table, own, bare, tuple(weights))

    def share(self, got: dict[int, float]) -> float:
        """How much of the name was said; 0 when nothing of it is telling."""
        words = self.column.words
        telling = any(not is_generic(words[p]) and not stems(words[p]) & self.own for p in got)
        if not telling and not self.bare and len(words) > 1:
            return 0.0
        return sum(self.weights[p] * s for p, s in got.items()) / (sum(self.weights) or 1.0)

    def score(self, share: float, got: dict[int, float]) -> float:
        """Less when a telling word of the name was left out."""
        missing = [w for p, w in enumerate(self.column.words) if p not in got]
        empty = all(is_generic(w) or stems(w) & self.own for w in missing)
        return share if empty else share * 0.75


HALF = 0.5
_NEARLY_NOTHING, _LEAST_SHARE, _BEST = 0.1, 0.35, 1.2


def column_hits(
    frame: Frame, column: ColumnView, table: TableView, usable: frozenset[int]
) -> list[Hit]:
    """Places that say a column's name, whole or in part, in words or written together."""
    name = _Name.of(column, table)
    clusters = name_clusters(frame, column.words, usable)
    found = [_column_hit(frame, name, cluster[:3], usable) for cluster in clusters]
    hits = [hit for hit in found if hit is not None]
    sure = Candidate("column", table.full, column.column.name, score=1.0)
    if len(column.words) == 2:
        hits += [Hit(start, start + 1, sure, 1.4) for start in _shared_noun(frame, column.words)]
    for start, end in glued(frame, column.words, usable):
        size = end - start if end - start > 1 else len(column.words)
        hits.append(Hit(start, end, replace(sure, score=1.1), 1.1 * size))
    return _flag_hits(hits) if column.boolean else [*hits, *_yes_hits(hits, column)]


def _column_hit(
    frame: Frame, name: _Name, cluster: tuple[int, int, dict[int, float]], usable: frozenset[int]
) -> Hit | None:
    start, end, extra = _with_table_word(frame, cluster[0], cluster[1], name.table, usable)
    got, words = cluster[2], name.column.words
    share = name.share(got)
    if share < _LEAST_SHARE:
        return None
    if words[0] in ("num", "number") and 0 not in got and not _counts_before(frame, start):
        share *= 0.6  # "semester" is hardly the number of semesters
    start, end, bonus = _widened(frame, name.column, start, end)
    score = name.score(share, got) + bonus
    if (name.bare or len(words) == 1) and is_generic(words[-1]) and not extra and len(got) == 1:
        score *= 0.7  # a bare "name" or "id" leans on what stands near
    if _preceded(frame, start, words):
        score += 0.1
    candidate = Candidate(
        "column", name.table.full, name.column.column.name,
        score=min(score + extra, _BEST), full=len(got) == len(words),
    )  # fmt: skip
    return Hit(start, end, candidate, (score + extra) * (len(got) + (0.5 if extra else 0)))


def _widened(frame: Frame, column: ColumnView, start: int, end: int) -> tuple[int, int, float]:
    """Take in the neighbour that the column's comment says right beside it ("population density")."""
    comment = " ".join(words_of(column.column.comment))
    if start == 0 or start - 1 not in frame.content or frame.tokens[start - 1].kind != "word":
        return start, end, 0.0
    pair = f" {frame.tokens[start - 1].norm} {frame.tokens[start].norm} "
    return (start - 1, end, 0.1) if pair in f" {comment} " else (start, end, 0.0)


def _preceded(frame: Frame, start: int, words: tuple[str, ...]) -> bool:
    return start > 0 and frame.tokens[start - 1].norm in words


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


def _flag_hits(hits: list[Hit]) -> list[Hit]:
    """A boolean column that is named is a condition."""
    return [
        replace(
            h, candidate=replace(h.candidate, kind="flag", op="is_true"), strength=h.strength + 0.05
        )
        for h in hits
    ]


_YES, _NO = frozenset({"yes", "y", "si", "s", "true"}), frozenset({"no", "n", "false"})


def _yes_hits(hits: list[Hit], column: ColumnView) -> list[Hit]:
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
        if h.candidate.score >= HALF
    ]


def without_table_names(hits: list[Hit]) -> list[Hit]:
    """A word that is the whole name of a table speaks of a column that has more words only weakly."""
    tables = {
        (h.start, h.end): h.candidate.table
        for h in hits
        if h.candidate.kind == "table" and h.candidate.score >= SYNONYM
    }
    result = []
    for found in hits:
        hit = found
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
            )
        result.append(hit)
    return result


_COUNTED = re.compile(
    r"^(?:the )?(?:total )?(?:number|numero|count)(?: totale)? (?:of|di|dei|delle|degli) "
)


def counted_hits(frame: Frame, schema: SchemaView) -> list[Hit]:
    """ "number of students who found …": a column whose comment says that it is that number."""
    hits = []
    columns = [c for c in schema.columns if c.numeric and _COUNTED.match(fold(c.column.comment))]
    for mark in frame.marks:
        if mark.kind != "count" or not columns:
            continue
        end = clause_end(frame, mark.end)
        words = [i for i in range(mark.end, end) if i in frame.content or i in frame.light]
        for column in columns:
            names = [w for w in column.words if not is_generic(w)]
            said = [i for i in words if any(same(frame.tokens[i].norm, w) for w in names)]
            known = [i for i in words if frame.tokens[i].stems & column.comment_stems or i in said]
            if said and len(words) > 1 and all(i in known or i in frame.light for i in words):
                candidate = Candidate(
                    "column", column.table, column.column.name, score=1.2, how="comment"
                )
                hits.append(Hit(words[0], words[-1] + 1, candidate, 1.2 * len(words) + len(said)))
    return hits


def formula_hits(frame: Frame, schema: SchemaView, usable: frozenset[int]) -> list[Hit]:
    """Names of calculated concepts that comments define, and ages of people with a birth date."""
    hits = [h for item in definitions(schema) for h in _definition_hits(frame, item, usable)]
    ages = [t.index for t in frame.tokens if t.norm in ("age", "ages", "eta") and t.index in usable]
    for column in schema.columns:
        if column.numeric and {"age", "eta"} & set(column.words):
            stored = Candidate("column", column.table, column.column.name, score=1.1, how="synonym")
            hits += [Hit(index, index + 1, stored, 1.7) for index in age_places(frame)]
    ages += age_places(frame)
    for birth in birth_dates(schema):
        age = Candidate(
            "formula", birth.table, None, AGE, formula=birth.full, how="synonym", score=1.0
        )
        hits += [Hit(index, index + 1, age, 1.0) for index in ages]
    return hits


def _definition_hits(frame: Frame, item: Definition, usable: frozenset[int]) -> list[Hit]:
    """Places that say the concept's name, in part, or one of its other names, whole."""
    candidate = Candidate(
        "formula", item.table, None, item.name, formula=item.sql, how="comment", score=1.1
    )
    hits = []
    for words in item.aliases:
        clusters = name_clusters(frame, words, usable)
        hits += [
            Hit(s, e, candidate, 1.3 * len(words))
            for s, e, got, _ in clusters
            if len(got) == len(words)
        ]
    names = distinctive(item)
    for start, end, got, _ in name_clusters(frame, names, usable) if names else ():
        share = sum(got.values()) / len(names)
        scored = replace(candidate, score=0.55 + 0.5 * share)
        hits.append(Hit(start, end, scored, 0.6 + share * len(got)))
    return hits
