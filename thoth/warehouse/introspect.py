"""From a live warehouse to a Catalog: a fixed number of catalog queries, whatever its size.

Everything is judged with the rights of the role that will run queries: what it cannot read is not
in the catalog. pg_catalog is asked directly, because information_schema pairs the columns of
composite foreign keys wrongly.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, cast

import psycopg

from thoth.contracts.schema import Catalog, Column, ForeignKey, Table, TypeFamily
from thoth.lib.errors import Invalid
from thoth.lib.text import canonical_json
from thoth.warehouse import introspect_sql as queries
from thoth.warehouse.execute.errors import translated
from thoth.warehouse.execute.session import connect
from thoth.warehouse.execute.target import Target, type_connection
from thoth.warehouse.functions import is_denied
from thoth.workspaces.models import Workspace

_FAMILIES: dict[str, TypeFamily] = {
    **dict.fromkeys(("text", "varchar", "bpchar", "char", "name", "citext"), "text"),
    **dict.fromkeys(("int2", "int4", "int8"), "integer"),
    **dict.fromkeys(("numeric", "float4", "float8", "money"), "decimal"),
    **dict.fromkeys(("timestamp", "timestamptz"), "timestamp"),
    **dict.fromkeys(("time", "timetz"), "time"),
    "bool": "boolean",
    "date": "date",
}
_KINDS = {
    "r": "table",
    "v": "view",
    "m": "materialized_view",
    "f": "foreign_table",
    "p": "partitioned_table",
}

Rows = list[tuple[Any, ...]]


def introspect(workspace: Workspace) -> Catalog:
    """The catalog as it is now. `version` is a hash of everything but the row estimates.

    Raises: Upstream `warehouse_unreachable|timeout|died`; Forbidden `warehouse_permission`;
    Invalid `schema_unknown`, `schema_empty`, `column_unknown` (a name in `columns:` that the
    warehouse does not have).
    """
    target = Target.of(workspace)
    try:
        with connect(target) as connection:
            catalog = _read(connection, workspace, target)
    except psycopg.Error as error:
        raise translated(error) from error
    _check_flags(catalog, workspace)
    return catalog


def _read(connection: type_connection, workspace: Workspace, target: Target) -> Catalog:
    schemas = list(target.schemas)
    _check_schemas(connection, schemas)
    tables = _tables(connection, schemas, workspace)
    if not tables:
        message = f"The role can read no table in {', '.join(schemas)}. Grant it SELECT."
        raise Invalid("schema_empty", message, schemas=schemas)
    functions, operators = _callables(connection, schemas)
    return Catalog(
        workspace=workspace.name,
        version=_version(tables, functions, operators),
        tables=tables,
        allowed_functions=functions,
        redefined_operators=operators,
    )


def _all(connection: type_connection, query: str, schemas: list[str]) -> Rows:
    return connection.execute(query.encode(), {"schemas": schemas}).fetchall()


def _check_schemas(connection: type_connection, schemas: list[str]) -> None:
    found = {row[0] for row in _all(connection, queries.SCHEMAS, schemas)}
    if missing := [schema for schema in schemas if schema not in found]:
        message = f"The warehouse has no schema {', '.join(missing)} that the role may use."
        raise Invalid("schema_unknown", message, schemas=missing)


def _tables(
    connection: type_connection, schemas: list[str], workspace: Workspace
) -> tuple[Table, ...]:
    columns = _columns(_all(connection, queries.COLUMNS, schemas), workspace)
    keys = _keys(_all(connection, queries.KEYS, schemas))
    foreign = _foreign_keys(_all(connection, queries.FOREIGN_KEYS, schemas))
    return tuple(
        Table(
            schema_name=schema,
            name=name,
            kind=cast(Any, _KINDS[kind]),
            comment=comment or "",
            columns=tuple(columns[oid]),
            primary_key=keys[oid, True][0] if keys[oid, True] else (),
            unique_keys=tuple(keys[oid, False]),
            foreign_keys=tuple(foreign[oid]),
            row_estimate=int(estimate),
        )
        for oid, schema, name, kind, comment, estimate in _all(connection, queries.TABLES, schemas)
        if columns[oid]
    )


def _columns(rows: Rows, workspace: Workspace) -> dict[int, list[Column]]:
    identifying = frozenset(workspace.columns.identifying)
    hidden = frozenset(workspace.columns.hidden)
    columns: dict[int, list[Column]] = defaultdict(list)
    for oid, table, name, type_text, base, category, nullable, comment in rows:
        full_name = f"{table}.{name}"
        columns[oid].append(
            Column(
                name=name,
                type=type_text,
                family=_family(base, category),
                nullable=nullable,
                comment=comment or "",
                identifying=full_name in identifying,
                hidden=full_name in hidden,
            )
        )
    return columns


def _family(base: str, category: str) -> TypeFamily:
    """Of a domain's base type; an enum is text to everybody but PostgreSQL."""
    return "text" if category == "E" else _FAMILIES.get(base, "other")


def _keys(rows: Rows) -> dict[tuple[int, bool], list[tuple[str, ...]]]:
    keys: dict[tuple[int, bool], list[tuple[str, ...]]] = defaultdict(list)
    for oid, is_primary, columns in rows:
        keys[oid, is_primary].append(tuple(columns))
    return keys


def _foreign_keys(rows: Rows) -> dict[int, list[ForeignKey]]:
    """One relation per constraint with its pairs in order, never a product of them."""
    foreign: dict[int, list[ForeignKey]] = defaultdict(list)
    for oid, columns, ref_table, ref_columns in rows:
        key = ForeignKey(
            columns=tuple(columns), ref_table=ref_table, ref_columns=tuple(ref_columns)
        )
        foreign[oid].append(key)
    return foreign


def _callables(
    connection: type_connection, schemas: list[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Allowed built-ins, and the operators that the schemas redefine.

    A function of the warehouse that bears a built-in's name would be preferred for some argument
    types, so such a name is not allowed either.
    """
    names = (row[0] for row in _all(connection, queries.FUNCTIONS, schemas))
    functions = frozenset(name for name in names if not is_denied(name))
    operators = frozenset(row[0] for row in _all(connection, queries.OPERATORS, schemas))
    return functions, operators


def _version(tables: Iterable[Table], functions: Iterable[str], operators: Iterable[str]) -> str:
    """Row estimates move by themselves and change nothing that anybody decided."""
    content = {
        "tables": [table.model_dump(mode="json", exclude={"row_estimate"}) for table in tables],
        "functions": sorted(functions),
        "operators": sorted(operators),
    }
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()[:16]


def _check_flags(catalog: Catalog, workspace: Workspace) -> None:
    """A misspelt column in `hidden` would stay visible: say so instead."""
    known = {
        f"{table.full_name}.{column.name}" for table in catalog.tables for column in table.columns
    }
    flagged: Sequence[str] = (*workspace.columns.identifying, *workspace.columns.hidden)
    if missing := [name for name in flagged if name not in known]:
        message = f"columns: names what the warehouse does not have: {', '.join(missing)}."
        raise Invalid("column_unknown", message, columns=missing)
