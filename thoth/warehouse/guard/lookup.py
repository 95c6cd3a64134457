"""From a name in the text to a column or table, by PostgreSQL's rules, or a refusal."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sqlglot import exp

from thoth.contracts.schema import Catalog, Table
from thoth.lib.errors import Invalid
from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.names import fold_name, foreign_letters
from thoth.warehouse.guard.nodes import position
from thoth.warehouse.guard.relations import Group, OutColumn, Relation, Scope

_SYSTEM_SCHEMAS = frozenset({"pg_catalog", "information_schema", "pg_toast"})


def name_of(identifier: exp.Expr) -> str:
    """The identifier as PostgreSQL stores it."""
    return fold_name(identifier.name, quoted=bool(identifier.args.get("quoted")))


class Lookup:
    """Finds tables and columns for one text, and notes which ones it used."""

    def __init__(self, catalog: Catalog, sql: str) -> None:
        self.catalog = catalog
        self.sql = sql
        self.tables: set[str] = set()
        self.columns: set[str] = set()
        self._unqualified: dict[str, list[Table]] = {}
        for table in catalog.tables:
            self._unqualified.setdefault(table.name, []).append(table)

    # -- tables ---------------------------------------------------------------------------------

    def table(self, node: exp.Expr) -> Table:
        """Raises: Invalid `sql_system_catalog`, `sql_table_unknown`, `sql_table_ambiguous`."""
        name = name_of(node.this)
        schema = name_of(node.args["db"]) if node.args.get("db") else None
        if (
            schema in _SYSTEM_SCHEMAS
            or (schema or "").startswith("pg_")
            or self._is_system(schema, name)
        ):
            message = f"{_dotted(schema, name)} is a system catalog, which no query may read."
            raise self.refuse("sql_system_catalog", message, node)
        found = self._candidates(schema, name)
        if len(found) > 1:
            options = ", ".join(sorted(table.full_name for table in found))
            message = f"The table {name} exists in several schemas. Write one of: {options}."
            raise self.refuse("sql_table_ambiguous", message, node)
        if not found:
            raise self._unknown_table(schema, name, node)
        self.tables.add(found[0].full_name)
        return found[0]

    def _is_system(self, schema: str | None, name: str) -> bool:
        """Bare names meet pg_catalog first, whose relations all begin with pg_."""
        return schema is None and name.startswith("pg_")

    def _candidates(self, schema: str | None, name: str) -> list[Table]:
        named = self._unqualified.get(name, [])
        return (
            named if schema is None else [table for table in named if table.schema_name == schema]
        )

    def _unknown_table(self, schema: str | None, name: str, node: exp.Expr) -> Invalid:
        full = _dotted(schema, name)
        message = f"There is no table {full} in this workspace."
        if letters := foreign_letters(full):
            message += f" The name contains {letters}."
        message += self._suggest(full, self.catalog.by_name)
        return self.refuse("sql_table_unknown", message, node)

    # -- columns --------------------------------------------------------------------------------

    def column(self, node: exp.Column, scope: Scope) -> OutColumn:
        """The column, or the whole row when the name is that of a relation.

        Raises: Invalid `sql_column_unknown`, `sql_column_ambiguous`, `sql_column_unnamed`,
        `sql_hidden_column`, `sql_whole_row`.
        """
        if isinstance(node.this, exp.Star):
            return self.whole_row(self.relation(node, scope), node)
        if node.args.get("table"):
            relation = self.relation(node, scope)
            return self._used(self._within(relation.columns, name_of(node.this), node), node)
        return self._bare(node, scope)

    def _bare(self, node: exp.Column, scope: Scope) -> OutColumn:
        name = name_of(node.this)
        for level in scope.levels():
            columns = [column for group in level.groups for column in group.columns]
            found = [column for column in columns if column.name == name]
            if len(found) > 1:
                message = f"The column {name} exists in several tables here. Write alias.{name}."
                raise self.refuse("sql_column_ambiguous", message, node)
            if found:
                return self._used(found[0], node)
            self._check_named(columns, name, node)
        for level in scope.levels():
            for relation in level.relations():
                if relation.name == name:
                    return self.whole_row(relation, node)
        raise self._unknown_column(name, _visible(scope), node)

    def _within(self, columns: Iterable[OutColumn], name: str, node: exp.Expr) -> OutColumn:
        columns = tuple(columns)
        found = [column for column in columns if column.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            message = (
                f"The column {name} stands twice in this table. Give one of them another name."
            )
            raise self.refuse("sql_column_ambiguous", message, node)
        self._check_named(columns, name, node)
        raise self._unknown_column(name, columns, node)

    def _check_named(self, columns: Iterable[OutColumn], name: str, node: exp.Expr) -> None:
        """PostgreSQL may have given this very name to a column that we have no name for."""
        if any(column.name is None for column in columns):
            message = (
                f"An inner column without a name could be the {name} meant here. Name it with AS."
            )
            raise self.refuse("sql_column_unnamed", message, node)

    def relation(self, node: exp.Column, scope: Scope) -> Relation:
        """The relation that `alias.` or `schema.table.` before a column names, nearest level first."""
        name = name_of(node.args["table"])
        schema = name_of(node.args["db"]) if node.args.get("db") else None
        for level in scope.levels():
            for relation in level.relations():
                if relation.name == name and schema in (None, relation.schema):
                    return relation
        message = f"No table in this FROM clause is called {_dotted(schema, name)}."
        raise self.refuse("sql_column_unknown", message, node)

    # -- rows -----------------------------------------------------------------------------------

    def whole_row(self, relation: Relation, node: exp.Expr) -> OutColumn:
        """Raises: Invalid `sql_whole_row` when the row has a hidden column."""
        if relation.has_hidden:
            message = f"A whole row of {relation.name} would show hidden columns. Name the columns."
            raise self.refuse("sql_whole_row", message, node)
        sources = frozenset(source for column in relation.columns for source in column.sources)
        self.columns |= sources
        return OutColumn(relation.name, sources)

    def star(self, columns: Iterable[OutColumn], node: exp.Expr) -> list[OutColumn]:
        """`*` or `t.*` in a select list. Raises: Invalid `sql_hidden_column`."""
        listed = list(columns)
        for column in listed:
            if column.hidden:
                message = (
                    f"* would show the hidden column {column.name}. Name the columns you need."
                )
                raise self.refuse("sql_hidden_column", message, node)
            self.columns |= column.sources
        return listed

    def shared(self, name: str, left: Group, right: Group, node: exp.Expr) -> str:
        """A name of USING: once on each side, and not hidden."""
        for side in (left, right):
            if side.count(name) != 1:
                code = "sql_column_ambiguous" if side.count(name) else "sql_column_unknown"
                message = f"USING ({name}) needs exactly one column {name} on each side."
                raise self.refuse(code, message, node)
            self._used(self._within(side.columns, name, node), node)
        return name

    def check_renaming(self, relation: Relation, node: exp.Expr) -> None:
        """New names by position would carry a hidden column out under another name."""
        if relation.has_hidden:
            message = f"A column list on {relation.name} would rename hidden columns. Leave it out."
            raise self.refuse("sql_hidden_column", message, node)

    def _used(self, column: OutColumn, node: exp.Expr) -> OutColumn:
        if column.hidden:
            message = f"The column {column.name} is hidden in this workspace."
            raise self.refuse("sql_hidden_column", message, node)
        self.columns |= column.sources
        return column

    def _unknown_column(self, name: str, columns: Iterable[OutColumn], node: exp.Expr) -> Invalid:
        message = f"There is no column {name} in the tables used here."
        if letters := foreign_letters(name):
            message += f" The name contains {letters}."
        known = [column.name for column in columns if column.name and not column.hidden]
        return self.refuse("sql_column_unknown", message + self._suggest(name, known), node)

    def _suggest(self, name: str, known: Iterable[str]) -> str:
        close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.75)
        return f" Did you mean {close[0]}?" if close else ""

    def refuse(self, code: str, message: str, node: exp.Expr) -> Invalid:
        return refusal(code, message, sql=self.sql, offset=position(node))


def _dotted(schema: str | None, name: str) -> str:
    return name if schema is None else f"{schema}.{name}"


def _visible(scope: Scope) -> list[OutColumn]:
    return [
        column for level in scope.levels() for group in level.groups for column in group.columns
    ]
