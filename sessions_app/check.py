"""Does a session agree with itself? Run by `tht session check` and inside every rollback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sessions_app import ledger, prerequisites
from sessions_app.models import Artifact, Receipt, Session, Widget
from sessions_app.prerequisites import Facts
from sessions_app.types import Finding
from sessions_app.verify import verify
from sessions_app.view import EffectiveView, named_seq

_APPROVED_FILES = {"cte_approved": "ctes/{subject}.sql", "sql_approved": "sql_final.sql"}
_LAST_WORDS = ("cte_approved", "cte_rejected", "sql_approved", "sql_rejected", "sql_revised")


@dataclass(frozen=True)
class _State:
    session: Session
    view: EffectiveView
    facts: Facts
    artifacts: list[tuple[str, str]]  # name, phase


def check(session: Session) -> list[Finding]:
    """Every inconsistency of the stored session; empty when there is none.

    Codes: those of `verify`, and `status_differs`, `phase_differs`, `artifact_of_unreached_phase`,
    `cte_file_not_in_plan`, `approved_text_missing`, `pending_misplaced`, `marker_dangling`,
    `receipt_of_unreached_phase`. A damaged chain is reported alone: nothing that is derived from
    it can be trusted.
    """
    session = Session.objects.select_related("workflow").get(pk=session.pk)
    damage = verify(session)
    if damage:
        return damage
    artifacts = list(Artifact.objects.filter(session=session).values_list("name", "phase"))
    state = _State(session, ledger.view(session), prerequisites.facts_of(session), artifacts)
    checks = (_position, _artifacts, _cte_files, _approved, _pending, _markers, _receipts)
    return [finding for one in checks for finding in one(state)]


def _position(state: _State) -> Iterator[Finding]:
    session, view = state.session, state.view
    if (session.phase, session.stage) != (view.phase or "", view.stage or ""):
        derived = f"{view.phase} {view.stage}"
        message = f"The session says {session.phase} {session.stage}, its ledger says {derived}."
        yield Finding("phase_differs", message)
    if (session.status == Session.Status.FINALISED) != view.finalised:
        message = f"The status is {session.status}, but the ledger says otherwise."
        yield Finding("status_differs", message)


def _artifacts(state: _State) -> Iterator[Finding]:
    for name, phase in state.artifacts:
        if phase not in state.view.workflow.phase_index or not state.view.reached(phase):
            message = f"{name} is of {phase}, which the session has not reached."
            yield Finding("artifact_of_unreached_phase", message)


def _cte_files(state: _State) -> Iterator[Finding]:
    planned = prerequisites.planned_ctes(state.facts) or ()
    for name, _ in state.artifacts:
        if fnmatchcase(name, "ctes/*.sql") and name[5:-4] not in planned:
            yield Finding("cte_file_not_in_plan", f"{name} is not in the plan.")


def _approved(state: _State) -> Iterator[Finding]:
    last = {(row.type[:3], row.subject): row for row in state.view.of_type(*_LAST_WORDS)}
    for row in last.values():
        pattern = _APPROVED_FILES.get(row.type)
        if pattern is None:
            continue
        name = pattern.format(subject=row.subject)
        if state.facts.hashes.get(name) != row.payload["sha256"]:
            message = f"{name} is not the text that decision {row.seq} approved."
            yield Finding("approved_text_missing", message)


def _pending(state: _State) -> Iterator[Finding]:
    # That there is at most one is a constraint of the table.
    pending = Widget.objects.filter(session=state.session, status=Widget.Status.PENDING)
    for uid, stage in pending.values_list("uid", "stage"):
        if stage != state.view.stage:
            message = f"{uid} asks about {stage}, but the session is at {state.view.stage}."
            yield Finding("pending_misplaced", message)


def _markers(state: _State) -> Iterator[Finding]:
    for row in state.view.of_type("memory_promoted", "memory_promotion_declined"):
        origin = state.view.by_seq.get(named_seq(row.subject) or 0)
        if origin is None or origin.type != "concept_clarified":
            message = f"Decision {row.seq} refers to {row.subject}, no effective clarification."
            yield Finding("marker_dangling", message)


def _receipts(state: _State) -> Iterator[Finding]:
    receipts = Receipt.objects.filter(session=state.session).order_by("stage").distinct("stage")
    for stage, phase in receipts.values_list("stage", "phase"):
        if phase not in state.view.workflow.phase_index or not state.view.reached(phase):
            message = f"There is a receipt of {stage}, which the session has not reached."
            yield Finding("receipt_of_unreached_phase", message)
