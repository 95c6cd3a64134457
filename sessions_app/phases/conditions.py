"""SQL for the consequences of an option: built as a tree, so that no value can change its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from thoth.contracts.decisions import Grounding
from thoth.contracts.schema import Catalog, Table


def condition(grounding: Grounding) -> exp.Expression:
    """`column op value` of one grounding."""
    column = column_expression(grounding.column)
    value = exp.Literal.string(grounding.value)
    if grounding.op in ("is_true", "is_false"):
        return exp.Is(this=column, expression=exp.Boolean(this=grounding.op == "is_true"))
    if grounding.op == "=":
        return exp.EQ(this=column, expression=value)
    patterns = {"contains": "%{}%", "starts_with": "{}%", "ends_with": "%{}"}
    escaped = grounding.value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    text = exp.Cast(this=column, to=exp.DataType.build("text"))
    return exp.ILike(
        this=text, expression=exp.Literal.string(patterns[grounding.op].format(escaped))
    )


def table_of(column: str) -> str:
    """`schema.table` of `schema.table.column`."""
    return column.rpartition(".")[0]


def count_sql(groundings: Sequence[Grounding], combine: str) -> str | None:
    """How many rows of the groundings' table satisfy them; None when they span several tables."""
    where = _where(groundings, combine)
    if where is None:
        return None
    table = table_of(groundings[0].column)
    return (
        exp.select(exp.Count(this=exp.Star()))
        .from_(table_expression(table))
        .where(where)
        .sql("postgres")
    )


def preview_sql(
    groundings: Sequence[Grounding],
    combine: str,
    catalog: Catalog,
    *,
    columns: int = 4,
    rows: int = 3,
) -> str | None:
    """A few rows of the groundings' table, the grounded columns first; None as above."""
    where = _where(groundings, combine)
    table = catalog.table(table_of(groundings[0].column))
    if where is None or table is None:
        return None
    names = _shown_columns(table, (item.column for item in groundings), columns)
    query = exp.select(*[exp.column(name, quoted=True) for name in names])
    return query.from_(table_expression(table.full_name)).where(where).limit(rows).sql("postgres")


def column_expression(full_name: str) -> exp.Column:
    """The column, quoted part by part."""
    schema, table, column = full_name.split(".", 2)
    return exp.column(column, table=table, db=schema, quoted=True)


def table_expression(full_name: str) -> exp.Table:
    """The table, quoted part by part."""
    schema, _, table = full_name.partition(".")
    return exp.table_(table, db=schema, quoted=True)


def _where(groundings: Sequence[Grounding], combine: str) -> exp.Condition | None:
    if len({table_of(item.column) for item in groundings}) != 1:
        return None
    parts = [condition(item) for item in groundings]
    return exp.and_(*parts) if combine == "all" else exp.or_(*parts)


def _shown_columns(table: Table, first: Iterable[str], limit: int) -> list[str]:
    visible = [c.name for c in table.columns if not c.hidden]
    names = [name.rpartition(".")[2] for name in first]
    rest = [name for name in (*table.primary_key, *visible) if name in visible]
    return list(dict.fromkeys([n for n in names if n in visible] + rest))[:limit]
