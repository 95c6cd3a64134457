"""Where each table comes in: joined into the query, or asked for by EXISTS.

Tables of measures and dimensions are joined. A table that only filters is joined when that cannot
multiply the population's rows, and asked for by EXISTS otherwise: a filter never changes a total.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from thoth.analyst.compile.comparisons import compare
from thoth.analyst.compile.conditions import (
    Atom,
    Condition,
    Group,
    Negated,
    Related,
    all_of,
    one_of,
)
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.joins import Edge, JoinGraph, path_to
from thoth.analyst.compile.scope import Scope
from thoth.analyst.compile.serving import Ref, Serving


class Plan:
    """The tables of one SELECT: `root` (the population), `joined` to it, and how to reach the others."""

    def __init__(
        self, serving: Serving, graph: JoinGraph, root: str, needed: frozenset[str]
    ) -> None:
        self.root = root
        self._serving = serving
        self._graph = graph
        self._tree = graph.tree(root, needed)
        self.joined: set[str] = {root}

    def join(self, tables: Iterable[str]) -> None:
        """Join the tables and all between.  Raises: UncompilableError `unconnected`, `ambiguous_join`."""
        for table in sorted(tables):
            for edge in path_to(self._tree, self.root, table):
                if len(edge.ways) > 1:
                    message = f"{edge.child} is joined to {edge.parent} in more than one way."
                    raise UncompilableError("ambiguous_join", message, edge.child)
                self.joined.add(edge.child)

    def admit(self, condition: Condition, *, keep_rows: bool) -> None:
        """Join what a condition speaks of as far as rows are not multiplied (nor lost: `keep_rows`)."""
        for part in _leaves(condition):
            inside = part.table if isinstance(part, Related) else None
            for table in sorted(part.tables if inside is None else {inside}):
                self._admit_table(table, inside, keep_rows=keep_rows)

    def _admit_table(self, table: str, inside: str | None, *, keep_rows: bool) -> None:
        for edge in path_to(self._tree, self.root, table):
            if edge.child in self.joined:
                continue
            if edge.expands or edge.child == inside or (keep_rows and self._loses_rows(edge)):
                return
            self.joined.add(edge.child)

    def _loses_rows(self, edge: Edge) -> bool:
        if edge.kind == "left":
            return False
        columns = (self._serving.meta(Ref(edge.parent, name)) for name, _ in edge.ways[0].pairs)
        return any(column.nullable for column in columns)

    def edges(self) -> list[Edge]:
        """The joins of the query, in an order in which each follows what it is joined to."""
        return [edge for table, edge in self._tree.items() if table in self.joined]

    def multiplied(self, table: str) -> bool:
        """Whether a row of the joined `table` can appear more than once in the joined rows."""
        seen, queue = {table}, [table]
        while queue:
            here = queue.pop()
            for there in self._joined_neighbours(here) - seen:
                if self._graph.edge(here, there).expands:
                    return True
                seen.add(there)
                queue.append(there)
        return False

    def leads_to_many(self, table: str, other: str) -> bool:
        """Whether one row of `table` may belong to several rows of the joined `other`."""
        up = path_to(self._tree, self.root, table)
        down = path_to(self._tree, self.root, other)
        common = len([1 for a, b in zip(up, down, strict=False) if a == b])
        back = [self._graph.edge(edge.child, edge.parent) for edge in up[common:]]
        return any(edge.expands for edge in (*back, *down[common:]))

    def _joined_neighbours(self, table: str) -> set[str]:
        children = {e.child for e in self.edges() if e.parent == table}
        parents = {e.parent for e in self.edges() if e.child == table}
        return children | parents

    def optional(self, table: str) -> bool:
        """Whether an outer join may leave the joined `table` without a row."""
        return any(edge.kind == "left" for edge in path_to(self._tree, self.root, table))

    # ---- conditions in place

    def place_all(self, conditions: list[Condition], scope: Scope) -> list[exp.Expr]:
        """Each condition as SQL; those that ask the same related row share one EXISTS."""
        shared: dict[str, list[Condition]] = {}
        for condition in conditions:
            edge = self._shareable(condition)
            if edge is not None:
                shared.setdefault(edge.child, []).append(condition)
        result: list[exp.Expr] = []
        for condition in conditions:
            edge = self._shareable(condition)
            if edge is None:
                result.append(self.place(condition, scope))
            elif edge.child in shared:
                result.append(self._exists(edge, shared.pop(edge.child), scope))
        return result

    def _shareable(self, condition: Condition) -> Edge | None:
        """The branch that a positive condition hangs on as a whole, None when it must stand alone."""
        if isinstance(condition, Negated) or any(isinstance(p, Negated) for p in _parts(condition)):
            return None
        if isinstance(condition, Related):
            lonely = condition.inner or condition.keys or condition.table in self.joined
            return None if lonely else self._branch(frozenset({condition.table}))
        return None if self._is_mixed(condition) else self._branch(condition.tables)

    def _is_mixed(self, condition: Condition) -> bool:
        """Alternatives of which some need no related row, or none of them, are placed one by one."""
        parts = condition.parts if isinstance(condition, Group) and condition.any_of else ()
        return any(
            part.tables <= self.joined or isinstance(part, Negated) or self._is_mixed(part)
            for part in parts
        )

    def place(self, condition: Condition, scope: Scope, *, negate: bool = False) -> exp.Expr:
        """One condition as SQL.  Raises: UncompilableError `condition_spans`, `exists_self`."""
        if isinstance(condition, Negated):
            return self.place(condition.of, scope, negate=not negate)
        if isinstance(condition, Related):
            return _maybe_not(self._related(condition, scope), negate=negate)
        if condition.tables <= self.joined:
            return self._here(condition, scope, negate=negate)
        edge = None if self._is_mixed(condition) else self._branch(condition.tables)
        if edge is not None:
            return _maybe_not(self._exists(edge, [condition], scope), negate=negate)
        if isinstance(condition, Group):
            return self._combined(condition, scope, negate=negate)
        raise UncompilableError(
            "condition_spans", "A condition needs rows of unrelated tables at once."
        )

    def _here(self, condition: Atom | Group, scope: Scope, *, negate: bool) -> exp.Expr:
        if isinstance(condition, Group):
            return self._combined(condition, scope, negate=negate)
        return condition.negative(scope) if negate else condition.positive(scope)

    def _combined(self, group: Group, scope: Scope, *, negate: bool) -> exp.Expr:
        parts = [self.place(part, scope, negate=negate) for part in group.parts]
        return one_of(parts) if group.any_of != negate else all_of(parts)

    def _branch(self, tables: frozenset[str]) -> Edge | None:
        """The first edge outside the joined tables, when all other tables lie beyond that one edge."""
        found: dict[str, Edge] = {}
        for table in tables - self.joined:
            path = path_to(self._tree, self.root, table)
            edge = next(e for e in path if e.child not in self.joined)
            found[edge.child] = edge
        return next(iter(found.values())) if len(found) == 1 else None

    def _related(self, related: Related, scope: Scope) -> exp.Expr:
        if related.table not in self.joined:
            edge = self._branch(frozenset({related.table}))
        else:
            edge = None if related.keys else self._tree.get(related.table)
            if edge is None and not related.keys:
                message = f"{related.table} cannot be related to itself without a key."
                raise UncompilableError("exists_self", message, related.table)
        if edge is None:
            return self._same_key(related, scope)
        return self._exists(edge, list(related.inner), scope, also=related.table)

    def _same_key(self, related: Related, scope: Scope) -> exp.Expr:
        beyond = self._beyond(related.table, related.inner)
        inner = Scope([related.table, *(edge.child for edge in beyond)], scope)
        links = [compare(inner.column(key), "=", scope.column(key)) for key in related.keys]
        return self._select_one(related.table, beyond, links, list(related.inner), inner)

    def _exists(
        self, edge: Edge, conditions: list[Condition], scope: Scope, also: str | None = None
    ) -> exp.Expr:
        wanted = frozenset[str]().union(*(c.tables for c in conditions)) | (
            {also} if also else set()
        )
        beyond = self._edges_beyond(edge.child, wanted)
        inner = Scope([edge.child, *(e.child for e in beyond)], scope)
        links = [_link(edge, scope, inner)]
        return self._select_one(edge.child, beyond, links, conditions, inner)

    def _beyond(self, table: str, conditions: tuple[Condition, ...]) -> list[Edge]:
        return self._edges_beyond(table, frozenset[str]().union(*(c.tables for c in conditions)))

    def _edges_beyond(self, table: str, wanted: frozenset[str]) -> list[Edge]:
        """The edges from `table` down to the wanted tables that lie beyond it."""
        result: dict[str, Edge] = {}
        for other in sorted(wanted - {table}):
            path = path_to(self._tree, self.root, other)
            through = [i for i, e in enumerate(path) if e.child == table]
            start = through[0] + 1 if through else (0 if table == self.root else len(path))
            result.update({e.child: e for e in path[start:]})
        return list(result.values())

    def _select_one(
        self, table: str, beyond: list[Edge], links: list[exp.Expr],
        conditions: list[Condition], scope: Scope,
    ) -> exp.Expr:  # fmt: skip
        query = exp.select("1").from_(scope.source(table))
        for edge in beyond:
            query = query.join(scope.source(edge.child), on=_link(edge, scope, scope))
        inside = _Inside(self, {table, *(edge.child for edge in beyond)})
        parts = links + [inside.place(c, scope) for c in conditions if not isinstance(c, Related)]
        parts += [self.place(c, scope) for c in conditions if isinstance(c, Related) and c.inner]
        return exp.Exists(this=query.where(all_of(parts)))

    def query(self, scope: Scope) -> exp.Select:
        """`SELECT` without columns over the joined tables."""
        query = exp.Select().from_(scope.source(self.root))
        for edge in self.edges():
            kind = "LEFT" if edge.kind == "left" else ""
            query = query.join(
                scope.source(edge.child), on=_link(edge, scope, scope), join_type=kind, copy=False
            )
        return query

    def scope(self) -> Scope:
        return Scope([self.root, *(edge.child for edge in self.edges())])


class _Inside:
    """Places conditions inside an EXISTS, where the tables it selects from are at hand."""

    def __init__(self, plan: Plan, tables: set[str]) -> None:
        self._known = plan.joined | tables

    def place(self, condition: Condition, scope: Scope, *, negate: bool = False) -> exp.Expr:
        if isinstance(condition, Negated):
            return self.place(condition.of, scope, negate=not negate)
        if isinstance(condition, Related) or condition.tables - self._known:
            raise UncompilableError("condition_spans", "A condition nests related rows too deeply.")
        if isinstance(condition, Group):
            parts = [self.place(part, scope, negate=negate) for part in condition.parts]
            return one_of(parts) if condition.any_of != negate else all_of(parts)
        return condition.negative(scope) if negate else condition.positive(scope)


def _link(edge: Edge, parent: Scope, child: Scope) -> exp.Expr:
    """The join's condition; several approved ways between two tables are alternatives."""
    ways = []
    for way in edge.ways:
        equal = [
            compare(
                child.column(Ref(edge.child, there)), "=", parent.column(Ref(edge.parent, here))
            )
            for here, there in way.pairs
        ]
        ways.append(all_of(equal))
    tree = one_of(ways)
    return exp.paren(tree, copy=False) if isinstance(tree, exp.Or) else tree


def _maybe_not(tree: exp.Expr, *, negate: bool) -> exp.Expr:
    return exp.Not(this=tree) if negate else tree


def _parts(condition: Condition) -> list[Condition]:
    return list(condition.parts) if isinstance(condition, Group) else []


def _leaves(condition: Condition) -> list[Atom | Related]:
    if isinstance(condition, Negated):
        return _leaves(condition.of)
    if isinstance(condition, Group):
        return [leaf for part in condition.parts for leaf in _leaves(part)]
    return [condition]
