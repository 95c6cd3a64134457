"""F4: the joins between the promoted tables."""

from __future__ import annotations

from thoth.analyst.constraints import Linking, connect, linking_of
from thoth.analyst.describe import first_words
from thoth.analyst.messages import cannot
from thoth.analyst.reading.slice import cardinality
from thoth.analyst.steps.base import Work
from thoth.analyst.steps.linking import banned, bound, preferred, without_effect
from thoth.contracts.steps import Cannot, JoinsProposal, LinkedJoin, LinkedTable
from thoth.contracts.tools import JoinEdge


def propose(work: Work) -> JoinsProposal:
    if work.unclear is not None and not work.followed:
        return JoinsProposal(addressed=work.addressed, cannot=work.unclear)
    fit = bound(work)
    if isinstance(fit, Cannot):
        return JoinsProposal(addressed=work.addressed, cannot=fit)
    graph = work.without_texts.graph
    read = linking_of(fit, work.task.decided, graph).joins
    linking = _connected(work, read)
    if work.followed:
        before = [e.subject for e in linking.joins]
        linking = _connected(work, _wished(work, read))
        if [e.subject for e in linking.joins] == before:
            return JoinsProposal(addressed=work.addressed, cannot=without_effect(work))
    if linking.unreached:
        problem = cannot("no_path", work.language, linking.unreached)
        return JoinsProposal(addressed=work.addressed, cannot=problem)
    promoted = set(work.task.decided.tables)
    extra = sorted(set(linking.tables) - promoted)
    return JoinsProposal(
        addressed=work.addressed,
        joins=tuple(_join(work, edge) for edge in linking.joins),
        extra_tables=tuple(LinkedTable(table=name, why=_bridge(work)) for name in extra),
    )


def _connected(work: Work, read: list[JoinEdge]) -> Linking:
    """The promoted tables, by the reading's joins as far as their tables were kept, else by others."""
    decided = work.task.decided
    gone = frozenset(decided.excluded_tables) - decided.tables.keys()
    kept = [e for e in read if not {e.left, e.right} & gone]
    tables = {name: list(table.serves) for name, table in decided.tables.items()}
    linking = Linking(tables=tables, joins=_useful(kept, set(tables)))
    connect(linking, work.without_texts.graph, gone | banned(work))
    return linking


def _useful(edges: list[JoinEdge], tables: set[str]) -> list[JoinEdge]:
    return [e for e in edges if e.left in tables and e.right in tables]


def _wished(work: Work, read: list[JoinEdge]) -> list[JoinEdge]:
    """Another key between the same tables where the texts name its column or rule out the used one."""
    graph = work.without_texts.graph
    wished, unwanted = preferred(work), banned(work)
    result = []
    for edge in read:
        ways = [s.edge for s in graph.between(edge.left, edge.right)]
        better = [e for e in ways if _columns(e) & wished and not _columns(e) & unwanted]
        spared = [e for e in ways if not _columns(e) & unwanted]
        keep = edge if not _columns(edge) & unwanted else None
        result.append(next(iter(better), None) or keep or next(iter(spared), edge))
    return result


def _columns(edge: JoinEdge) -> set[str]:
    left = {f"{edge.left}.{c}" for c in edge.left_columns}
    return left | {f"{edge.right}.{c}" for c in edge.right_columns}


def _join(work: Work, edge: JoinEdge) -> LinkedJoin:
    ways = work.without_texts.graph.between(edge.left, edge.right)
    others = sorted(s.edge.subject for s in ways if s.edge.subject != edge.subject)
    return LinkedJoin(
        subject=edge.subject,
        cardinality=cardinality(edge),
        declared=edge.declared,
        why=_why(work, edge),
        alternatives=tuple(others),
    )


def _why(work: Work, edge: JoinEdge) -> str:
    """What the key's own comment says about it."""
    view = work.without_texts.found.schema.column(f"{edge.left}.{edge.left_columns[0]}")
    return first_words(view.column.comment) if view else ""


def _bridge(work: Work) -> str:
    return "collega altre tabelle" if work.language == "it" else "connects other tables"
