"""Names that PostgreSQL would read differently from the parser, and types that run code."""

from __future__ import annotations

import re

from sqlglot import exp

from thoth.contracts.schema import Catalog
from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.lexer import Token
from thoth.warehouse.guard.lookup import name_of
from thoth.warehouse.guard.names import describe_char, is_invisible
from thoth.warehouse.guard.nodes import position
from thoth.warehouse.guard.words import RESERVED, words

_OBJECT_TYPES = re.compile(
    r"^(pg_catalog\.)?(reg\w+|oid|xid8?|cid|tid|name|cstring|refcursor|aclitem|any\w*|record)$",
    re.IGNORECASE,
)


def check_names(tokens: list[Token], tree: exp.Expr, catalog: Catalog, sql: str) -> None:
    """Raises: Invalid `sql_unparseable`, `sql_invisible_character`."""
    by_start = {token.start: (index, token) for index, token in enumerate(tokens)}
    for node in tree.find_all(exp.Identifier):
        start = node.meta.get("start")
        if start is None:
            continue  # made up by the parser (the alias of VALUES), not in the text
        index, token = by_start.get(start, (0, None))
        if token is None or not token.is_identifier:
            message = "A string stands where a name belongs."
            raise refusal("sql_unparseable", message, sql=sql, offset=start)
        before = tokens[index - 1] if index else None
        is_label = before is not None and (before.text == "." or before.name == "as")
        if token.kind == "name" and token.name in RESERVED and not is_label:
            message = f'{token.text} is a reserved word. For a name write "{token.name}".'
            raise refusal("sql_unparseable", message, sql=sql, offset=start)
    _check_quoted(tokens, catalog, sql)


def _check_quoted(tokens: list[Token], catalog: Catalog, sql: str) -> None:
    """An invisible character in quotes is right only when the warehouse has that very name."""
    for token in tokens:
        odd = (
            next((c for c in token.name if is_invisible(c)), None)
            if token.kind == "quoted"
            else None
        )
        if odd is not None and token.name not in _known_names(catalog):
            message = (
                f"The name {token.text} contains the invisible character {describe_char(odd)}."
            )
            raise refusal("sql_invisible_character", message, sql=sql, offset=token.start)


def _known_names(catalog: Catalog) -> frozenset[str]:
    tables = {table.name for table in catalog.tables}
    columns = {column.name for table in catalog.tables for column in table.columns}
    return frozenset(tables | columns)


def check_types(tree: exp.Expr, catalog: Catalog, sql: str) -> None:
    """Built-in types, and those of the warehouse's own columns. Raises: Invalid `sql_type_refused`."""
    for node in tree.find_all(exp.DataType):
        if _reads_catalogs(node):
            message = f"The type {node.sql('postgres')} reads system catalogs."
            raise refusal("sql_type_refused", message, sql=sql, offset=_place(node))
        if node.this == exp.DType.USERDEFINED and not _is_known(_type_name(node), catalog):
            message = f"No column of this workspace has the type {_type_name(node)}."
            raise refusal("sql_type_refused", message, sql=sql, offset=_place(node))


def _reads_catalogs(node: exp.DataType) -> bool:
    if isinstance(node, (exp.ObjectIdentifier, exp.PseudoType)) or node.this == exp.DType.NAME:
        return True
    return node.this == exp.DType.USERDEFINED and bool(_OBJECT_TYPES.match(_type_name(node)))


def _is_known(name: str, catalog: Catalog) -> bool:
    return name in _BUILT_IN or name in _own_types(catalog)


# Built in, but without a name of their own in the parser.
_BUILT_IN = words(
    "point line lseg box path polygon circle macaddr macaddr8 cidr tsvector tsquery pg_lsn jsonpath "
    "bit varbit bpchar timetz txid_snapshot"
)


def _type_name(node: exp.DataType) -> str:
    """`schema.type` or `type`, folded."""
    kind = node.args.get("kind")
    if not isinstance(kind, exp.Expr):
        return str(kind or "")
    return ".".join(name_of(part) for part in kind.find_all(exp.Identifier, bfs=False))


def _own_types(catalog: Catalog) -> frozenset[str]:
    types = {column.type for table in catalog.tables for column in table.columns}
    return frozenset(types | {name.rpartition(".")[2] for name in types})


def _place(node: exp.Expr) -> int | None:
    parent = node.parent
    return position(parent) if parent is not None else None
