"""Which table's rows the population is, when no decision says so."""

from __future__ import annotations

from thoth.analyst.compile.aggregates import Source
from thoth.analyst.compile.conditions import Condition
from thoth.analyst.compile.dimensions import Part
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.joins import JoinGraph, path_to
from thoth.analyst.compile.serving import POPULATION, Serving


def population_of(
    serving: Serving,
    parts: dict[str, list[Part]],
    sources: dict[str, Source],
    rows: list[Condition],
) -> str:
    """The table that serves `population`; else one that serves a row count; else the finest one.

    The finest is the one from which every other needed table is looked up without repeating rows.
    Raises: UncompilableError `no_population`.
    """
    decided = serving.tables(POPULATION)
    if decided:
        return decided[0]
    counted = [s.table for s in sources.values() if s.table]
    if counted:
        return counted[0]
    shown = {t for p in parts.values() for part in p for t in part.tables}
    shown |= {t for s in sources.values() for t in s.tables}
    needed = sorted(shown) or sorted({t for c in rows for t in c.tables})
    if not needed:
        raise UncompilableError("no_population", "No table holds what the question is about.")
    graph = JoinGraph(serving.decided.joins, serving.catalog)
    return next((t for t in needed if _is_finest(t, needed, graph)), needed[0])


def _is_finest(table: str, needed: list[str], graph: JoinGraph) -> bool:
    try:
        tree = graph.tree(table, frozenset(needed))
        edges = [edge for other in needed for edge in path_to(tree, table, other)]
    except UncompilableError:
        return False
    return not any(edge.expands for edge in edges)
