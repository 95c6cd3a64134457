"""Running golds and answers, and what a gold's text says: tables, columns, literals, joins."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope
from sqlglot.schema import MappingSchema

from sessions_app.evaluation.compare import Rows, normalise
from thoth.contracts.schema import Catalog
from thoth.warehouse.catalog import catalog_get
from thoth.warehouse.execute.run import Request
from thoth.warehouse.execute.run import query_run as run_request
from thoth.warehouse.execute.target import Target
from thoth.workspaces.facade import workspace_get


def rows_of(workspace: str, sql: str) -> Rows:
    """The rows of a query, through the guard and all belts, nothing masked: they are only compared.

    Raises: as `thoth.warehouse.execute.run.query_run`.
    """
    described = workspace_get(workspace)
    request = Request(sql, "export", unmask=True)
    result = run_request(Target.of(described), catalog_get(workspace), request)
    families = [column.family for column in result.columns]
    rows = tuple(
        tuple(normalise(cell, family) for cell, family in zip(row, families, strict=True))
        for row in result.rows
    )
    return Rows(len(families), rows)


def order_keys(sql: str) -> list[int]:
    """The result columns (from 0) that the query's ORDER BY names; none when it orders by others."""
    try:
        tree = sqlglot.parse_one(sql, read="postgres")
    except (SqlglotError, RecursionError):
        return []
    order = tree.args.get("order")
    if not isinstance(tree, exp.Select) or order is None:
        return []
    found = [_position(key.this, tree) for key in order.expressions]
    return [] if None in found else [index for index in found if index is not None]


def _position(key: exp.Expr, select: exp.Select) -> int | None:
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.this) - 1
    for index, projection in enumerate(select.expressions):
        named = isinstance(key, exp.Column) and projection.alias_or_name == key.name
        if named or projection.unalias() == key:
            return index
    return None


def parts_of_sql(sql: str, catalog: Catalog) -> frozenset[str]:
    """What the query is made of, lower case: `table s.t`, `column s.t.c`, `literal v`, `join a=b` (full
    names, sorted), `aggregate f`; empty when it cannot be read.
    """
    try:
        tree = sqlglot.parse_one(sql, read="postgres")
        tree = qualify(
            tree, schema=_schema(catalog), dialect="postgres", quote_identifiers=False,
            identify=False, validate_qualify_columns=False, db=_default_schema(catalog),
        )  # fmt: skip
    except (SqlglotError, RecursionError):
        return frozenset()
    found: set[str] = set()
    for scope in traverse_scope(tree):
        tables = {a: _table(t) for a, t in scope.sources.items() if isinstance(t, exp.Table)}
        found |= {f"table {name}" for name in tables.values()}
        for column in scope.columns:
            if column.table in tables:
                column.meta["full"] = f"{tables[column.table]}.{column.name}".lower()
                found.add(f"column {column.meta['full']}")
    return frozenset(found | _rest(tree))


def parts_of_fragment(sql: str) -> frozenset[str]:
    """Literals and aggregates of a condition or formula; columns when they are written in full."""
    try:
        tree = sqlglot.parse_one(f"SELECT {sql}", read="postgres")
    except (SqlglotError, RecursionError):
        return frozenset()
    full = {f"column {c.db}.{c.table}.{c.name}".lower() for c in tree.find_all(exp.Column) if c.db}
    return frozenset(full | _rest(tree))


def _rest(tree: exp.Expr) -> set[str]:
    found = {f"literal {value(str(n.this))}" for n in tree.find_all(exp.Literal)}
    found |= {f"aggregate {n.key}" for n in tree.find_all(exp.AggFunc)}
    for equality in tree.find_all(exp.EQ):
        sides = [side.meta.get("full") for side in (equality.this, equality.expression)]
        if all(sides):
            found.add("join " + "=".join(sorted(str(s) for s in sides)))
    return found


def value(text: str) -> str:
    """A literal without case, pattern signs and trailing zeros."""
    plain = text.strip().strip("%").casefold()
    try:
        return f"{float(plain):g}"
    except ValueError:
        return plain


def _table(table: exp.Table) -> str:
    return f"{table.db}.{table.name}".lower()


def _default_schema(catalog: Catalog) -> str | None:
    """Golds may leave the schema out when there is only one."""
    schemas = {table.schema_name for table in catalog.tables}
    return next(iter(schemas)) if len(schemas) == 1 else None


def _schema(catalog: Catalog) -> MappingSchema:
    names: dict[str, dict[str, dict[str, str]]] = {}
    for table in catalog.tables:
        columns = {column.name: "text" for column in table.columns}
        names.setdefault(table.schema_name, {})[table.name] = columns
    return MappingSchema(dict[str, object](names), dialect="postgres", normalize=False)
