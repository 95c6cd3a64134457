"""What the effective view says was decided about the schema: the only material SQL is made of."""

from __future__ import annotations

from typing import cast

from sessions_app.types import Row
from sessions_app.view import EffectiveView
from thoth.contracts.decisions import (
    AmbiguityOpen,
    ColumnPromoted,
    ConceptFormulaApproved,
    JoinApproved,
    QuestionRewritten,
    TablePromoted,
    ValueAbsent,
    ValueGrounded,
)
from thoth.contracts.intent import QueryIntent
from thoth.contracts.task import DecidedSlice


def rewritten_question(view: EffectiveView) -> QuestionRewritten | None:
    """The approved rewriting, or None before F3 closes."""
    row = view.latest("question_rewritten")
    return cast(QuestionRewritten, row.typed()) if row else None


def intent_of(view: EffectiveView) -> QueryIntent | None:
    """The approved intent, or None before F3 closes."""
    rewritten = rewritten_question(view)
    return rewritten.intent if rewritten else None


def decided_slice(view: EffectiveView) -> DecidedSlice:
    """The last word on every table, column, join, value and formula. Keys are ledger subjects.

    Columns and joins of a table that was excluded after they were decided are gone with it.
    """
    tables = view.latest_by_subject("table_promoted", "table_excluded")
    values = view.latest_by_subject("value_grounded", "value_absent")
    formulas = view.latest_by_subject("concept_formula_approved", "concept_formula_rejected")
    joins = view.latest_by_subject("join_approved", "join_modified")
    excluded = tuple(name for name, row in tables.items() if row.type == "table_excluded")
    return DecidedSlice(
        tables={
            name: TablePromoted.model_validate(row.payload)
            for name, row in tables.items()
            if row.type == "table_promoted"
        },
        excluded_tables=excluded,
        columns={
            name: column
            for name, column in _columns(view).items()
            if name.rpartition(".")[0] not in excluded
        },
        joins={
            name: JoinApproved.model_validate(row.payload)
            for name, row in joins.items()
            if tables_of_join(name).isdisjoint(excluded)
        },
        groundings={
            name: ValueGrounded.model_validate(row.payload)
            for name, row in values.items()
            if row.type == "value_grounded"
        },
        absent={
            name: ValueAbsent.model_validate(row.payload)
            for name, row in values.items()
            if row.type == "value_absent"
        },
        formulas={
            name: ConceptFormulaApproved.model_validate(row.payload)
            for name, row in formulas.items()
            if row.type == "concept_formula_approved"
        },
    )


def tables_of_join(subject: str) -> frozenset[str]:
    """`schema.table` of every side of a join's subject."""
    sides = (side for pair in subject.split("&") for side in pair.split("="))
    return frozenset(side.rpartition(".")[0] for side in sides)


def open_questions(view: EffectiveView) -> dict[str, AmbiguityOpen]:
    """Ambiguities left open and not clarified since, by concept."""
    rows = view.latest_by_subject("ambiguity_open", "concept_clarified")
    return {
        name: AmbiguityOpen.model_validate(row.payload)
        for name, row in rows.items()
        if row.type == "ambiguity_open"
    }


def _columns(view: EffectiveView) -> dict[str, ColumnPromoted]:
    """Promoted columns; a correction removes the column that it replaces."""
    columns: dict[str, ColumnPromoted] = {}
    for row in view.of_type("column_promoted", "column_corrected"):
        payload = ColumnPromoted.model_validate(row.payload)
        if payload.replaces:
            columns.pop(payload.replaces, None)
        columns[row.subject] = _merged(columns.get(row.subject), payload, row)
    return columns


def _merged(known: ColumnPromoted | None, new: ColumnPromoted, row: Row) -> ColumnPromoted:
    # Promoted a second time for another purpose, a column keeps serving the first one too.
    if known is None or row.type == "column_corrected":
        return new
    serves = tuple(dict.fromkeys(known.serves + new.serves))
    return new.model_copy(update={"serves": serves})
