"""F4: the tables and columns that serve the intent."""

from __future__ import annotations

from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.reading.slice import promoted_columns
from thoth.analyst.steps.base import Work
from thoth.contracts.decisions import ColumnPromoted
from thoth.contracts.steps import LinkedColumn, LinkedTable, LinkProposal

_ALTERNATIVES_MAX = 5


def propose(work: Work) -> LinkProposal:
    if work.unclear is not None:
        return LinkProposal(addressed=work.addressed, cannot=work.unclear)
    reading = work.reading
    if reading is None:
        return LinkProposal(addressed=work.addressed, cannot=work.problem())
    columns = promoted_columns(reading)
    for formula in reading.formulas:
        for name in formula.columns:
            columns.setdefault(name, ColumnPromoted(role="measure", serves=tuple(formula.serves)))
    tables = dict(reading.tables)
    for name in columns:
        tables.setdefault(name.rpartition(".")[0], [])
    return LinkProposal(
        addressed=work.addressed,
        tables=tuple(_table(work, name, serves, columns) for name, serves in tables.items()),
    )


def _table(
    work: Work, name: str, serves: list[str], columns: dict[str, ColumnPromoted]
) -> LinkedTable:
    own = {c: use for c, use in columns.items() if c.rpartition(".")[0] == name}
    return LinkedTable(
        table=name,
        serves=tuple(serves),
        why=_why_table(work, serves, bridging=not own and not serves),
        columns=tuple(_column(work, c, use) for c, use in own.items()),
    )


def _why_table(work: Work, serves: list[str], *, bridging: bool) -> str:
    italian = work.language == "it"
    if "population" in serves:
        return (
            "le sue righe sono ciò di cui si chiede"
            if italian
            else "its rows are what is asked about"
        )
    if bridging:
        return "collega altre tabelle" if italian else "connects other tables"
    return (
        "serve " + ", ".join(serves)
        if serves
        else ("porta le colonne usate" if italian else "holds used columns")
    )


def _column(work: Work, name: str, use: ColumnPromoted) -> LinkedColumn:
    return LinkedColumn(
        column=name, role=use.role, serves=use.serves, why=", ".join(use.serves),
        alternatives=_alternatives(work, name, use),
    )  # fmt: skip


def _alternatives(work: Work, name: str, use: ColumnPromoted) -> tuple[str, ...]:
    """Columns of the same table and kind that the same words might have meant."""
    view = work.found.schema.column(name)
    if view is None or use.role in ("filter", "key"):
        return ()
    table = work.found.schema.tables[view.table]
    others = [c for c in table.columns.values() if c.full != name and _alike(c, view)]
    return tuple(c.full for c in others[:_ALTERNATIVES_MAX])


def _alike(one: ColumnView, other: ColumnView) -> bool:
    if other.is_date:
        return one.is_date
    return one.column.family == other.column.family and bool(set(one.words) & set(other.words))
