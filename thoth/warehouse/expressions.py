"""One scalar SQL expression, such as a formula: its columns, and a query that shows it to the guard."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from thoth.lib.errors import Invalid
from thoth.lib.expression import expression_problem


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
    if problem := expression_problem(sql):
        message = f"This is no formula: {problem}."
        raise Invalid("expression_unreadable", message)
    parsed = sqlglot.parse_one(f"SELECT {sql}", read="postgres")
    columns = tuple(dict.fromkeys(map(_full_name, parsed.find_all(exp.Column))))
    tables = sorted({name.rpartition(".")[0] for name in columns})
    source = ", ".join(_quoted(name) for name in tables)
    return Expression(columns, f"SELECT {sql}\n" + (f"FROM {source}" if source else ""))


def _full_name(column: exp.Column) -> str:
    return ".".join(part for part in (column.db, column.table, column.name) if part)


def _quoted(table: str) -> str:
    schema, _, name = table.partition(".")
    return exp.table_(name, db=schema, quoted=True).sql("postgres")
