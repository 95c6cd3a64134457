"""Tables: codes of a column, terms, formulas; else prose with a question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidence_app.authoring.restructurers.blocks import Block
from evidence_app.authoring.restructurers.drafts import Draft, domain, one_line
from evidence_app.authoring.restructurers.shapes import (
    CODE_HEADERS,
    COLUMN_HEADERS,
    FORMULA_HEADERS,
    MEANING_HEADERS,
    TERM_HEADERS,
    columns_in,
    is_formula,
    sql_columns,
)

Row = tuple[str, ...]


def drafts_of_table(block: Block, text: str) -> Iterator[Draft]:
    """Units of a table; `text` is the whole source, where a column's full name may stand."""
    header = [cell.lower() for cell in block.rows[0]] if block.rows else []
    rows = [row for row in block.rows[1:] if len(row) == len(header) and any(row)]
    code, meaning = _at(header, CODE_HEADERS), _at(header, MEANING_HEADERS)
    term, column = _at(header, TERM_HEADERS), _at(header, COLUMN_HEADERS)
    formula = _at(header, FORMULA_HEADERS)
    if rows and formula is not None and all(is_formula(row[formula]) for row in rows):
        yield from _formulas(block, rows, formula)
    elif rows and term is not None and meaning is not None:
        yield from _terms(block, rows, term, meaning)
    elif rows and code is not None and meaning is not None:
        yield from _enums(block, rows, (column, code, meaning), text)
    else:
        yield domain([block], "table_unclear")


def _at(header: list[str], names: frozenset[str]) -> int | None:
    return next((index for index, cell in enumerate(header) if cell in names), None)


def _line_of(block: Block, row: Row) -> str:
    """The row as it stands in the source."""
    for line in block.raw.split("\n"):
        cells = [part.strip().strip("`*") for part in re.split(r"[|;\t]", line.strip().strip("|"))]
        if tuple(cells) == row:
            return line.strip()
    return block.raw


def _formulas(block: Block, rows: list[Row], at: int) -> Iterator[Draft]:
    for row in rows:
        concept = row[0] if at else block.heading
        payload = {"concept": concept, "columns": list(sql_columns(row[at])), "sql": row[at]}
        yield Draft("formula", concept, payload, (_line_of(block, row),), (), (concept,))


def _terms(block: Block, rows: list[Row], term: int, meaning: int) -> Iterator[Draft]:
    for row in rows:
        payload = {"term": row[term], "definition": row[meaning] or row[term], "synonyms": []}
        asks = () if row[meaning] else ("structure_unclear",)
        yield Draft("glossary", row[term], payload, (_line_of(block, row),), asks, (row[term],))


def _enums(
    block: Block, rows: list[Row], at: tuple[int | None, int, int], text: str
) -> Iterator[Draft]:
    """One unit per column that the table speaks of."""
    column, code, meaning = at
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault("" if column is None else row[column], []).append(row)
    for name, members in groups.items():
        full = _full_name(name, block, text)
        entries = [{"value": row[code], "meaning": row[meaning] or row[code]} for row in members]
        title = name or block.heading or block.before or "Codici"
        excerpts = _excerpts(block, members, whole=len(groups) == 1)
        about = (block.before, block.heading)
        if full:
            payload = {"column": full, "entries": entries}
            yield Draft("enum", title, payload, excerpts, (), (title,), about)
        else:
            listed = "\n".join(f"- {entry['value']}: {entry['meaning']}" for entry in entries)
            summary = {"summary": one_line(title, 300)}
            asks = ("column_unknown",)
            yield Draft("domain", title, summary, excerpts, asks, (title,), about, listed)


def _excerpts(block: Block, members: list[Row], *, whole: bool) -> tuple[str, ...]:
    if whole:
        return (block.raw,)
    lines = [_line_of(block, row) for row in members]
    joined = "\n".join(lines)
    return (joined,) if joined in block.raw else tuple(lines)


def _full_name(name: str, block: Block, text: str) -> str:
    """The column's full name: as written, near the table, or the only one so named in the text."""
    if columns_in(name):
        return columns_in(name)[0]
    near = columns_in(block.before) or columns_in(block.heading)
    if not name:
        return near[0] if len(near) == 1 else ""
    known = [full for full in columns_in(text) if full.rpartition(".")[2] == name]
    return known[0] if len(known) == 1 else ""
