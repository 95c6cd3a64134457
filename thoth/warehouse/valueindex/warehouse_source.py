"""A workspace's warehouse as a source of values, read through the one guarded way for SQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from thoth.contracts.schema import Catalog
from thoth.warehouse.execute.run import Request, query_run, query_stream
from thoth.warehouse.execute.target import Target
from thoth.warehouse.valueindex.source import DistinctValue, SourceColumn, catalog_columns

_READ_TIMEOUT_S = 120.0
_ASK_TIMEOUT_S = 3.0
_READ_MAX_BYTES = 256 * 1024 * 1024
# Reading values is the operator's act, whatever queries the workspace allows its reviewers.
_ALLOW = frozenset({"aggregate"})


class WarehouseSource:
    """See `ValueSource`. One short-lived connection per column, at most two minutes each."""

    def __init__(self, target: Target, catalog: Catalog) -> None:
        self._target = replace(target, allow=_ALLOW)
        self._catalog = catalog

    def columns(self) -> list[SourceColumn]:
        """Every column of the catalog, in its order."""
        return catalog_columns(self._catalog)

    def distinct_values(self, column: str, limit: int) -> Iterator[DistinctValue]:
        """The most frequent values first, then by value, so that two readings compare equal."""
        name, table = self._names(column)
        sql = (
            f"SELECT {name} AS v, count(*) AS n FROM {table} WHERE {name} IS NOT NULL"  # noqa: S608 - quoted names of the catalog
            f" GROUP BY {name} ORDER BY 2 DESC, 1 LIMIT {limit}"
        )
        target = replace(
            self._target,
            max_rows=limit,
            max_bytes=_READ_MAX_BYTES,
            statement_timeout_s=_READ_TIMEOUT_S,
        )
        with query_stream(target, self._catalog, Request(sql, "aggregate")) as stream:
            for value, rows in stream.rows:
                if value is not None:
                    yield DistinctValue(value, int(rows or 0))

    def count_value(self, column: str, value: str) -> int:
        """One indexed look-up, where the column has an index; given up after three seconds."""
        name, table = self._names(column)
        sql = f"SELECT count(*) AS n FROM {table} WHERE {name} = {_literal(value)}"  # noqa: S608 - quoted
        target = replace(self._target, statement_timeout_s=_ASK_TIMEOUT_S)
        rows = query_run(target, self._catalog, Request(sql, "aggregate")).rows
        return int(rows[0][0] or 0)

    def _names(self, column: str) -> tuple[str, str]:
        table_name, _, name = column.rpartition(".")
        table = self._catalog.by_name[table_name]
        return _quoted(name), f"{_quoted(table.schema_name)}.{_quoted(table.name)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
