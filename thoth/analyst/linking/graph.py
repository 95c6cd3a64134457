"""How tables connect: declared foreign keys, else keys whose names say so."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import combinations

from thoth.analyst.language.tokens import stems
from thoth.analyst.linking.schema_view import ColumnView, SchemaView, TableView
from thoth.contracts.tools import JoinEdge

_DECLARED_COST, _INFERRED_COST, _LOOSE_COST = 1.0, 1.2, 4.0


@dataclass(frozen=True)
class Step:
    """One edge walked from `source` to `target`."""

    source: str
    target: str
    edge: JoinEdge
    cost: float

    @property
    def expands(self) -> bool:
        """Whether one row of `source` may meet several of `target`."""
        forward = self.edge.left == self.source
        wide = ("one_to_many", "many_to_many") if forward else ("many_to_one", "many_to_many")
        return self.edge.cardinality in wide


class JoinGraph:
    """The edges between the candidate tables."""

    def __init__(
        self,
        schema: SchemaView,
        extra: tuple[JoinEdge, ...] = (),
        banned: frozenset[str] = frozenset(),
    ) -> None:
        """`extra` edges count before those that the tables' own keys and names say."""
        self.schema = schema
        edges = {e.subject: e for e in extra}
        for edge in [*_declared(schema), *_inferred(schema)]:
            edges.setdefault(edge.subject, edge)
        usable = [e for e in edges.values() if not {e.left, e.right} & banned]
        self.edges = tuple(sorted(usable, key=lambda e: e.subject))
        self._steps: dict[str, list[Step]] = {}
        for edge in self.edges:
            cost = self._cost(edge)
            self._steps.setdefault(edge.left, []).append(Step(edge.left, edge.right, edge, cost))
            self._steps.setdefault(edge.right, []).append(Step(edge.right, edge.left, edge, cost))

    @staticmethod
    def _cost(edge: JoinEdge) -> float:
        if edge.declared:
            return _DECLARED_COST
        return _LOOSE_COST if edge.cardinality == "many_to_many" else _INFERRED_COST

    def steps_from(self, table: str) -> list[Step]:
        """All edges of a table, walked away from it."""
        return self._steps.get(table, [])

    def between(self, one: str, other: str) -> list[Step]:
        """The direct edges from `one` to `other`, in the order of the foreign key's table."""
        return [s for s in self._steps.get(one, []) if s.target == other]

    def path(
        self, source: str, target: str, prefer: frozenset[str] = frozenset()
    ) -> list[Step] | None:
        """The cheapest steps; an edge in `prefer` (subjects) costs nothing. None without a way."""
        if source == target:
            return []
        queue: list[tuple[float, int, str, tuple[Step, ...]]] = [(0.0, 0, source, ())]
        seen: set[str] = set()
        count = 0
        while queue:
            cost, _, table, steps = heapq.heappop(queue)
            if table == target:
                return list(steps)
            if table in seen:
                continue
            seen.add(table)
            for step in self._steps.get(table, []):
                if step.target not in seen:
                    count += 1
                    extra = 0.0 if step.edge.subject in prefer else step.cost
                    extra += self._detour(steps, step)
                    heapq.heappush(queue, (cost + extra, count, step.target, (*steps, step)))
        return None

    @staticmethod
    def _detour(steps: tuple[Step, ...], step: Step) -> float:
        """Down to many rows and up again to a table is a weaker link than along one direction."""
        return 1.5 if steps and steps[-1].expands is False and step.expands else 0.0

    def distance(self, source: str, target: str) -> float:
        path = self.path(source, target)
        return 99.0 if path is None else sum(step.cost for step in path)


def _declared(schema: SchemaView) -> list[JoinEdge]:
    return [
        JoinEdge(
            left=view.full,
            left_columns=key.columns,
            right=key.ref_table,
            right_columns=key.ref_columns,
            cardinality="many_to_one",
            declared=True,
        )
        for view in schema.tables.values()
        for key in view.table.foreign_keys
        if key.ref_table in schema.tables
    ]


def _inferred(schema: SchemaView) -> list[JoinEdge]:
    known = _declared(schema)
    declared = {frozenset((e.left, e.right)) for e in known}
    keyed = {table for e in known for table in (e.left, e.right)}
    edges: list[JoinEdge] = []
    for one, other in combinations(schema.tables.values(), 2):
        if frozenset((one.full, other.full)) in declared or {one.full, other.full} <= keyed:
            continue  # the catalog says how these hang together
        edges += _by_names(one, other)
    return edges


def _by_names(one: TableView, other: TableView) -> list[JoinEdge]:
    found = [
        _edge(one, left, other, right)
        for left in one.columns.values()
        for right in other.columns.values()
        if _same_type(left, right)
        and not _disjoint(left, right)
        and _refers(left, one, right, other)
    ]
    strict = [e for e in found if e.cardinality != "many_to_many"]
    return (
        strict
        or [
            e
            for e in found
            if _keyish(one, e.left_columns[0]) or _keyish(other, e.right_columns[0])
        ][:1]
    )


def _keyish(table: TableView, column: str) -> bool:
    view = table.columns[column]
    return view.is_key_like or view.words[-1:] == ("name",)


def _disjoint(left: ColumnView, right: ColumnView) -> bool:
    """Both are known whole and have no value in common."""
    one, other = left.sample, right.sample
    if one is None or other is None:
        return False
    whole = one.distinct == len(one.values) and other.distinct == len(other.values)
    return (
        whole
        and bool(one.values)
        and bool(other.values)
        and not set(one.values) & set(other.values)
    )


def _same_type(left: ColumnView, right: ColumnView) -> bool:
    families = {left.column.family, right.column.family}
    return len(families) == 1 and families <= {"integer", "text"}


def _refers(left: ColumnView, one: TableView, right: ColumnView, other: TableView) -> bool:
    """Whether the names say that the two columns hold the same thing."""
    return _points(left, right, other) or _points(right, left, one) or _equal(left, right)


def _equal(left: ColumnView, right: ColumnView) -> bool:
    same = left.column.name == right.column.name
    informative = len(left.words) > 1 and (left.is_key_like or "name" in left.words)
    return same and informative


def _points(source: ColumnView, key: ColumnView, table: TableView) -> bool:
    """`sale.car_id` -> `car.id`; `fare.from_airport` -> `airport.airport_code`."""
    if table.key is None or key.full != table.key.full:
        return False
    own = {stem for word in table.words for stem in stems(word)}
    matched = [w for w in source.words if stems(w) & own]
    if len(matched) < len(table.words):
        return False
    rest = [w for w in source.words if not stems(w) & own]
    return all(w in ("id", "key", "code", "fk") for w in rest) or (
        not source.is_key_like
        and len(rest) <= 1
        and source.words[-1] not in ("name", "type", "number", "date")
        and key.is_key_like
        and source.words[0] == rest[0]
    )


def _edge(one: TableView, left: ColumnView, other: TableView, right: ColumnView) -> JoinEdge:
    left_key = one.is_distinct(left) or (one.key is not None and one.key.full == left.full)
    right_key = other.is_distinct(right) or (other.key is not None and other.key.full == right.full)
    kind = {(True, True): "one_to_one", (False, True): "many_to_one", (True, False): "one_to_many",
            (False, False): "many_to_many"}[left_key, right_key]  # fmt: skip
    return JoinEdge(left=one.full, left_columns=(left.column.name,), right=other.full,
                    right_columns=(right.column.name,), cardinality=kind, declared=False)  # fmt: skip
