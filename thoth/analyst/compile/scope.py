"""Aliases of the tables of one SELECT, and of those around it that it may refer to."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from thoth.analyst.compile import names
from thoth.analyst.compile.serving import Ref


class Scope:
    """Maps `schema.table` to the alias it has here. Aliases are unique in the whole query."""

    def __init__(self, tables: Iterable[str], outer: Scope | None = None) -> None:
        self.taken: set[str] = outer.taken if outer else set()
        self.aliases: dict[str, str] = dict(outer.aliases) if outer else {}
        for table in tables:
            alias = names.pick_alias(table, self.taken)
            self.taken.add(alias)
            self.aliases[table] = alias

    def column(self, ref: Ref) -> exp.Column:
        return names.column(self.aliases[ref.table], ref.name)

    def source(self, table: str) -> exp.Expr:
        return names.table_source(table, self.aliases[table])
