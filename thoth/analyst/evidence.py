"""What speaks for one reading of some words beside its score: nearness, names, how exact it is."""

from __future__ import annotations

from thoth.analyst.fits import Fit
from thoth.analyst.interpret import Interpretation
from thoth.analyst.language.tokens import fold, stems
from thoth.analyst.linking.graph import JoinGraph
from thoth.analyst.linking.mentions import Candidate, Mention

CLEAR = 0.09  # a lead by which one reading is recommended: more than a tie of rounded scores
_SAME, _NEAR, _FAR = 0.4, 0.3, 0.15
_NAMED = 0.1
_KEYED = 0.1
_NAMED_MAX = 3
_EXACT = 0.3


def support(
    found: Interpretation, graph: JoinGraph, fit: Fit, mention: Mention, candidate: Candidate
) -> float:
    """0 to about 1: higher, better supported by the rest of the question. `fit` says what that is."""
    position = found.mentions.index(mention)
    around = _tables_around(fit, position)
    score = _nearness(graph, fit.population, around, candidate.table)
    score += _named(found, candidate, _said(found, mention))
    score += _KEYED * _is_home(found, candidate)
    return score + _EXACT * _exactness(found, mention, candidate)


def _tables_around(fit: Fit, position: int) -> set[str]:
    """The tables that the question's other words speak of."""
    tables: set[str] = set()
    for place, key in enumerate(fit.reading.keys):
        kind, target = key.split("|")[:2]
        if place != position and target:
            tables.add(target if target.count(".") == 1 or kind == "table" else _table_of(target))
    return tables


def _table_of(column: str) -> str:
    return column.rpartition(".")[0]


def _nearness(graph: JoinGraph, population: str, around: set[str], table: str) -> float:
    """Spoken of already, or one key away; that the population has many rows there says least."""
    if not table:
        return 0.0
    if table in around:
        return _SAME
    near = 0.0
    for other in {population, *around} - {""}:
        for step in graph.between(other, table):
            weak = step.expands and other == population
            near = max(near, _FAR if weak else _NEAR)
    return near


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
    return min(_NAMED_MAX, sum(bool(stems(word) & said) for word in words)) * _NAMED


def _is_home(found: Interpretation, candidate: Candidate) -> bool:
    """Whether the value identifies a row of the candidate's own table, not of one it refers to."""
    table = found.schema.tables.get(candidate.table)
    key = table.key if table and candidate.kind == "value" else None
    return key is not None and key.full == candidate.target


def _exactness(found: Interpretation, mention: Mention, candidate: Candidate) -> float:
    """1 for a code that a comment explains and for a name said in full; for a value, the share of its
    words that the mention says, in any form."""
    if candidate.kind != "value":
        return float(candidate.kind != "none" and candidate.full and candidate.how == "name")
    if candidate.how == "code":
        return 1.0
    said = {s for i in range(mention.start, mention.end) for s in found.frame.tokens[i].stems}
    words = fold(candidate.value or "").split()
    return sum(bool(stems(word) & said) for word in words) / len(words) if words else 0.0
