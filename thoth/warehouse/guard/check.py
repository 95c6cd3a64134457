"""The guard: a text passes as it is, or is refused with a code, a reason and a place."""

from __future__ import annotations

import hashlib

from thoth.contracts.schema import Catalog
from thoth.lib.errors import Invalid
from thoth.warehouse.guard.accounted import check_accounted
from thoth.warehouse.guard.agreement import check_operators
from thoth.warehouse.guard.bounds import check_bytes, check_depth
from thoth.warehouse.guard.functions import FunctionRules, called_functions
from thoth.warehouse.guard.identifiers import check_names, check_types
from thoth.warehouse.guard.lexer import tokenize
from thoth.warehouse.guard.nodes import check_nodes
from thoth.warehouse.guard.parse import parse_query
from thoth.warehouse.guard.scopes import Resolver
from thoth.warehouse.guard.types import CleanedSql, GuardedQuery, OutputColumn

BOM = "\ufeff"


def guard(sql: str, catalog: Catalog, *, functions: frozenset[str] = frozenset()) -> GuardedQuery:
    """The query, if it only reads what `catalog` shows; `functions` are allowed besides its own.

    Deterministic, asks no database, never changes the text. Cheap checks come first: size, depth,
    lexing; then the tree; then every name.

    Raises: Invalid with a code of `docs/developers/warehouse.md`, the place in the message and in `extra`.
    """
    try:
        return _guard(sql, catalog, functions)
    except RecursionError:
        raise Invalid("sql_too_deep", "The SQL is too deeply nested to check.") from None


def _guard(sql: str, catalog: Catalog, functions: frozenset[str]) -> GuardedQuery:
    check_bytes(sql)
    tokens = tokenize(sql)
    check_depth(tokens, sql)
    tree = parse_query(sql, tokens)
    check_operators(tokens, sql, redefined=catalog.redefined_operators)
    check_nodes(tree, sql)
    rules = FunctionRules(catalog.allowed_functions, functions)
    called = called_functions(tokens, tree, rules, sql)
    check_names(tokens, tree, catalog, sql)
    check_types(tree, catalog, sql)
    check_accounted(tokens, tree, catalog, sql)
    resolver = Resolver(catalog, sql)
    outputs = resolver.resolve(tree)
    identifying = identifying_columns(catalog)
    return GuardedQuery(
        sql=sql,
        sha256=sql_sha256(sql),
        tables=frozenset(resolver.lookup.tables),
        columns=frozenset(resolver.lookup.columns),
        functions=called,
        outputs=tuple(
            OutputColumn(column.name, column.sources, bool(column.sources & identifying))
            for column in outputs
        ),
        identifying=identifying & resolver.lookup.columns,
    )


def identifying_columns(catalog: Catalog) -> frozenset[str]:
    """Full names of the columns that identify a person."""
    return frozenset(
        f"{table.full_name}.{column.name}"
        for table in catalog.tables
        for column in table.columns
        if column.identifying
    )


def sql_sha256(sql: str) -> str:
    """Of the UTF-8 bytes, in hex: what was approved and what runs are compared by it."""
    return hashlib.sha256(sql.encode()).hexdigest()


def sql_clean(sql: str) -> CleanedSql:
    """A text as entered by a person, without a byte order mark; nothing else is changed."""
    if sql.startswith(BOM):
        return CleanedSql(sql.removeprefix(BOM), ("The byte order mark at the start was removed.",))
    return CleanedSql(sql, ())
