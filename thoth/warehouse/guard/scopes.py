"""Queries, scope by scope: what each FROM item is, what each name means, what comes out.

PostgreSQL's rules, not the parser's: a CTE hides a table only where it is visible, a name in ON sees
only its own join, a derived table sees nothing beside it unless LATERAL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from thoth.contracts.schema import Catalog
from thoth.warehouse.guard.expressions import Expressions, output_name
from thoth.warehouse.guard.lookup import Lookup, name_of
from thoth.warehouse.guard.relations import Group, OutColumn, Relation, Scope
from thoth.warehouse.guard.sources import Sources, column_names

_RECURSION_PASSES = 4


class Resolver:
    """Resolves one text against the catalog; `lookup` then knows its tables and columns."""

    def __init__(self, catalog: Catalog, sql: str) -> None:
        self.sql = sql
        self.lookup = Lookup(catalog, sql)
        self.expressions = Expressions(self.lookup, self.query)
        self.sources = Sources(self.lookup, self.expressions, self.query, sql)

    def resolve(self, tree: exp.Expr) -> list[OutColumn]:
        """The output columns. Afterwards every table and column of the tree was looked at.

        Raises: Invalid as `Lookup`, `sql_cte_twice`, `sql_cte_forward`, `sql_alias_twice`,
        `sql_not_allowed`.
        """
        outputs = self.query(tree, Scope({}))
        for node in tree.find_all(exp.Column, exp.Table):
            if id(node) not in self.expressions.seen and id(node) not in self.sources.seen:
                message = "The SQL could not be analysed here. Write it another way."
                raise self.lookup.refuse("sql_unparseable", message, node)
        return outputs

    # -- queries --------------------------------------------------------------------------------

    def query(self, node: exp.Expr, outer: Scope) -> list[OutColumn]:
        """`outer` is the scope around: its CTEs are visible, its relations are for correlation."""
        scope = Scope(dict(outer.ctes), outer)
        if with_ := node.args.get("with_"):
            self._ctes(with_, scope)
        if isinstance(node, exp.Select):
            return self._select(node, scope)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, scope)
        if isinstance(node, exp.Values):
            return self._values(node, scope)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            outputs = self.query(node.this, scope)
            self._tail(node, Scope(scope.ctes, outer), outputs)
            return outputs
        raise self.lookup.refuse("sql_not_allowed", "This is not a query.", node)

    def _select(self, node: exp.Select, scope: Scope) -> list[OutColumn]:
        self.sources.fill(node, scope)
        for name in ("where", "having"):
            if clause := node.args.get(name):
                self.expressions.resolve(clause, scope)
        for window in node.args.get("windows") or []:
            self._window(window, scope)
        outputs = self._outputs(node.expressions, scope)
        named = _by_name(outputs)
        if group := node.args.get("group"):
            self._labels(group, scope, named, inputs_first=True)
        if (distinct := node.args.get("distinct")) and distinct.args.get("on"):
            self._labels(distinct, scope, named)
        if order := node.args.get("order"):
            self._labels(order, scope, named)
        self._limits(node, scope)
        return outputs

    def _outputs(self, expressions: Sequence[exp.Expr], scope: Scope) -> list[OutColumn]:
        outputs: list[OutColumn] = []
        for item in expressions:
            outputs.extend(self._output(item, scope))
        return outputs

    def _output(self, item: exp.Expr, scope: Scope) -> list[OutColumn]:
        if isinstance(item, exp.Star):
            columns = [column for group in scope.groups for column in group.columns]
            return self.lookup.star(columns, item)
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            self.expressions.seen.add(id(item))
            return self.lookup.star(self.lookup.relation(item, scope).columns, item)
        if isinstance(item, exp.Alias):
            return [
                OutColumn(name_of(item.args["alias"]), self.expressions.resolve(item.this, scope))
            ]
        return [OutColumn(output_name(item, self.sql), self.expressions.resolve(item, scope))]

    def _labels(
        self,
        clause: exp.Expr,
        scope: Scope,
        named: dict[str, OutColumn],
        *,
        inputs_first: bool = False,
    ) -> None:
        """ORDER BY x and DISTINCT ON (x) mean the output x first, GROUP BY x the input x first."""
        labels = Scope({}, None, [Group.of(Relation(None, tuple(named.values())))])
        for item in _items(clause):
            bare = isinstance(item, exp.Column) and not item.args.get("table")
            is_output = bare and not isinstance(item.this, exp.Star) and name_of(item.this) in named
            if is_output and not (inputs_first and self._is_input(item, scope)):
                self.expressions.resolve(item, labels)
            else:
                self.expressions.resolve(item, scope)

    def _is_input(self, item: exp.Expr, scope: Scope) -> bool:
        return any(group.count(name_of(item.this)) for group in scope.groups)

    def _window(self, window: exp.Expr, scope: Scope) -> None:
        for name in ("partition_by", "order", "spec"):
            value = window.args.get(name)
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, exp.Expr):
                    self.expressions.resolve(part, scope)

    def _limits(self, node: exp.Expr, scope: Scope) -> None:
        for name in ("limit", "offset"):
            if clause := node.args.get(name):
                self.expressions.resolve(clause, scope)

    def _tail(self, node: exp.Expr, scope: Scope, outputs: list[OutColumn]) -> None:
        """ORDER BY behind a set operation sees its output names only; LIMIT sees no column."""
        if order := node.args.get("order"):
            shown = [OutColumn(column.name, column.sources) for column in outputs]
            named = Scope(scope.ctes, scope.parent, [Group.of(Relation(None, tuple(shown)))])
            self.expressions.resolve(order, named)
        self._limits(node, scope)

    def _set_operation(self, node: exp.SetOperation, scope: Scope) -> list[OutColumn]:
        """Long UNION ALL chains lean to the left, so the left spine is walked, not recursed."""
        branches: list[exp.Expr] = [node.expression]
        left = node.this
        while isinstance(left, exp.SetOperation) and not _has_tail(left):
            branches.append(left.expression)
            left = left.this
        outputs = self.query(left, _around(scope))
        for branch in reversed(branches):
            outputs = _merged(outputs, self.query(branch, _around(scope)))
        self._tail(node, scope, outputs)
        return outputs

    def _values(self, node: exp.Values, scope: Scope) -> list[OutColumn]:
        outputs: list[OutColumn] = []
        for row in node.expressions:
            cells = row.expressions if isinstance(row, exp.Tuple) else [row]
            shown = [OutColumn(None, self.expressions.resolve(cell, scope)) for cell in cells]
            outputs = _merged(outputs, shown) if outputs else shown
        outputs = [OutColumn(f"column{n}", c.sources) for n, c in enumerate(outputs, 1)]
        self._tail(node, scope, outputs)
        return outputs

    # -- WITH -----------------------------------------------------------------------------------

    def _ctes(self, with_: exp.Expr, scope: Scope) -> None:
        names = [name_of(cte.args["alias"].this) for cte in with_.expressions]
        if len(set(names)) < len(names):
            raise self.lookup.refuse("sql_cte_twice", "Two CTEs have one name.", with_)
        recursive = bool(with_.args.get("recursive"))
        for index, cte in enumerate(with_.expressions):
            later = set(names[index + 1 :]) if recursive else set()
            self._check_forward(cte, later)
            scope.ctes[names[index]] = self._cte(cte, names[index], scope, recursive=recursive)

    def _check_forward(self, cte: exp.Expr, later: set[str]) -> None:
        """Under RECURSIVE a name may mean a CTE that comes later: nobody reads that rightly."""
        for table in cte.this.find_all(exp.Table) if later else ():
            bare = isinstance(table.this, exp.Identifier) and not table.args.get("db")
            if bare and name_of(table.this) in later:
                message = f"The CTE {name_of(table.this)} is used before it is defined. Move it up."
                raise self.lookup.refuse("sql_cte_forward", message, table)

    def _cte(
        self, cte: exp.Expr, name: str, scope: Scope, *, recursive: bool
    ) -> tuple[OutColumn, ...]:
        # A CTE sees its siblings and the CTEs around it, and for correlation the outer query only.
        around = Scope(dict(scope.ctes), scope.parent)
        alias = cte.args["alias"]
        body = cte.this
        if not (recursive and isinstance(body, exp.SetOperation)):
            if recursive:
                around.ctes.pop(name, None)
            return self._renamed(self.query(body, around), alias)
        return self._recursive(body, alias, name, around)

    def _recursive(
        self, body: exp.SetOperation, alias: exp.Expr, name: str, around: Scope
    ) -> tuple[OutColumn, ...]:
        """The right branch reads the rows so far: repeat until what they show stays the same."""
        inner = dict(around.ctes)
        inner.pop(name, None)
        columns = self._renamed(self.query(body.this, Scope(inner, around.parent)), alias)
        for _ in range(_RECURSION_PASSES):
            around.ctes[name] = columns
            step = self.query(body, around)
            merged = self._renamed(_merged(list(columns), step), alias)
            if merged == columns:
                return columns
            columns = merged
        everything = frozenset(source for column in columns for source in column.sources)
        return tuple(OutColumn(column.name, everything) for column in columns)

    def _renamed(self, outputs: Sequence[OutColumn], alias: exp.Expr) -> tuple[OutColumn, ...]:
        return Relation(None, tuple(outputs)).renamed("", column_names(alias)).columns


def _around(scope: Scope) -> Scope:
    """Branches see the CTEs of the operation and the relations around it."""
    return Scope(scope.ctes, scope.parent)


def _has_tail(node: exp.Expr) -> bool:
    return any(node.args.get(name) for name in ("with_", "order", "limit", "offset"))


def _items(clause: exp.Expr) -> Iterable[exp.Expr]:
    """The items of ORDER BY, GROUP BY (grouping sets opened) or DISTINCT ON."""
    pending: list[exp.Expr] = [clause]
    opens = (
        exp.Order, exp.Ordered, exp.Group, exp.GroupingSets, exp.Rollup, exp.Cube, exp.Distinct,
        exp.Tuple, exp.Paren,
    )  # fmt: skip
    while pending:
        node = pending.pop()
        if not isinstance(node, opens):
            yield node
            continue
        for value in node.args.values():
            pending.extend(
                v for v in (value if isinstance(value, list) else [value]) if _is_node(v)
            )


def _is_node(value: object) -> bool:
    return isinstance(value, exp.Expr)


def _by_name(outputs: Iterable[OutColumn]) -> dict[str, OutColumn]:
    return {column.name: column for column in outputs if column.name is not None}


def _merged(left: Sequence[OutColumn], right: Sequence[OutColumn]) -> list[OutColumn]:
    """The columns of a set operation: names from the left, values from both."""
    return [
        OutColumn(one.name, one.sources | other.sources)
        for one, other in zip(left, right, strict=False)
    ]
