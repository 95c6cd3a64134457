"""F4: the tables and columns that serve the intent."""

from __future__ import annotations

from thoth.analyst.constraints import Linking, alike, connect, linking_of
from thoth.analyst.fits import Fit
from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.steps.base import Work
from thoth.analyst.steps.linking import banned, bound, preferred, without_effect
from thoth.analyst.wording import serving_in_words
from thoth.contracts.decisions import ColumnPromoted
from thoth.contracts.steps import Cannot, LinkedColumn, LinkedTable, LinkProposal

_ALTERNATIVES_MAX = 5
_RIVALS_MAX = 4


def propose(work: Work) -> LinkProposal:
    if work.unclear is not None and not work.followed:
        return LinkProposal(addressed=work.addressed, cannot=work.unclear)
    fit = bound(work)
    if isinstance(fit, Cannot):
        return LinkProposal(addressed=work.addressed, cannot=fit)
    linking = linking_of(fit, work.task.decided, work.without_texts.graph)
    if work.followed:
        changed = _followed(work, fit, linking)
        if changed is None:
            return LinkProposal(addressed=work.addressed, cannot=without_effect(work))
        linking = changed
    return LinkProposal(addressed=work.addressed, tables=_tables(work, fit, linking))


def _tables(work: Work, fit: Fit, linking: Linking) -> tuple[LinkedTable, ...]:
    """What serves the intent, ticked; what other readings would use for the same, not ticked."""
    rivals = _rivals(work, fit, linking)
    unticked = [t for t in dict.fromkeys(_table_of(c) for c in rivals) if t not in linking.tables]
    chosen = [
        _table(work, name, linking, {c: u for c, u in rivals.items() if _table_of(c) == name})
        for name in linking.tables
    ]
    others = [
        LinkedTable(
            table=name,
            why="un'altra lettura la usa" if work.language == "it" else "another reading uses it",
            recommended=False,
            columns=tuple(
                _column(work, c, use, recommended=False)
                for c, use in rivals.items()
                if _table_of(c) == name
            ),
        )
        for name in unticked
    ]
    return (*chosen, *others)


def _table(
    work: Work, name: str, linking: Linking, rivals: dict[str, ColumnPromoted]
) -> LinkedTable:
    own = {c: use for c, use in linking.columns.items() if _table_of(c) == name}
    serves = linking.tables[name]
    return LinkedTable(
        table=name,
        serves=tuple(serves),
        why=_why_table(work, serves, bridging=not own and not serves),
        columns=(
            *(_column(work, c, use, recommended=True) for c, use in own.items()),
            *(_column(work, c, use, recommended=False) for c, use in rivals.items()),
        ),
    )


def _why_table(work: Work, serves: list[str], *, bridging: bool) -> str:
    italian = work.language == "it"
    if "population" in serves:
        if italian:
            return "le sue righe sono ciò di cui si chiede"
        return "its rows are what is asked about"
    if bridging:
        return "collega altre tabelle" if italian else "connects other tables"
    if serves:
        return serving_in_words(work.task.intent, serves, work.language)
    return "contiene le colonne usate" if italian else "holds the columns used"


def _column(work: Work, name: str, use: ColumnPromoted, *, recommended: bool) -> LinkedColumn:
    return LinkedColumn(
        column=name,
        role=use.role,
        serves=use.serves,
        why=serving_in_words(work.task.intent, use.serves, work.language),
        recommended=recommended,
        alternatives=_alternatives(work, name, use) if recommended else (),
    )


def _rivals(work: Work, fit: Fit, linking: Linking) -> dict[str, ColumnPromoted]:
    """Columns that near readings of the same intent would use instead; cited values are settled."""
    texts = {f.id for f in fit.intent.filters if f.kind == "text"}
    found: dict[str, ColumnPromoted] = {}
    for other in alike(work.without_texts.fits, fit)[1:]:
        for name, use in other.decided.columns.items():
            settled = name in linking.columns or set(use.serves) & texts or name in found
            if not settled and not {name, _table_of(name)} & banned(work):
                found[name] = use
    return dict(list(found.items())[:_RIVALS_MAX])


def _alternatives(work: Work, name: str, use: ColumnPromoted) -> tuple[str, ...]:
    """Columns of the same table and kind that the same words might have meant."""
    schema = work.without_texts.found.schema
    view = schema.column(name)
    grounded = {g.column for v in work.task.decided.groundings.values() for g in v.groundings}
    if view is None or use.role == "key" or name in grounded:
        return ()
    columns = schema.tables[view.table].columns.values()
    others = [c for c in columns if c.full != name and _alike(c, view) and not c.column.hidden]
    return tuple(c.full for c in others[:_ALTERNATIVES_MAX])


def _alike(one: ColumnView, other: ColumnView) -> bool:
    if other.is_date:
        return one.is_date
    return one.column.family == other.column.family and bool(set(one.words) & set(other.words))


def _table_of(column: str) -> str:
    return column.rpartition(".")[0]


# ---- texts


def _followed(work: Work, fit: Fit, linking: Linking) -> Linking | None:
    """The linking as the texts want it; None when they change nothing.

    A reading of the same intent that uses what is wished, or does without what is banned, comes
    first; else a column gives way to a wished one of its kind, a wished table is gone through.
    """
    wished, unwanted = preferred(work), banned(work)
    graph = work.without_texts.graph
    for other in alike(work.without_texts.fits, fit)[1:]:
        made = linking_of(other, work.task.decided, graph, unwanted)
        names = {*made.tables, *made.columns}
        if not unwanted & names and wished & names >= wished & _known(work) and made != linking:
            return made
    made = linking_of(fit, work.task.decided, graph, unwanted)
    changed = made != linking
    for name in sorted(wished):
        changed = (_replace(work, made, name) or _include(work, made, name)) or changed
    return made if changed and not unwanted & {*made.tables, *made.columns} else None


def _known(work: Work) -> frozenset[str]:
    schema = work.without_texts.found.schema
    return frozenset(n for n in preferred(work) if n in schema.tables or schema.column(n))


def _replace(work: Work, linking: Linking, wished: str) -> bool:
    """A used column of the same kind gives way, a banned one first, then one of the same table."""
    schema = work.without_texts.found.schema
    view = schema.column(wished)
    if view is None or wished in linking.columns:
        return False
    candidates = [
        (name not in banned(work), _table_of(name) != view.table, name)
        for name, use in linking.columns.items()
        if use.role != "key" and (known := schema.column(name)) and _gives_way(known, view)
    ]
    if not candidates:
        return False
    name = min(candidates)[2]
    linking.columns[wished] = linking.columns.pop(name)
    linking.tables.setdefault(view.table, [])
    connect(linking, work.without_texts.graph)
    return not linking.unreached


def _gives_way(known: ColumnView, wished: ColumnView) -> bool:
    return _alike(wished, known) or known.column.family == wished.column.family


def _include(work: Work, linking: Linking, wished: str) -> bool:
    """A wished table joins in, when a way leads to it."""
    if wished not in work.without_texts.found.schema.tables or wished in linking.tables:
        return False
    linking.tables[wished] = []
    connect(linking, work.without_texts.graph, banned(work))
    return not linking.unreached
