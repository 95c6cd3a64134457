"""Which words of a question a reading leaves without effect.

A word is explained when it is part of a mention, of a name of something used, of a grouping, or
when it says in more words what is counted, measured or listed. That the comment of something used
happens to mention a word explains nothing: whoever says the word asks for a condition.
"""

from __future__ import annotations

import re

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.tokens import fold, stems
from thoth.analyst.linking.ages import unit_places
from thoth.analyst.linking.mentions import Candidate, Mention
from thoth.analyst.linking.schema_view import ColumnView, SchemaView, comment_stems
from thoth.analyst.linking.vocabulary import SYNONYM, similarity
from thoth.analyst.reading.reading import Reading
from thoth.analyst.reading.walk import GRAIN_WORDS

Choice = list[tuple[Mention, Candidate]]
_SHOWN_ROLES = frozenset({"measure", "dimension", "output", "filter"})
_PHRASE_END = re.compile(r"[.;:,(]")
_COORDINATED = frozenset({"e", "ed", "o", "and", "or"})
_NEAR = 3  # words between a noun and its attribute


def unexplained(
    frame: Frame, schema: SchemaView, choice: Choice, reading: Reading
) -> tuple[str, ...]:
    """Content words that the reading gives no effect, as written."""
    covered = _effective(schema, choice, reading) | reading.ignored | unit_places(frame)
    covered |= _attributes(frame, schema, choice, reading)
    shown, names = _shown_stems(schema, reading), _names(schema, choice, reading)
    left = []
    for index in frame.content:
        token = frame.tokens[index]
        if index in covered or token.stems & shown or len(token.norm) == 1:
            continue
        known = any(similarity(token.norm, name) >= SYNONYM for name in names)
        if not known and GRAIN_WORDS.get(token.norm, "-") not in reading.grains:
            left.append(token.text)
    return tuple(left)


def _effective(schema: SchemaView, choice: Choice, reading: Reading) -> set[int]:
    """Tokens of the mentions that the reading does something with.

    One that failed on the way did nothing yet with any: its own reason is the one to say.
    """
    columns = {c for c, _ in reading.columns}
    columns |= {c for formula in reading.formulas for c in formula.columns}
    return {
        index
        for mention, candidate in choice
        if candidate.value == "alias"
        or (reading.trouble and candidate.kind != "none")
        or _has_effect(schema, candidate, reading, columns)
        for index in range(mention.start, mention.end)
    }


def _has_effect(
    schema: SchemaView, candidate: Candidate, reading: Reading, columns: set[str]
) -> bool:
    if candidate.kind == "table":
        return candidate.table in reading.tables
    if candidate.kind == "formula":
        return any(f.concept == (candidate.value or "formula") for f in reading.formulas)
    if candidate.kind == "none" or candidate.target in columns:
        return candidate.kind != "none"
    view = schema.column(candidate.target)
    names_row = view is not None and candidate.kind == "column" and _names_row(schema, view)
    return names_row and candidate.table in reading.tables


def _names_row(schema: SchemaView, view: ColumnView) -> bool:
    """Whether the column only says which row: its key or its label."""
    return view.is_key_like or view in schema.tables[view.table].labels


def _names(schema: SchemaView, choice: Choice, reading: Reading) -> set[str]:
    """The words of the names of all tables and columns that the reading uses."""
    columns = {c for c, _ in reading.columns} | {c.target for _, c in choice if c.column}
    for edge in reading.joins:
        columns |= {f"{edge.left}.{c}" for c in edge.left_columns}
        columns |= {f"{edge.right}.{c}" for c in edge.right_columns}
    tables = set(reading.tables) | {c.table for _, c in choice if c.table}
    words = {w for name in columns if (view := schema.column(name)) for w in view.words}
    return words | {w for t in tables if t in schema.tables for w in schema.tables[t].words}


def _shown_stems(schema: SchemaView, reading: Reading) -> set[str]:
    """What the comments of used columns say first: what these columns hold.

    The rest of a comment, its codes and remarks, explains no word: a filter on "City where the
    customer lives" says that customers live there, not what the remark after it mentions.
    """
    shown = {c for c, role in reading.columns if role in _SHOWN_ROLES}
    for formula in reading.formulas:
        if any(id_[0] in "md" for id_ in formula.serves):
            shown |= set(formula.columns)
    views = [view for name in sorted(shown) if (view := schema.column(name)) is not None]
    return {s for view in views for s in comment_stems(_first_phrase(view.column.comment))}


def _first_phrase(comment: str) -> str:
    return _PHRASE_END.split(comment, maxsplit=1)[0]


def _attributes(frame: Frame, schema: SchemaView, choice: Choice, reading: Reading) -> set[int]:
    """Words beside the noun of a used table that are part of what its comment calls the rows.

    "Ricoveri ospedalieri" are all rows of a table so described; of one described as "Esami strumentali
    e di laboratorio", neither attribute holds for all.
    """
    found: set[int] = set()
    for mention, candidate in choice:
        if candidate.kind != "table" or candidate.table not in reading.tables:
            continue
        said = _row_stems(schema.tables[candidate.table].table.comment)
        near = range(max(0, mention.start - _NEAR), min(len(frame.tokens), mention.end + _NEAR))
        found |= {i for i in near if frame.tokens[i].stems & said}
    return found


def _row_stems(comment: str) -> set[str]:
    """Stems of the noun phrase that a table's comment begins with; none of a coordination."""
    words = re.findall(r"[^\W_]+", fold(_first_phrase(comment)))
    return set() if _COORDINATED & set(words) else {s for w in words for s in stems(w)}
