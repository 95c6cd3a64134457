"""The shape of a warehouse as everybody else sees it: immutable, without values.

Built by `thoth.warehouse` from introspection; read by the guard, conformance, the task document
and, in slices, by the model runtimes. Names are PostgreSQL's own spelling (case kept).
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict

TypeFamily = Literal["text", "integer", "decimal", "boolean", "date", "timestamp", "time", "other"]


class Frozen(BaseModel):
    """Base of the contracts: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(Frozen):
    """One column; `type` is PostgreSQL's format_type text, `family` what code reasons with."""

    name: str
    type: str
    family: TypeFamily
    nullable: bool = True
    comment: str = ""
    identifying: bool = False
    hidden: bool = False


class ForeignKey(Frozen):
    """`columns` of the owning table point, in order, to `ref_columns` of `ref_table`."""

    columns: tuple[str, ...]
    ref_table: str  # "schema.table"
    ref_columns: tuple[str, ...]


class Table(Frozen):
    """One table or view. `row_estimate` is the planner's, -1 when unknown."""

    schema_name: str
    name: str
    kind: Literal["table", "view", "materialized_view", "foreign_table", "partitioned_table"] = (
        "table"
    )
    comment: str = ""
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    row_estimate: int = -1

    @property
    def full_name(self) -> str:
        return f"{self.schema_name}.{self.name}"

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def column(self, name: str) -> Column | None:
        return self.by_name.get(name)


class Catalog(Frozen):
    """All tables of a workspace's schemas. `version` is a hash of the content."""

    workspace: str
    version: str
    tables: tuple[Table, ...]
    allowed_functions: frozenset[str] = frozenset()  # stable/immutable built-ins, lower case
    redefined_operators: frozenset[str] = (
        frozenset()
    )  # operators the warehouse's schemas bring along

    @cached_property
    def by_name(self) -> dict[str, Table]:
        return {table.full_name: table for table in self.tables}

    def table(self, full_name: str) -> Table | None:
        """The table called `schema.table`, or None."""
        return self.by_name.get(full_name)

    def column(self, full_name: str) -> Column | None:
        """The column called `schema.table.column`, or None."""
        table_name, _, column_name = full_name.rpartition(".")
        table = self.by_name.get(table_name)
        return table.column(column_name) if table else None
