"""F4: the joins between the promoted tables."""

from __future__ import annotations

from thoth.analyst.linking.graph import JoinGraph
from thoth.analyst.messages import cannot
from thoth.analyst.reading.reading import Reading
from thoth.analyst.reading.slice import cardinality
from thoth.analyst.steps.base import Work
from thoth.contracts.steps import JoinsProposal, LinkedJoin, LinkedTable
from thoth.contracts.tools import JoinEdge


def propose(work: Work) -> JoinsProposal:
    if work.unclear is not None:
        return JoinsProposal(addressed=work.addressed, cannot=work.unclear)
    if work.reading is None:
        return JoinsProposal(addressed=work.addressed, cannot=work.problem())
    promoted = list(work.task.decided.tables)
    edges = _read(work.reading, promoted)
    if not _connected(promoted, edges):
        edges = _searched(work, promoted, edges)
    if not _connected(promoted, edges):
        return JoinsProposal(
            addressed=work.addressed, cannot=cannot("no_path", work.language, tuple(promoted))
        )
    extra = sorted({t for e in edges for t in (e.left, e.right)} - set(promoted))
    graph = JoinGraph(work.found.schema)
    return JoinsProposal(
        addressed=work.addressed,
        joins=tuple(_join(graph, edge) for edge in edges),
        extra_tables=tuple(LinkedTable(table=name, why="") for name in extra),
    )


def _read(reading: Reading, promoted: list[str]) -> list[JoinEdge]:
    """The reading's own joins, as far as the reviewer kept their tables."""
    kept = set(promoted)
    return [e for e in reading.joins if e.left in kept and e.right in kept]


def _connected(tables: list[str], edges: list[JoinEdge]) -> bool:
    if len(tables) < 2:
        return True
    reached, queue = {tables[0]}, [tables[0]]
    while queue:
        here = queue.pop()
        for edge in edges:
            for one, other in ((edge.left, edge.right), (edge.right, edge.left)):
                if one == here and other not in reached:
                    reached.add(other)
                    queue.append(other)
    return set(tables) <= reached


def _searched(work: Work, promoted: list[str], edges: list[JoinEdge]) -> list[JoinEdge]:
    """The reviewer changed the tables: ask how these hang together."""
    found = work.tools.join_paths(tuple(promoted[:8]))
    return list(found.paths[0].edges) if found.paths else edges


def _join(graph: JoinGraph, edge: JoinEdge) -> LinkedJoin:
    others = [
        s.edge.subject
        for s in graph.between(edge.left, edge.right)
        if s.edge.subject != edge.subject
    ]
    return LinkedJoin(
        subject=edge.subject, cardinality=cardinality(edge), declared=edge.declared,
        alternatives=tuple(sorted(others)),
    )  # fmt: skip
