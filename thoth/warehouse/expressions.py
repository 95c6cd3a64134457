"""One scalar SQL expression, such as a formula: its columns, and a query that shows it to the guard."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from thoth.lib.errors import Invalid


@dataclass(frozen=True, slots=True)
class Expression:
    """`columns` are full names as written, in order; `query` selects the expression from their tables."""

    columns: tuple[str, ...]
    query: str


def read(sql: str) -> Expression:
    """The expression, unchecked: whether its columns exist and its functions are allowed is the
    guard's to say about `query`.

    Raises: Invalid `expression_unreadable`.
    """
    try:
        parsed = sqlglot.parse_one(f"SELECT {sql}", read="postgres")
    except (SqlglotError, RecursionError):
        raise _unreadable("The formula is not one SQL expression.") from None
    if (
        not isinstance(parsed, exp.Select)
        or len(parsed.expressions) != 1
        or parsed.args.get("from")
    ):
        raise _unreadable("The formula must be one expression without FROM.")
    columns = tuple(dict.fromkeys(map(_full_name, parsed.find_all(exp.Column))))
    tables = sorted({name.rpartition(".")[0] for name in columns})
    source = ", ".join(_quoted(name) for name in tables)
    return Expression(columns, f"SELECT {sql}\n" + (f"FROM {source}" if source else ""))


def _full_name(column: exp.Column) -> str:
    return ".".join(part for part in (column.db, column.table, column.name) if part)


def _quoted(table: str) -> str:
    schema, _, name = table.partition(".")
    return exp.table_(name, db=schema, quoted=True).sql("postgres")


def _unreadable(sentence: str) -> Invalid:
    return Invalid("expression_unreadable", sentence)
