"""FROM clauses: what each item is, and which names a join lets through."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from thoth.warehouse.guard.expressions import Expressions, ResolveQuery, function_name
from thoth.warehouse.guard.lookup import Lookup, name_of
from thoth.warehouse.guard.relations import Group, OutColumn, Relation, Scope, relation_of

# Functions whose columns have names of their own; any other function's is called like itself.
_KEY_VALUE = ("key", "value")
_FUNCTION_COLUMNS = {
    **dict.fromkeys(("json_each", "jsonb_each", "json_each_text", "jsonb_each_text"), _KEY_VALUE),
    **dict.fromkeys(("json_array_elements", "jsonb_array_elements"), ("value",)),
    **dict.fromkeys(("json_array_elements_text", "jsonb_array_elements_text"), ("value",)),
}


class Sources:
    """Resolves FROM items; `seen` collects the table nodes that were looked at."""

    def __init__(
        self, lookup: Lookup, expressions: Expressions, resolve_query: ResolveQuery, sql: str
    ) -> None:
        self._lookup = lookup
        self._expressions = expressions
        self._resolve_query = resolve_query
        self._sql = sql
        self.seen: set[int] = set()
        self._kinds: dict[type[exp.Expr], Callable[[exp.Expr, Scope], Group]] = {
            exp.Table: self._table,
            exp.Subquery: self._derived,
            exp.Values: self._derived,
            exp.Lateral: self._lateral,
            exp.Unnest: self._unnest,
        }

    def fill(self, node: exp.Select, scope: Scope) -> None:
        """Put the FROM clause of a SELECT into its scope."""
        if not (from_ := node.args.get("from_")):
            return
        scope.groups.append(self._item(from_.this, scope))
        for join in node.args.get("joins") or []:
            self._join(join, scope)
        names = [relation.name for relation in scope.relations() if relation.name]
        for relation in scope.relations():
            if relation.name and names.count(relation.name) > 1:
                message = f"Two tables of this FROM clause are called {relation.name}. Use aliases."
                raise self._lookup.refuse("sql_alias_twice", message, node)

    def _join(self, join: exp.Expr, scope: Scope) -> None:
        """A comma starts a new group; every other join extends the last one."""
        right = self._item(join.this, scope)
        if _is_comma(join):
            scope.groups.append(right)
        else:
            left = scope.groups.pop()
            scope.groups.append(self._joined(join, left, right, scope))

    def _joined(self, join: exp.Expr, left: Group, right: Group, scope: Scope) -> Group:
        if condition := join.args.get("on"):
            self._expressions.resolve(condition, scope.within(left, right))
        if using := join.args.get("using"):
            names = [
                self._lookup.shared(name_of(item), left, right, item) for item in _names(using)
            ]
            return left.joined(right, names)
        if str(join.args.get("method") or "").upper() == "NATURAL":
            return left.joined(right, self._common(left, right, join))
        return left.joined(right)

    def _common(self, left: Group, right: Group, join: exp.Expr) -> list[str]:
        if any(column.hidden or column.name is None for column in (*left.columns, *right.columns)):
            message = "NATURAL JOIN here could compare hidden or unnamed columns. Use ON."
            raise self._lookup.refuse("sql_hidden_column", message, join)
        shared = [column.name for column in left.columns if right.count(column.name or "")]
        return [self._lookup.shared(name or "", left, right, join) for name in shared]

    def _item(self, node: exp.Expr, scope: Scope) -> Group:
        """One FROM item with the joins that hang on it (`a JOIN b JOIN c ON … ON …`)."""
        group = self._source(node, scope)
        for join in node.args.get("joins") or []:
            inner = Scope(scope.ctes, scope.parent, [*scope.groups, group])
            right = self._item(join.this, inner)
            if _is_comma(join):
                raise self._lookup.refuse("sql_unparseable", "A comma stands inside a join.", join)
            group = self._joined(join, group, right, scope)
        return group

    def _source(self, node: exp.Expr, scope: Scope) -> Group:
        for kind, resolve in self._kinds.items():
            if isinstance(node, kind):
                return resolve(node, scope)
        raise self._lookup.refuse("sql_unparseable", "This FROM item could not be analysed.", node)

    def _table(self, node: exp.Expr, scope: Scope) -> Group:
        """A table, a CTE, or a function call that the parser puts in the same node."""
        self.seen.add(id(node))
        if node.args.get("rows_from"):
            relation = self._rows_from(node, scope)
        elif isinstance(node.this, exp.Identifier):
            relation = self._named(node, scope)
        else:
            relation = self._function(node, node.this, scope)
        return self._aliased(node, relation)

    def _derived(self, node: exp.Expr, scope: Scope) -> Group:
        if isinstance(node.this, exp.Table):
            return self._bracketed(node, scope)
        # Not LATERAL: it sees what surrounds the query, nothing beside it.
        outputs = self._resolve_query(node, Scope(scope.ctes, scope.parent))
        return self._aliased(node, Relation(None, tuple(outputs)))

    def _named(self, node: exp.Expr, scope: Scope) -> Relation:
        name = name_of(node.this)
        if not node.args.get("db") and name in scope.ctes:
            return Relation(name, scope.ctes[name])
        return relation_of(self._lookup.table(node))

    def _bracketed(self, node: exp.Expr, scope: Scope) -> Group:
        """(a JOIN b) keeps its names; (a JOIN b) AS j hides them behind one."""
        group = self._item(node.this, scope)
        if node.args.get("alias"):
            return self._aliased(node, Relation(None, group.columns))
        return group

    def _lateral(self, node: exp.Expr, scope: Scope) -> Group:
        """Sees the items to its left."""
        if isinstance(node.this, exp.Subquery):
            outputs = self._resolve_query(node.this, scope)
            return self._aliased(node, Relation(None, tuple(outputs)))
        return self._aliased(node, self._function(node, node.this, scope))

    def _unnest(self, node: exp.Expr, scope: Scope) -> Group:
        cells = [self._expressions.resolve(item, scope) for item in node.expressions]
        columns = [OutColumn("unnest", sources) for sources in cells]
        if offset := node.args.get("offset"):
            # The parser takes the last name of the column list for the ordinality.
            name = name_of(offset) if isinstance(offset, exp.Identifier) else "ordinality"
            columns.append(OutColumn(name))
        return self._aliased(node, Relation("unnest", tuple(columns)))

    def _rows_from(self, node: exp.Expr, scope: Scope) -> Relation:
        columns: list[OutColumn] = []
        for item in node.args["rows_from"]:
            self.seen.add(id(item))
            columns.extend(self._function(item, item.this, scope).columns)
        return Relation(None, tuple(columns))

    def _function(self, node: exp.Expr, call: exp.Expr, scope: Scope) -> Relation:
        """A function in FROM is implicitly LATERAL."""
        inner = call.expression if isinstance(call, exp.Dot) else call
        if not isinstance(inner, exp.Func):
            raise self._lookup.refuse(
                "sql_unparseable", "This FROM item could not be analysed.", node
            )
        sources = self._expressions.resolve(inner, scope)
        name = function_name(inner, self._sql)
        if name is None and not node.args.get("alias"):
            message = "A function in FROM needs an alias here (… AS x)."
            raise self._lookup.refuse("sql_unparseable", message, node)
        names = _FUNCTION_COLUMNS.get(name or "", (name,))
        columns = [OutColumn(c, sources) for c in names]
        if node.args.get("ordinality"):
            columns.append(OutColumn("ordinality"))
        return Relation(name, tuple(columns))

    def _aliased(self, node: exp.Expr, relation: Relation) -> Group:
        alias = node.args.get("alias")
        if alias is None:
            return Group.of(relation)
        names = column_names(alias)
        if names:
            self._lookup.check_renaming(relation, node)
        if alias.this is None:
            return self._defined(node, relation.name, relation, names)
        return self._defined(node, name_of(alias.this), relation, names)

    def _defined(
        self, node: exp.Expr, name: str | None, relation: Relation, names: list[str]
    ) -> Group:
        """Under its alias. A function's only column takes the alias, its record columns the list."""
        if _is_function(node):
            sources = frozenset(source for column in relation.columns for source in column.sources)
            spare = [OutColumn(None, sources)] * max(0, len(names) - len(relation.columns))
            known = relation.columns
            if not names and known and known[0].name == relation.name:
                known = (OutColumn(name, known[0].sources), *known[1:])
            relation = Relation(name, (*known, *spare))
        if len(names) > len(relation.columns):
            message = f"The column list of {name} has more names than the table has columns."
            raise self._lookup.refuse("sql_column_unknown", message, node)
        return Group.of(
            relation.renamed(name or "", names) if names else relation.renamed(name or "", ())
        )


def _is_comma(join: exp.Expr) -> bool:
    return not any(join.args.get(name) for name in ("on", "using", "kind", "side", "method"))


def _is_function(node: exp.Expr) -> bool:
    if isinstance(node, exp.Table):
        return bool(node.args.get("rows_from")) or not isinstance(node.this, exp.Identifier)
    return isinstance(node, exp.Unnest) or (
        isinstance(node, exp.Lateral) and not isinstance(node.this, exp.Subquery)
    )


def _names(using: Iterable[exp.Expr]) -> Iterable[exp.Expr]:
    return (item.this if isinstance(item, exp.Column) else item for item in using)


def column_names(alias: exp.Expr) -> list[str]:
    """Of `AS x (a, b)` or `AS x (a int, b text)`."""
    columns = alias.args.get("columns") or []
    return [name_of(c.this if isinstance(c, exp.ColumnDef) else c) for c in columns]
