"""A reading as the decisions it proposes: what F4 would hold if everything were approved."""

from __future__ import annotations

from thoth.analyst.reading.reading import Reading
from thoth.contracts.decisions import (
    Cardinality,
    ColumnPromoted,
    ConceptFormulaApproved,
    JoinApproved,
    TablePromoted,
    ValueGrounded,
)
from thoth.contracts.task import DecidedSlice
from thoth.contracts.tools import JoinEdge

_TURNED: dict[str, Cardinality] = {"many_to_one": "one_to_many", "one_to_many": "many_to_one"}


def decided_slice(reading: Reading) -> DecidedSlice:
    """The slice that `compile_query` would get after every recommendation was accepted."""
    return DecidedSlice(
        tables={t: TablePromoted(serves=tuple(serves)) for t, serves in reading.tables.items()},
        columns=promoted_columns(reading),
        joins={
            edge.subject: JoinApproved(cardinality=cardinality(edge), declared=edge.declared)
            for edge in reading.joins
        },
        groundings={
            use.literal: ValueGrounded(groundings=use.groundings, serves=(use.serves,))
            for use in reading.literals
        },
        formulas={
            use.concept: ConceptFormulaApproved(
                sql=use.sql, columns=use.columns, serves=tuple(use.serves)
            )
            for use in reading.formulas
        },
    )


def promoted_columns(reading: Reading) -> dict[str, ColumnPromoted]:
    """One promotion a column: the role it was first used in, all ids it serves."""
    found: dict[str, ColumnPromoted] = {}
    for (name, role), use in reading.columns.items():
        known = found.get(name)
        serves = (*known.serves, *use.serves) if known else tuple(use.serves)
        found[name] = ColumnPromoted(role=known.role if known else role, serves=serves)
    return found


def cardinality(edge: JoinEdge) -> Cardinality:
    """How the join reads from the left side of its subject, whose sides are sorted."""
    left = edge.subject.split("&")[0].split("=")[0].rpartition(".")[0]
    return (
        edge.cardinality if left == edge.left else _TURNED.get(edge.cardinality, edge.cardinality)
    )
