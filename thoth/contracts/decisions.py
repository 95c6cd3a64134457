"""Typed decisions: what a ledger row of each type carries. Normative table: docs/developers/ledger.md.

A `Decision` is what a stored option holds and what the gate appends; the payload's class is found by
type. Scores are strings: a ledger row holds no floats, so that its hash is the same everywhere.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Frozen

Cardinality = Literal["one_to_one", "many_to_one", "one_to_many", "many_to_many"]


class Payload(Frozen):
    """Fields that any payload may carry."""

    text_ids: tuple[str, ...] = ()
    restored_from: int | None = None


class ConceptClarified(Payload):
    """How a concept is to be understood.

    `columns` are the columns the meaning rests on; `filter` is a condition in words or SQL. `reading`
    is the analyst's or model's own machine-readable key of the chosen reading: opaque to the engine.
    """

    definition: str
    columns: tuple[str, ...] = ()
    filter: str | None = None
    memory_id: str | None = None
    reading: str | None = None


class AmbiguityOpen(Payload):
    undetermined: str
    risk: str = ""
    effect: str = ""


class QuestionRewritten(Payload):
    text: str
    intent: QueryIntent
    assumptions: tuple[str, ...] = ()


class TablePromoted(Payload):
    why: str = ""
    signals: dict[str, str] = {}
    serves: tuple[str, ...] = ()


class TableExcluded(TablePromoted):
    pass


class ColumnPromoted(Payload):
    role: Literal["output", "filter", "measure", "key", "dimension", "period"] = "output"
    why: str = ""
    signals: dict[str, str] = {}
    serves: tuple[str, ...] = ()
    replaces: str | None = None


class ColumnCorrected(ColumnPromoted):
    pass


class JoinApproved(Payload):
    """`cardinality` reads from the subject's left table to its right one (`subject_cardinality` of a
    JoinEdge); the catalog's keys outrank it. `left` keeps the rows of the side nearer the population.
    """

    kind: Literal["inner", "left"] = "inner"
    cardinality: Cardinality = "many_to_one"
    declared: bool = True
    why: str = ""


class JoinModified(JoinApproved):
    pass


class Grounding(Frozen):
    """The literal means `column op value`. `op` is `=`, `in`, `contains`, `starts_with`, `is_true`."""

    column: str
    value: str
    op: Literal["=", "contains", "starts_with", "ends_with", "is_true", "is_false"] = "="
    score: str = ""
    method: str = ""
    rows: int = 0
    indexed_at: str = ""


class ValueGrounded(Payload):
    groundings: tuple[Grounding, ...]
    combine: Literal["any", "all"] = "any"
    runners_up: tuple[Grounding, ...] = ()
    checked_at: str = ""
    serves: tuple[str, ...] = ()


class ValueAbsent(Payload):
    searched: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()


class ConceptFormulaApproved(Payload):
    """`sql` is one scalar PostgreSQL expression over fully qualified `columns` (schema.table.column)."""

    sql: str
    columns: tuple[str, ...]
    source: Literal["retrieved", "synthesised", "reviewer"] = "synthesised"
    evidence_id: str | None = None
    findings: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()


class ConceptFormulaRejected(Payload):
    sql: str = ""
    evidence_id: str | None = None


class EvidenceAccepted(Payload):
    generation: str
    stage: str


class EvidenceRejected(EvidenceAccepted):
    pass


class CteApproved(Payload):
    sha256: str
    tests: dict[str, str] = {}


class CteRejected(Payload):
    sha256: str = ""


class SqlApproved(Payload):
    sha256: str
    conformance: dict[str, str] = {}


class SqlRevised(SqlApproved):
    pass


class SqlRejected(SqlApproved):
    pass


class ConformanceOverridden(Payload):
    node: str
    reason: str


class PhaseApproved(Payload):
    reason: str = ""


class PhaseAutoApproved(PhaseApproved):
    pass


class PhaseSkipped(Payload):
    reason: str = ""


class PhaseReopened(Payload):
    reason: str = ""


class DecisionRetracted(Payload):
    pass


class MemoryPromoted(Payload):
    memory_id: str


class MemoryPromotionDeclined(Payload):
    pass


class DatamartRequested(Payload):
    form: Literal["dbt", "csv", "xlsx"]
    pseudonymised: tuple[str, ...] = ()


class DatamartDeclined(Payload):
    pass


class LegacyPayload(Payload):
    """`memory_rejected` and `cte_corrected`: read, never written."""


PAYLOADS: dict[str, type[Payload]] = {
    "concept_clarified": ConceptClarified,
    "ambiguity_open": AmbiguityOpen,
    "question_rewritten": QuestionRewritten,
    "table_promoted": TablePromoted,
    "table_excluded": TableExcluded,
    "column_promoted": ColumnPromoted,
    "column_corrected": ColumnCorrected,
    "join_approved": JoinApproved,
    "join_modified": JoinModified,
    "value_grounded": ValueGrounded,
    "value_absent": ValueAbsent,
    "concept_formula_approved": ConceptFormulaApproved,
    "concept_formula_rejected": ConceptFormulaRejected,
    "evidence_accepted": EvidenceAccepted,
    "evidence_rejected": EvidenceRejected,
    "cte_approved": CteApproved,
    "cte_rejected": CteRejected,
    "sql_approved": SqlApproved,
    "sql_revised": SqlRevised,
    "sql_rejected": SqlRejected,
    "conformance_overridden": ConformanceOverridden,
    "phase_approved": PhaseApproved,
    "phase_auto_approved": PhaseAutoApproved,
    "phase_skipped": PhaseSkipped,
    "phase_reopened": PhaseReopened,
    "decision_retracted": DecisionRetracted,
    "memory_promoted": MemoryPromoted,
    "memory_promotion_declined": MemoryPromotionDeclined,
    "datamart_requested": DatamartRequested,
    "datamart_declined": DatamartDeclined,
    "memory_rejected": LegacyPayload,
    "cte_corrected": LegacyPayload,
}
META_TYPES = frozenset(
    {"phase_approved", "phase_auto_approved", "phase_reopened", "decision_retracted"}
)
LEGACY_TYPES = frozenset({"memory_rejected", "cte_corrected"})


class Decision(Frozen):
    """A decision ready to be appended: stored with an option, written only by the gate."""

    type: str
    subject: Annotated[str, Field(min_length=1, max_length=1000)]
    detail: str = ""
    rationale: str = ""
    payload: dict[str, object] = {}

    def typed(self) -> Payload:
        """The payload as its class. Raises KeyError (unknown type) or pydantic.ValidationError."""
        return PAYLOADS[self.type].model_validate(self.payload)


def decision(
    type_: str, subject: str, payload: Payload, *, detail: str = "", rationale: str = ""
) -> Decision:
    """A Decision whose payload is checked to be of the class its type demands."""
    if type(payload) is not PAYLOADS[type_]:
        raise TypeError(f"{type_} needs {PAYLOADS[type_].__name__}, got {type(payload).__name__}")
    return Decision(
        type=type_,
        subject=subject,
        detail=detail,
        rationale=rationale,
        payload=payload.model_dump(mode="json", exclude_defaults=True),
    )
