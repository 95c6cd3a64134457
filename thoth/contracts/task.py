"""The task document: the single, budgeted document a runtime gets for one step."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from thoth.contracts.decisions import (
    ColumnPromoted,
    ConceptFormulaApproved,
    JoinApproved,
    TablePromoted,
    ValueAbsent,
    ValueGrounded,
)
from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Frozen
from thoth.contracts.steps import StepName
from thoth.contracts.tools import EvidenceHit


class BriefDecision(Frozen):
    """One effective decision, as the model may know it."""

    seq: int
    type: str
    subject: str
    detail: str = ""
    payload: dict[str, object] = {}


class PendingText(Frozen):
    """A text of the reviewer that no proposal has addressed yet. `about` says what it answered."""

    id: str
    kind: Literal["other", "rejection", "steering", "rollback", "look_further"]
    text: str
    about: str = ""


class RejectedProposal(Frozen):
    """What was proposed and rejected in this step; equal proposals are refused."""

    sha256: str
    summary: str
    text_ids: tuple[str, ...] = ()


class CteSummary(Frozen):
    name: str
    purpose: str
    sql: str
    columns: dict[str, str] = {}


class DecidedSlice(Frozen):
    """Everything F4 decided: the only material that SQL may be made of. Keys are ledger subjects."""

    tables: dict[str, TablePromoted] = {}
    excluded_tables: tuple[str, ...] = ()
    columns: dict[str, ColumnPromoted] = {}
    joins: dict[str, JoinApproved] = {}
    groundings: dict[str, ValueGrounded] = {}
    absent: dict[str, ValueAbsent] = {}
    formulas: dict[str, ConceptFormulaApproved] = {}


class TaskDocument(Frozen):
    """Deterministic for a given session version, vector generation and catalog version."""

    session_id: str
    session_version: int
    workspace: str
    language: str
    today: dt.date  # of the session's start: relative periods do not move under a reviewer
    step: StepName
    stage: str
    phase: str
    question: str
    rewritten: str | None = None
    intent: QueryIntent | None = None
    decisions: tuple[BriefDecision, ...] = ()
    decided: DecidedSlice = DecidedSlice()
    evidence: tuple[EvidenceHit, ...] = ()
    ctes: tuple[CteSummary, ...] = ()
    rewrite_target: str | None = None  # the CTE to write again (rewrite_cte)
    texts: tuple[PendingText, ...] = ()
    rejected: tuple[RejectedProposal, ...] = ()
    dropped: tuple[str, ...] = ()  # what did not fit the budget
    rules: tuple[str, ...] = ()
    catalog_version: str = ""
