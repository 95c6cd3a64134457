"""What the index needs of a warehouse; the execution module and tests both provide it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from thoth.contracts.schema import Catalog, Column, Table, TypeFamily


class DistinctValue(NamedTuple):
    """A value as stored and the number of rows that hold it."""

    raw: str
    rows: int


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column that might be indexed. `policy` other than auto overrides what we would decide."""

    full_name: str  # "schema.table.column"
    family: TypeFamily = "text"
    identifying: bool = False
    hidden: bool = False
    policy: Literal["auto", "index", "ask", "off"] = "auto"

    @classmethod
    def of(cls, table: Table, column: Column) -> SourceColumn:
        return cls(
            f"{table.full_name}.{column.name}", column.family, column.identifying, column.hidden
        )


class ValueSource(Protocol):
    """Read-only access to a warehouse's values. Failures are Upstream errors."""

    def columns(self) -> Iterable[SourceColumn]:
        """Every column of the workspace, in a stable order."""

    def distinct_values(self, column: str, limit: int) -> Iterable[DistinctValue]:
        """At most `limit` distinct non-null values of `column`, the most frequent first."""

    def count_value(self, column: str, value: str) -> int:
        """The number of rows whose `column` equals `value` exactly."""


def catalog_columns(catalog: Catalog) -> list[SourceColumn]:
    """The catalog's columns as a source lists them."""
    return [SourceColumn.of(table, column) for table in catalog.tables for column in table.columns]
