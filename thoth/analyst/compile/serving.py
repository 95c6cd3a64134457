"""Which decisions serve which part of the intent: the only door from ids to tables and columns."""

from __future__ import annotations

from dataclasses import dataclass

from thoth.analyst.compile.errors import UncompilableError
from thoth.contracts.decisions import ColumnPromoted, ConceptFormulaApproved, ValueGrounded
from thoth.contracts.schema import Column, Table
from thoth.contracts.task import DecidedSlice

POPULATION = "population"  # the id by which the table of the population is served


@dataclass(frozen=True, order=True)
class Ref:
    """A column of a table (`schema.table`, column name)."""

    table: str
    name: str

    @classmethod
    def parse(cls, full_name: str) -> Ref:
        table, _, name = full_name.rpartition(".")
        return cls(table, name)

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"


class Serving:
    """The decided slice, asked by intent id. Orders follow the decisions' own order."""

    def __init__(self, decided: DecidedSlice, tables: tuple[Table, ...]) -> None:
        self.decided = decided
        self.catalog = {table.full_name: table for table in tables}

    def columns(self, id_: str) -> list[tuple[Ref, ColumnPromoted]]:
        return [(Ref.parse(k), c) for k, c in self.decided.columns.items() if id_ in c.serves]

    def refs(self, id_: str) -> list[Ref]:
        return [ref for ref, _ in self.columns(id_)]

    def tables(self, id_: str) -> list[str]:
        return [name for name, table in self.decided.tables.items() if id_ in table.serves]

    def groundings(self, id_: str) -> dict[str, ValueGrounded]:
        return {k: g for k, g in self.decided.groundings.items() if id_ in g.serves}

    def absent(self, id_: str) -> list[str]:
        return [literal for literal, a in self.decided.absent.items() if id_ in a.serves]

    def formula(self, id_: str, concept: str | None) -> ConceptFormulaApproved | None:
        """The approved formula that serves the id, or that of its concept."""
        for formula in self.decided.formulas.values():
            if id_ in formula.serves:
                return formula
        return self.decided.formulas.get(concept) if concept else None

    def meta(self, ref: Ref) -> Column:
        """The catalog's column.  Raises: UncompilableError `unknown_column`."""
        table = self.catalog.get(ref.table)
        found = table.column(ref.name) if table else None
        if found is None:
            raise UncompilableError("unknown_column", f"The catalog has no column {ref}.", str(ref))
        return found

    def key(self, table: str) -> tuple[str, ...]:
        """The primary key, else the first unique key of columns that cannot be null."""
        found = self.catalog.get(table)
        if found is None:
            raise UncompilableError("unknown_table", f"The catalog has no table {table}.", table)
        if found.primary_key:
            return found.primary_key
        for key in found.unique_keys:
            columns = [found.column(name) for name in key]
            if all(column and not column.nullable for column in columns):
                return key
        raise UncompilableError(
            "no_key", f"{table} has no key by which its rows could be told apart.", table
        )
