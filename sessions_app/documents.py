"""The JSON artifacts that other code reads back, as classes; workflow.yaml names them.

`schema_linking.json` is compiled from the effective view in F5, `cte_plan.json` is what F6 works off.
"""

from __future__ import annotations

from pydantic import Field, ValidationError

from thoth.contracts.decisions import (
    AmbiguityOpen,
    ColumnPromoted,
    ConceptFormulaApproved,
    JoinApproved,
    TablePromoted,
    ValueAbsent,
    ValueGrounded,
)
from thoth.contracts.schema import Frozen
from thoth.contracts.steps import CteDraft


class Candidate(Frozen):
    """A promoted table with what was decided about its columns and values.

    `columns` by column name; `grounded_values` by the literal as written.
    """

    table: str
    decision: TablePromoted
    columns: dict[str, ColumnPromoted] = {}
    grounded_values: dict[str, ValueGrounded] = {}


class SchemaLinking(Frozen):
    """Everything F4 decided, table by table. Keys are ledger subjects."""

    candidates: tuple[Candidate, ...] = Field(min_length=1)
    joins: dict[str, JoinApproved] = {}
    exclusions: tuple[str, ...] = ()
    concept_formulas: dict[str, ConceptFormulaApproved] = {}
    absent_values: dict[str, ValueAbsent] = {}
    open_questions: dict[str, AmbiguityOpen] = {}


class CtePlan(Frozen):
    """The named steps of F6 in order; an empty plan says that none is needed."""

    ctes: tuple[CteDraft, ...] = ()


DOCUMENTS: dict[str, type[Frozen]] = {"SchemaLinking": SchemaLinking, "CtePlan": CtePlan}


def problem(document: str, text: str) -> str | None:
    """Why `text` is not such a document, or None when it is one. KeyError for an unknown class."""
    try:
        DOCUMENTS[document].model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'document'}: {first['msg']}"
    return None
