"""The SQL text as a tree in which every column names its table."""

from __future__ import annotations

import sqlglot
from django.utils.translation import gettext as _
from sqlglot import exp
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from thoth.contracts.schema import Catalog
from thoth.lib.limits import SQL_MAX_BYTES
from thoth.warehouse.conformance.report import Finding, finding


class UnreadableError(Exception):
    """The text cannot be checked; `finding` says why."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found.message)
        self.finding = found


def read(sql: str, catalog: Catalog) -> tuple[exp.Query, exp.Query]:
    """The tree as written, and qualified against the catalog.  Raises: UnreadableError."""
    if len(sql.encode()) > SQL_MAX_BYTES:
        raise UnreadableError(finding("parse", _("The SQL is longer than the limit.")))
    try:
        trees = [tree for tree in sqlglot.parse(sql, read="postgres") if tree is not None]
    except (SqlglotError, RecursionError) as error:
        message = _("The SQL cannot be parsed: {reason}").format(reason=str(error).splitlines()[0])
        raise UnreadableError(finding("parse", message)) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise UnreadableError(finding("parse", _("The text is not exactly one query.")))
    if trees[0].find(exp.SetOperation):
        raise UnreadableError(
            finding(
                "set_operation", _("A union cannot be checked against the decisions."), trees[0]
            )
        )
    return trees[0], _qualified(trees[0].copy(), catalog)


def _qualified(tree: exp.Query, catalog: Catalog) -> exp.Query:
    try:
        qualified = qualify(
            tree,
            schema=_schema(catalog),
            dialect="postgres",
            validate_qualify_columns=True,
            quote_identifiers=False,
            identify=False,
        )
    except (OptimizeError, SqlglotError, RecursionError) as error:
        message = _("A name does not resolve: {reason}").format(reason=str(error).splitlines()[0])
        raise UnreadableError(finding("parse", message)) from None
    assert isinstance(qualified, exp.Query)
    return qualified


def _schema(catalog: Catalog) -> MappingSchema:
    names: dict[str, dict[str, dict[str, str]]] = {}
    for table in catalog.tables:
        columns = {column.name: _TYPES.get(column.family, "text") for column in table.columns}
        names.setdefault(table.schema_name, {})[table.name] = columns
    return MappingSchema(dict[str, object](names), dialect="postgres", normalize=False)


_TYPES = {
    "integer": "bigint",
    "decimal": "numeric",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "time": "time",
}
