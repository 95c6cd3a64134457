"""The warehouse's values for the value index, read under the same belts as any query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from thoth.contracts.schema import Catalog
from thoth.warehouse.execute.run import Request, query_run, query_stream
from thoth.warehouse.execute.target import Target
from thoth.warehouse.guard.names import quote_name
from thoth.warehouse.valueindex.source import DistinctValue, SourceColumn, catalog_columns

_SCAN_TIMEOUT_S = 600.0
_SCAN_MAX_ROWS = 10_000_000
_SCAN_MAX_BYTES = 2 * 1024**3


class WarehouseValues:
    """Implements `thoth.warehouse.valueindex.source.ValueSource`.

    Indexing reads whole columns, so its time and size are not those of a reviewer's query.
    """

    def __init__(self, target: Target, catalog: Catalog) -> None:
        self._catalog = catalog
        self._target = replace(
            target,
            allow=target.allow | {"aggregate"},
            statement_timeout_s=max(target.statement_timeout_s, _SCAN_TIMEOUT_S),
            idle_timeout_s=_SCAN_TIMEOUT_S,
            max_rows=_SCAN_MAX_ROWS,
            max_bytes=_SCAN_MAX_BYTES,
        )

    def columns(self) -> list[SourceColumn]:
        return catalog_columns(self._catalog)

    def distinct_values(self, column: str, limit: int) -> Iterator[DistinctValue]:
        """At most `limit` values, the most frequent first, ties in the order of the text."""
        table, name = self._place(column)
        sql = (
            f"SELECT v, n FROM (SELECT {name}::text AS v, count(*) AS n FROM {table} "  # noqa: S608
            f'WHERE {name} IS NOT NULL GROUP BY 1) AS q ORDER BY n DESC, v COLLATE "C" LIMIT {limit}'
        )
        request = Request(sql, "aggregate", unmask=True)
        with query_stream(self._target, self._catalog, request) as stream:
            for value, rows in stream.rows:
                yield DistinctValue(value or "", int(rows or 0))

    def count_value(self, column: str, value: str) -> int:
        """How many rows hold exactly `value`."""
        table, name = self._place(column)
        literal = "'" + value.replace("'", "''") + "'"
        sql = f"SELECT count(*) FROM {table} WHERE {name}::text = {literal}"  # noqa: S608
        rows = query_run(self._target, self._catalog, Request(sql, "aggregate")).rows
        return int(rows[0][0] or 0)

    def _place(self, full_name: str) -> tuple[str, str]:
        """Quoted table and column, by the catalog: a name may itself contain a dot."""
        for table in self._catalog.tables:
            for column in table.columns:
                if f"{table.full_name}.{column.name}" == full_name:
                    where = f"{quote_name(table.schema_name)}.{quote_name(table.name)}"
                    return where, quote_name(column.name)
        raise LookupError(f"{full_name} is not in the catalog")
