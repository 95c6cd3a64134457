"""What the guard hands on: the very text, its hash, and what it uses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """`name` None: PostgreSQL's own choice. `sources`: warehouse columns whose values it can show."""

    name: str | None
    sources: frozenset[str]
    identifying: bool


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A text that passed. `sql` is the input unchanged; `sha256` is of its UTF-8 bytes, in hex.

    `tables` and `columns` are full names that the text reads; `functions` the names it calls;
    `identifying` the columns among them that identify a person, wherever they stand.
    """

    sql: str
    sha256: str
    tables: frozenset[str]
    columns: frozenset[str]
    functions: frozenset[str]
    outputs: tuple[OutputColumn, ...]
    identifying: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CleanedSql:
    """An entered text as it will be stored; `notes` say what was taken away."""

    text: str
    notes: tuple[str, ...]
