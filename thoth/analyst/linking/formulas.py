"""Calculated concepts: definitions that comments hold (`Name = expression`), and ages."""

from __future__ import annotations

import re
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.schema_view import ColumnView, SchemaView, TableView
from thoth.analyst.linking.vocabulary import is_generic, similarity

_DEFINITION = re.compile(r"(?:^|[.;:]\s+)([A-Za-zÀ-ÿ][^.;:=«»]{2,70}?)\s*=(?=\s*([^=;]+))")
_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    [
        "di",
        "del",
        "della",
        "dei",
        "delle",
        "in",
        "a",
        "the",
        "of",
        "la",
        "il",
        "le",
        "i",
        "un",
        "una",
        "per",
        "and",
        "e",
        "between",
        "tra",
        "da",
        "is",
    ]
)
_SHORTER_MAX = 12
AGE = "age"


@dataclass(frozen=True)
class Definition:
    """`sql` over full column names; `words` name the concept, `aliases` are other names of it."""

    name: str
    words: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...]
    sql: str
    table: str


def definitions(schema: SchemaView) -> list[Definition]:
    """All definitions in the comments of the candidate tables, in order."""
    found = []
    for view in schema.tables.values():
        comments = [view.table.comment, *(c.column.comment for c in view.columns.values())]
        for comment in comments:
            for match in _DEFINITION.finditer(comment):
                definition = _definition(view, match.group(1), match.group(2))
                if definition is not None:
                    found.append(definition)
    return found


def _definition(view: TableView, name: str, text: str) -> Definition | None:
    sql = _expression(view, text)
    if sql is None:
        return None
    outside = re.sub(r"\([^)]*\)", " ", name)
    inside = re.findall(r"\(([^)]*)\)", name)
    aliases = [tuple(_WORD.findall(fold(part))) for group in inside for part in group.split(",")]
    words = tuple(w for w in _WORD.findall(fold(outside)) if w not in _EMPTY)
    return Definition(outside.strip(), words, tuple(a for a in aliases if a), sql, view.full)


def _expression(view: TableView, text: str) -> str | None:
    """The longest beginning of `text` that is an expression over columns of the table."""
    pieces = text.strip().split()
    for length in range(min(len(pieces), _SHORTER_MAX), 0, -1):
        candidate = " ".join(pieces[:length]).rstrip(".,;")
        tree = _parsed(candidate)
        if tree is not None and _over(view, tree):
            return _qualified(view, tree)
    return None


def _parsed(text: str) -> exp.Expr | None:
    try:
        found: exp.Expr = sqlglot.parse_one(f"SELECT {text}", read="postgres").expressions[0]
    except (SqlglotError, IndexError, RecursionError):
        return None
    return found


def _over(view: TableView, tree: exp.Expr) -> bool:
    columns = list(tree.find_all(exp.Column))
    known = all(not c.table and c.name in view.columns for c in columns)
    calculates = isinstance(tree, (exp.Binary, exp.Func)) and not isinstance(
        tree, (exp.Predicate, exp.Connector)
    )
    return bool(columns) and known and calculates and not tree.find(exp.Alias)


def _qualified(view: TableView, tree: exp.Expr) -> str:
    schema, _, table = view.full.partition(".")
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier(table))
        column.set("db", exp.to_identifier(schema))
    return tree.sql(dialect="postgres")


def birth_dates(schema: SchemaView) -> list[ColumnView]:
    """Columns that hold when a person was born."""
    return [
        c for c in schema.columns
        if c.is_date and any(similarity("birth", w) or similarity("nascita", w) for w in c.words)
    ]  # fmt: skip


def distinctive(definition: Definition) -> tuple[str, ...]:
    """The words of a name that are no unit and no generic word."""
    return tuple(w for w in definition.words if not is_generic(w) and len(w) > 2)
