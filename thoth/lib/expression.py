"""Is a text exactly one PostgreSQL expression?"""

from __future__ import annotations

from collections.abc import Sequence

SQL_MAX_CHARS = 8_000


def expression_problem(sql: str) -> str:
    """Why `sql` isn't one PostgreSQL expression; "" where it is.

    No complete SELECT or WITH, no statement that defines or changes anything, only one of it.
    """
    import sqlglot  # noqa: PLC0415 - pages without formulas do without it
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        found = sqlglot.parse(sql, dialect="postgres")
    except (SqlglotError, RecursionError):
        found = []
    if len(found) > 1:
        return "several statements; a formula is one expression"
    if found and _is_statement(found[0]):
        return "a complete statement; a formula is an expression without SELECT"
    try:
        # In a select list, so that what only parses as a statement is refused.
        wrapped = sqlglot.parse(f"SELECT (\n{sql}\n)", dialect="postgres")
    except (SqlglotError, RecursionError):
        return "not a PostgreSQL expression"
    return "" if _is_single(wrapped) else "not exactly one PostgreSQL expression"


def _is_statement(tree: object) -> bool:
    from sqlglot import exp  # noqa: PLC0415

    statements = (exp.Query, exp.DDL, exp.DML, exp.Command, exp.Set, exp.Drop, exp.Alter)
    others = (exp.Transaction, exp.Commit, exp.Rollback, exp.TruncateTable)
    return isinstance(tree, (*statements, *others)) and not isinstance(tree, exp.Subquery)


def _is_single(wrapped: Sequence[object]) -> bool:
    from sqlglot import exp  # noqa: PLC0415

    if len(wrapped) != 1 or not isinstance(wrapped[0], exp.Select):
        return False
    select = wrapped[0]
    if any(select.args.get(part) for part in ("from_", "from", "where", "into", "joins", "limit")):
        return False
    [*columns] = select.expressions
    inner = columns[0].this if len(columns) == 1 and isinstance(columns[0], exp.Paren) else None
    # `table.*` is a column whose name is the star.
    if inner is None or isinstance(inner, exp.Alias) or inner.unnest().is_star:
        return False
    return not any(
        isinstance(node, exp.DML | exp.DDL) and not isinstance(node, exp.Query)
        for node in inner.walk()
    )
