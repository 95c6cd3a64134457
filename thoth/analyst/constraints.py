"""A reading under the decisions of F3 and F4: the intent binds, groundings choose and replace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from thoth.analyst.fits import Fit, Fits, shape
from thoth.analyst.linking.graph import JoinGraph
from thoth.analyst.reading.slice import promoted_columns
from thoth.contracts.decisions import ColumnPromoted, Grounding, ValueGrounded
from thoth.contracts.intent import QueryIntent
from thoth.contracts.task import DecidedSlice
from thoth.contracts.tools import JoinEdge


def binding(fits: Fits, intent: QueryIntent | None, decided: DecidedSlice) -> Fit | None:
    """The fit whose intent was approved, the one that agrees most with what F4 has decided.

    A literal found in another column changes no intent, only the name of its filter's subject.
    """
    if intent is None:
        return fits.best
    same = [fit for fit in fits.found if shape(fit.intent) == shape(intent)]
    ranked = sorted(
        range(len(same)),
        key=lambda i: (-_agreements(same[i], decided), same[i].intent != intent, i),
    )
    return same[ranked[0]] if ranked else None


def alike(fits: Fits, fit: Fit) -> tuple[Fit, ...]:
    """All fits of the same intent, the given one first."""
    others = [f for f in fits.found if f is not fit and shape(f.intent) == shape(fit.intent)]
    return (fit, *others)


def _agreements(fit: Fit, decided: DecidedSlice) -> int:
    """How many literals the fit looks for exactly where it was decided."""
    count = 0
    for use in fit.reading.literals:
        value = _decided_for(decided, use.literal, use.serves)
        columns = {g.column for g in use.groundings}
        count += value is not None and {g.column for g in value.groundings} == columns
    return count


def _decided_for(decided: DecidedSlice, literal: str, id_: str) -> ValueGrounded | None:
    exact = decided.groundings.get(literal)
    if exact is not None:
        return exact
    return next((v for v in decided.groundings.values() if id_ in v.serves), None)


@dataclass
class Linking:
    """The tables (with the ids that each serves), columns and joins of one query."""

    tables: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[str, ColumnPromoted] = field(default_factory=dict)
    joins: list[JoinEdge] = field(default_factory=list)
    unreached: tuple[str, ...] = ()

    @property
    def population(self) -> str:
        return next((t for t, serves in self.tables.items() if "population" in serves), "")


def linking_of(
    fit: Fit, decided: DecidedSlice, graph: JoinGraph, banned: Iterable[str] = ()
) -> Linking:
    """What serves the fit's intent once the decided groundings and formulas hold.

    `banned` tables are not gone through. Tables that no way reaches are named in `unreached`.
    """
    linking = Linking(
        tables={t: list(s) for t, s in fit.reading.tables.items()},
        columns=promoted_columns(fit.reading),
        joins=list(fit.reading.joins),
    )
    _ground(linking, fit, decided)
    _tidy(linking, _formula_tables(linking, fit, decided))
    connect(linking, graph, frozenset(banned))
    return linking


def _ground(linking: Linking, fit: Fit, decided: DecidedSlice) -> None:
    """Filters of cited values are served by the columns that the reviewer grounded them on."""
    by_filter: dict[str, list[Grounding]] = {}
    for value in decided.groundings.values():
        for id_ in value.serves:
            by_filter.setdefault(id_, []).extend(value.groundings)
    absent = {id_ for value in decided.absent.values() for id_ in value.serves}
    texts = {f.id for f in fit.intent.filters if f.kind == "text" and not f.concept}
    for id_ in texts & (by_filter.keys() | absent):
        _drop(linking, id_)
        for grounding in by_filter.get(id_, ()):
            _serve(linking, grounding.column, "filter", id_)


def _drop(linking: Linking, id_: str) -> None:
    for name, use in list(linking.columns.items()):
        if id_ not in use.serves:
            continue
        left = tuple(s for s in use.serves if s != id_)
        if left:
            linking.columns[name] = use.model_copy(update={"serves": left})
        else:
            del linking.columns[name]


def _serve(linking: Linking, name: str, role: str, id_: str) -> None:
    known = linking.columns.get(name)
    if known is None:
        linking.columns[name] = ColumnPromoted.model_validate({"role": role, "serves": (id_,)})
    elif id_ not in known.serves:
        linking.columns[name] = known.model_copy(update={"serves": (*known.serves, id_)})
    linking.tables.setdefault(name.rpartition(".")[0], [])


def _formula_tables(linking: Linking, fit: Fit, decided: DecidedSlice) -> set[str]:
    """The tables that the formulas read: those of the reviewer's choice, else of the reading."""
    read: set[str] = set()
    for use in fit.reading.formulas:
        approved = decided.formulas.get(use.concept)
        columns = approved.columns if approved else use.columns
        read |= {name.rpartition(".")[0] for name in columns}
    for table in sorted(read):
        linking.tables.setdefault(table, [])
    return read


def _tidy(linking: Linking, kept: set[str]) -> None:
    """Tables that nothing needs any more are let go, from the ends of the joins inwards."""
    needed = {c.rpartition(".")[0] for c in linking.columns} | kept
    needed |= {t for t, serves in linking.tables.items() if serves}
    while True:
        ends = [t for t in linking.tables if t not in needed and len(_edges_of(linking, t)) < 2]
        if not ends:
            return
        for table in ends:
            del linking.tables[table]
            linking.joins = [e for e in linking.joins if table not in (e.left, e.right)]


def _edges_of(linking: Linking, table: str) -> list[JoinEdge]:
    return [e for e in linking.joins if table in (e.left, e.right)]


def connect(linking: Linking, graph: JoinGraph, banned: frozenset[str] = frozenset()) -> None:
    """Ways to every table that the joins do not reach yet are added; the rest is `unreached`."""
    start = linking.population or next(iter(linking.tables), "")
    linking.joins = [e for e in linking.joins if not {e.left, e.right} & banned]
    missing: list[str] = []
    for table in list(linking.tables):
        if table in reached(start, linking.joins) or table in missing:
            continue
        path = graph.path(start, table, frozenset(e.subject for e in linking.joins))
        if path is None or any(step.target in banned for step in path[:-1]):
            missing.append(table)
            continue
        for step in path:
            if step.target not in reached(start, linking.joins):
                linking.tables.setdefault(step.target, [])
                linking.joins.append(step.edge)
    linking.unreached = tuple(missing)


def reached(start: str, joins: Iterable[JoinEdge]) -> set[str]:
    """The tables that hang together with `start`."""
    edges = list(joins)
    found, queue = {start}, [start]
    while queue:
        here = queue.pop()
        for edge in edges:
            for one, other in ((edge.left, edge.right), (edge.right, edge.left)):
                if one == here and other not in found:
                    found.add(other)
                    queue.append(other)
    return found
