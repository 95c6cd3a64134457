"""What speaks for one reading of some words beside its score: nearness, names, how exact it is."""

from __future__ import annotations

from thoth.analyst.interpret import Interpretation
from thoth.analyst.language.tokens import fold, stems
from thoth.analyst.linking.graph import JoinGraph
from thoth.analyst.linking.mentions import Candidate, Mention

_NEAR, _CLOSE = 0.3, 0.15
_NAMED = 0.1
_EXACT = 0.3


def support(
    found: Interpretation,
    graph: JoinGraph,
    population: str,
    mention: Mention,
    candidate: Candidate,
) -> float:
    """0 to about 1.2: higher, better supported by the rest of the question."""
    said = _said(found, mention)
    score = _nearness(graph, population, candidate.table) + _named(found, candidate, said)
    if candidate.value is not None and candidate.kind == "value":
        score += _EXACT * _exactness(found, mention, candidate)
    return score


def _nearness(graph: JoinGraph, population: str, table: str) -> float:
    """A table that is looked up from the population's row is nearer than one that has many rows for it."""
    if not table or not population:
        return 0.0
    path = graph.path(population, table)
    if path is None or len(path) > 1:
        return 0.0
    return _CLOSE if any(step.expands for step in path) else _NEAR


def _said(found: Interpretation, mention: Mention) -> frozenset[str]:
    """Stems of the question's other words."""
    frame = found.frame
    others = [t for t in frame.tokens if not mention.start <= t.index < mention.end]
    return frozenset(s for t in others if t.index in frame.content for s in t.stems)


def _named(found: Interpretation, candidate: Candidate, said: frozenset[str]) -> float:
    """How many words of the candidate's table and column the rest of the question says."""
    view = found.schema.column(candidate.target) if candidate.column else None
    table = found.schema.tables.get(candidate.table)
    words = set(view.words if view else ()) | set(table.words if table else ())
    return min(3, sum(bool(stems(word) & said) for word in words)) * _NAMED


def _exactness(found: Interpretation, mention: Mention, candidate: Candidate) -> float:
    """Share of the value's words that the mention says, in any form."""
    if candidate.how == "code":
        return 1.0
    said = {s for i in range(mention.start, mention.end) for s in found.frame.tokens[i].stems}
    words = fold(candidate.value or "").split()
    return sum(bool(stems(word) & said) for word in words) / len(words) if words else 0.0
