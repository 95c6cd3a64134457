"""The cheapest trees of joins that connect two to eight tables, with alternatives.

A tree is found as the best union of shortest paths from one table to all that were asked for:
exact for two and three of them, close beyond. Alternatives come by forbidding one join of a tree
at a time and looking again, cheapest first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from thoth.contracts.schema import Catalog
from thoth.contracts.tools import JoinPath, JoinSearch
from thoth.lib.errors import Invalid
from thoth.lib.limits import TOOL_TABLES_MAX
from thoth.warehouse.joingraph import JoinGraph, Link

PATHS_MAX = 5
_WORSE_BY = 2.5  # an alternative may cost this much more than the best tree
_TRIES_MAX = 40
_CACHED = 8
_graphs: dict[tuple[str, str], JoinGraph] = {}


def join_paths(
    catalog: Catalog, tables: Sequence[str], *, limit: int = PATHS_MAX
) -> tuple[JoinPath, ...]:
    """At most `limit` trees that connect all `tables` ("schema.table"), best first; () when
    nothing connects them. See `join_search` for what remains unconnected."""
    found = join_search(catalog, tables, limit=limit)
    return () if found.unconnected else found.paths


def join_search(catalog: Catalog, tables: Sequence[str], *, limit: int = PATHS_MAX) -> JoinSearch:
    """Trees that connect the first of `tables` with all others it can reach, best first.

    Edges are read from the first table outwards. `score` is 1 for declared single joins and falls
    with length, doubt and detours. The order never depends on anything but names and costs.
    Tables that do not exist or cannot be reached are in `unconnected`.
    Raises: Invalid `too_many_tables`.
    """
    if len(tables) > TOOL_TABLES_MAX:
        message = f"{len(tables)} tables were asked for; at most {TOOL_TABLES_MAX} can be joined."
        raise Invalid("too_many_tables", message, limit=TOOL_TABLES_MAX)
    asked = [table for table in dict.fromkeys(tables) if catalog.table(table)]
    graph = _graph(catalog)
    if not asked:
        return JoinSearch(paths=(), unconnected=tuple(dict.fromkeys(tables)))
    within = _Steiner(graph, asked[0], asked).reachable()
    joined = [table for table in asked if table in within]
    trees = _best_trees(graph, joined, limit)
    return JoinSearch(
        paths=tuple(_path(graph, joined[0], tree) for tree in trees),
        unconnected=tuple(table for table in dict.fromkeys(tables) if table not in within),
    )


def _graph(catalog: Catalog) -> JoinGraph:
    key = (catalog.workspace, catalog.version)
    found = _graphs.get(key)
    if found is None:
        found = JoinGraph(catalog)
        while len(_graphs) >= _CACHED:
            _graphs.pop(next(iter(_graphs)), None)
        _graphs[key] = found
    return found


@dataclass(frozen=True, slots=True)
class Tree:
    """Joins that connect the asked tables, without a cycle."""

    cost: float
    links: tuple[Link, ...]

    @property
    def key(self) -> tuple[float, int, str]:
        return (
            round(self.cost, 6),
            len(self.links),
            repr(sorted(sorted(k.pairs) for k in self.links)),
        )


def _best_trees(graph: JoinGraph, tables: Sequence[str], limit: int) -> list[Tree]:
    """Cheapest first: each tree found is branched by forbidding one of its joins."""
    number = count()
    first = _Steiner(graph, tables[0], tables).tree()
    if first is None:
        return []
    queue = [(first.key, next(number), first, frozenset[Link]())]
    found: dict[frozenset[Link], Tree] = {}
    tries = 0
    while queue and len(found) < limit and tries < _TRIES_MAX:
        _, _, tree, banned = heapq.heappop(queue)
        found.setdefault(frozenset(tree.links), tree)
        for link in tree.links:
            tries += 1
            without = banned | {link}
            other = _Steiner(graph, tables[0], tables, without).tree()
            if other and other.cost <= first.cost + _WORSE_BY:
                heapq.heappush(queue, (other.key, next(number), other, without))
    return sorted(found.values(), key=lambda tree: tree.key)


class _Steiner:
    """One search for the cheapest tree, with some joins forbidden."""

    def __init__(
        self,
        graph: JoinGraph,
        root: str,
        tables: Sequence[str],
        banned: frozenset[Link] = frozenset(),
    ) -> None:
        self._graph, self._root, self._tables, self._banned = graph, root, tables, banned

    def reachable(self) -> set[str]:
        """Every table that some joins connect with the root."""
        return set(self._from(self._root)[0])

    def tree(self) -> Tree | None:
        """The cheapest tree found; None when something cannot be reached."""
        runs = [self._from(table) for table in self._tables]
        centres = set(runs[0][0]).intersection(*(set(costs) for costs, _ in runs))
        if not set(self._tables) <= centres:
            return None
        bounds = sorted((sum(costs[c] for costs, _ in runs), c) for c in centres)
        best: Tree | None = None
        for total, centre in bounds:
            if best and total > best.cost * len(self._tables):
                break
            links = {link for _, way in runs for link in _walk(way, centre)}
            tree = self._pruned(links)
            if best is None or tree.key < best.key:
                best = tree
        return best

    def _from(self, start: str) -> tuple[dict[str, float], dict[str, tuple[str, Link]]]:
        """Costs to every table, and from each the next step towards `start`."""
        costs = {start: 0.0}
        way: dict[str, tuple[str, Link]] = {}
        queue = [(0.0, start)]
        done: set[str] = set()
        while queue:
            cost, table = heapq.heappop(queue)
            if table in done:
                continue
            done.add(table)
            for link in self._graph.links[table]:
                other = link.other(table)
                through = cost + link.cost + self._detour(table, link, way)
                if link not in self._banned and through < costs.get(other, float("inf")) - 1e-9:
                    costs[other] = through
                    way[other] = (table, link)
                    heapq.heappush(queue, (through, other))
        return costs, way

    def _detour(self, table: str, link: Link, way: dict[str, tuple[str, Link]]) -> float:
        """Two references that meet in a table multiply each other's rows: a little dearer, the
        fewer rows that table has (a calendar connects everything and means nothing)."""
        if table in self._tables or table not in way or table != link.b or table != way[table][1].b:
            return 0.0
        rows = max(self._graph.catalog.by_name[table].row_estimate, 0)
        return 0.3 + 0.2 / (1 + len(str(rows)))

    def _pruned(self, links: Iterable[Link]) -> Tree:
        """A spanning tree of the links, without branches that lead to nothing asked for."""
        kept = _spanning(sorted(links, key=lambda k: (k.cost, sorted(k.pairs))))
        asked = set(self._tables)
        while True:
            degree: dict[str, int] = {}
            for link in kept:
                degree[link.a] = degree.get(link.a, 0) + 1
                degree[link.b] = degree.get(link.b, 0) + 1
            loose = [k for k in kept if any(degree[t] == 1 and t not in asked for t in (k.a, k.b))]
            if not loose:
                break
            kept = [link for link in kept if link not in loose]
        return Tree(sum(k.cost for k in kept) + self._meetings(kept), tuple(kept))

    def _meetings(self, links: Sequence[Link]) -> float:
        """What `_detour` counts along a path, for a whole tree."""
        met: dict[str, int] = {}
        for link in links:
            met[link.b] = met.get(link.b, 0) + 1
        rows = {table: max(self._graph.catalog.by_name[table].row_estimate, 0) for table in met}
        return sum(
            (times - 1) * (0.3 + 0.2 / (1 + len(str(rows[table]))))
            for table, times in met.items()
            if times > 1 and table not in self._tables
        )


def _walk(way: dict[str, tuple[str, Link]], table: str) -> Iterable[Link]:
    while table in way:
        table, link = way[table]
        yield link


def _spanning(links: Sequence[Link]) -> list[Link]:
    """Kruskal: cheapest first, none that closes a cycle."""
    home: dict[str, str] = {}

    def root(table: str) -> str:
        while home.get(table, table) != table:
            table = home[table]
        return table

    kept = []
    for link in links:
        a, b = root(link.a), root(link.b)
        if a != b:
            home[a] = b
            kept.append(link)
    return kept


def _path(graph: JoinGraph, first: str, tree: Tree) -> JoinPath:
    """The tree's edges from the first table outwards, nearest first."""
    order, edges, left = [first], [], list(tree.links)
    for table in order:
        for link in [k for k in left if table in (k.a, k.b)]:
            left.remove(link)
            edges.append(graph.edge(link, table))
            order.append(link.other(table))
    score = 1.0 if not edges else len(edges) / max(tree.cost, 1e-9) / (1 + 0.1 * (len(edges) - 1))
    return JoinPath(tables=tuple(order), edges=tuple(edges), score=round(score, 4))
