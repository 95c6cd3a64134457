"""The approved joins as a graph of tables, and the tree that a query needs of it.

An edge *expands* when going along it can multiply rows. Uniqueness is read from the catalog's keys
first; a decided cardinality (which reads from the subject's left side to its right) counts only
where the catalog knows no key.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from thoth.analyst.compile.errors import UncompilableError
from thoth.contracts.decisions import JoinApproved
from thoth.contracts.schema import Table


@dataclass(frozen=True)
class JoinPair:
    """One approved join, seen from `left`: `left.pairs[i][0] = right.pairs[i][1]`."""

    subject: str
    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    kind: str
    expands: bool

    def reversed(self, *, expands: bool) -> JoinPair:
        pairs = tuple((b, a) for a, b in self.pairs)
        return JoinPair(self.subject, self.right, self.left, pairs, self.kind, expands)


@dataclass(frozen=True)
class Edge:
    """All approved joins from `parent` to `child`. More than one means: any of them may connect."""

    parent: str
    child: str
    ways: tuple[JoinPair, ...]

    @property
    def expands(self) -> bool:
        return len(self.ways) > 1 or self.ways[0].expands

    @property
    def kind(self) -> str:
        return self.ways[0].kind


def parse_subject(subject: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """`a.b.c=d.e.f&…` -> (`a.b`, `d.e`, column pairs). The left table is the first pair's left."""
    left = right = ""
    pairs: list[tuple[str, str]] = []
    for part in subject.split("&"):
        one, _, other = part.partition("=")
        (table_a, col_a), (table_b, col_b) = _split(one), _split(other)
        if not left:
            left, right = table_a, table_b
        if (table_a, table_b) == (left, right):
            pairs.append((col_a, col_b))
        elif (table_b, table_a) == (left, right):
            pairs.append((col_b, col_a))
        else:
            raise UncompilableError("bad_join", f"The join {subject} names more than two tables.")
    return left, right, tuple(pairs)


def _split(name: str) -> tuple[str, str]:
    table, _, column = name.strip().rpartition(".")
    return table, column


def is_unique(table: Table | None, columns: frozenset[str]) -> bool:
    """Whether at most one row of `table` has given values in `columns`, by the catalog's keys."""
    if table is None:
        return False
    keys = (table.primary_key, *table.unique_keys)
    return any(key and columns >= set(key) for key in keys)


class JoinGraph:
    """The approved joins between tables."""

    def __init__(self, joins: dict[str, JoinApproved], tables: dict[str, Table]) -> None:
        self._edges: dict[tuple[str, str], list[JoinPair]] = {}
        for subject in sorted(joins):
            self._add(subject, joins[subject], tables)

    def _add(self, subject: str, join: JoinApproved, tables: dict[str, Table]) -> None:
        left, right, pairs = parse_subject(subject)
        left_unique = is_unique(tables.get(left), frozenset(a for a, _ in pairs))
        right_unique = is_unique(tables.get(right), frozenset(b for _, b in pairs))
        if not left_unique and not right_unique:
            left_unique = join.cardinality in ("one_to_one", "one_to_many")
            right_unique = join.cardinality in ("one_to_one", "many_to_one")
        pair = JoinPair(subject, left, right, pairs, join.kind, expands=not right_unique)
        self._edges.setdefault((left, right), []).append(pair)
        back = pair.reversed(expands=not left_unique)
        self._edges.setdefault((right, left), []).append(back)

    def neighbours(self, table: str) -> list[str]:
        return [child for parent, child in self._edges if parent == table]

    def edge(self, parent: str, child: str) -> Edge:
        return Edge(parent, child, tuple(self._edges[parent, child]))

    def tree(self, root: str, needed: frozenset[str]) -> dict[str, Edge]:
        """For every table on the way from `root` to a needed one: the edge that enters it.

        Raises: UncompilableError `ambiguous_join` when the joins between those tables form a cycle.
        """
        kept = self._pruned(needed | {root})
        entered: dict[str, Edge] = {}
        queue = deque([root])
        while queue:
            parent = queue.popleft()
            for child in sorted(kept & set(self.neighbours(parent))):
                if child == root or child in entered:
                    self._refuse_cycle(parent, child, entered)
                    continue
                entered[child] = self.edge(parent, child)
                queue.append(child)
        return entered

    def _pruned(self, needed: frozenset[str]) -> set[str]:
        """The joined tables without the dead ends that nothing needs."""
        kept = {parent for parent, _ in self._edges} | needed
        while True:
            ends = {t for t in kept - needed if len(kept & set(self.neighbours(t)) - {t}) < 2}
            if not ends:
                return kept
            kept -= ends

    @staticmethod
    def _refuse_cycle(parent: str, child: str, entered: dict[str, Edge]) -> None:
        came_from = entered[parent].parent if parent in entered else None
        if child not in (came_from, parent):
            message = f"{parent} and {child} are connected by joins in more than one way."
            raise UncompilableError("ambiguous_join", message, parent, child)


def path_to(tree: dict[str, Edge], root: str, table: str) -> list[Edge]:
    """The edges from `root` to `table`.  Raises: UncompilableError `unconnected`."""
    edges: list[Edge] = []
    while table != root:
        if table not in tree:
            raise UncompilableError(
                "unconnected", f"No approved join connects {table} with {root}.", table, root
            )
        edges.append(tree[table])
        table = tree[table].parent
    return edges[::-1]
