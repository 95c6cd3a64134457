"""How tables can be joined: the foreign keys, and where there are none, keys that bear one name."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice

from thoth.contracts.schema import Catalog, Table
from thoth.contracts.tools import JoinEdge, JoinPath, JoinSearch

PATHS_MAX = 3
_INFERRED_PENALTY = 0.5


def join_paths_find(catalog: Catalog, tables: Sequence[str]) -> JoinSearch:
    """At most three trees that connect `tables`, best first: few joins, declared ones preferred.

    Tables that no path reaches from the first one are in `unconnected`.
    """
    wanted = [name for name in dict.fromkeys(tables) if catalog.table(name)]
    graph = _graph(catalog)
    tree, missing = _tree(graph, wanted)
    paths = [_path(wanted, edges) for edges in islice(_variants(graph, tree), PATHS_MAX * 4)]
    paths.sort(key=lambda path: (-path.score, [edge.subject for edge in path.edges]))
    unknown = [name for name in tables if not catalog.table(name)]
    return JoinSearch(
        paths=tuple(paths[:PATHS_MAX]) if tree else (), unconnected=(*missing, *unknown)
    )


Graph = dict[str, dict[str, list[JoinEdge]]]


def _graph(catalog: Catalog) -> Graph:
    graph: Graph = defaultdict(lambda: defaultdict(list))
    for edge in (*_declared(catalog), *_inferred(catalog)):
        graph[edge.left][edge.right].append(edge)
        if edge.left != edge.right:
            graph[edge.right][edge.left].append(edge)
    return graph


def _declared(catalog: Catalog) -> Iterator[JoinEdge]:
    for table in catalog.tables:
        for key in table.foreign_keys:
            if catalog.table(key.ref_table):
                yield JoinEdge(
                    left=table.full_name,
                    left_columns=key.columns,
                    right=key.ref_table,
                    right_columns=key.ref_columns,
                    cardinality="one_to_one" if _is_key(table, key.columns) else "many_to_one",
                )


def _inferred(catalog: Catalog) -> Iterator[JoinEdge]:
    """A column called like the single-column key of exactly one other table, without a foreign key."""
    owners: dict[tuple[str, str], list[Table]] = defaultdict(list)
    for table in catalog.tables:
        if len(table.primary_key) == 1 and (column := table.column(table.primary_key[0])):
            owners[column.name, column.type].append(table)
    for table in catalog.tables:
        constrained = {column for key in table.foreign_keys for column in key.columns}
        for column in table.columns:
            targets = owners.get((column.name, column.type), [])
            is_own = table.primary_key == (column.name,)
            if len(targets) == 1 and not is_own and column.name not in constrained:
                yield JoinEdge(
                    left=table.full_name,
                    left_columns=(column.name,),
                    right=targets[0].full_name,
                    right_columns=(column.name,),
                    cardinality="many_to_one",
                    declared=False,
                )


def _is_key(table: Table, columns: tuple[str, ...]) -> bool:
    keys = [table.primary_key, *table.unique_keys]
    return any(key and set(key) <= set(columns) for key in keys)


def _tree(graph: Graph, wanted: list[str]) -> tuple[list[JoinEdge], list[str]]:
    """Grown from the first table, the nearest missing one next."""
    reached, edges, missing = set(wanted[:1]), [], list(wanted[1:])
    while missing:
        steps = _nearest(graph, reached, set(missing))
        if steps is None:
            return edges, missing
        edges += steps
        reached |= {name for edge in steps for name in (edge.left, edge.right)}
        missing = [name for name in missing if name not in reached]
    return edges, []


def _nearest(graph: Graph, start: set[str], goals: set[str]) -> list[JoinEdge] | None:
    """The shortest chain of edges from any of `start` to any of `goals`."""
    came: dict[str, tuple[str, JoinEdge] | None] = dict.fromkeys(sorted(start))
    queue = deque(came)
    while queue:
        name = queue.popleft()
        if name in goals:
            return _chain(came, name)
        for other in sorted(graph[name]):
            if other not in came:
                came[other] = (name, _preferred(graph[name][other]))
                queue.append(other)
    return None


def _chain(came: dict[str, tuple[str, JoinEdge] | None], name: str) -> list[JoinEdge]:
    edges: list[JoinEdge] = []
    while (step := came[name]) is not None:
        name, edge = step
        edges.append(edge)
    return edges[::-1]


def _preferred(edges: list[JoinEdge]) -> JoinEdge:
    return min(edges, key=lambda edge: (not edge.declared, edge.subject))


def _variants(graph: Graph, tree: list[JoinEdge]) -> Iterator[list[JoinEdge]]:
    """The tree, then each tree that takes another key between the same two tables."""
    yield tree
    for index, edge in enumerate(tree):
        for other in graph[edge.left][edge.right]:
            if other != edge:
                yield [*tree[:index], other, *tree[index + 1 :]]


def _path(wanted: list[str], edges: list[JoinEdge]) -> JoinPath:
    tables = [*wanted, *(name for edge in edges for name in (edge.left, edge.right))]
    cost = sum(1 if edge.declared else 1 + _INFERRED_PENALTY for edge in edges)
    return JoinPath(tables=tuple(dict.fromkeys(tables)), edges=tuple(edges), score=1 / (1 + cost))
