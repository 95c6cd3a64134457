"""What the ledger refuses, each with its code (errors.REFUSALS). Pure: reads the view only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from sessions_app import prerequisites, subjects
from sessions_app.errors import LedgerRefused
from sessions_app.prerequisites import Facts
from sessions_app.view import CLOSING_TYPES, EffectiveView, closed_stage, named_seq
from thoth.contracts.decisions import LEGACY_TYPES, PAYLOADS, Decision


@dataclass(frozen=True)
class Circumstances:
    """What the rules need beside the view: `last_answered` is a widget's uid or empty."""

    last_answered: str
    facts: Callable[[], Facts]
    stage: str | None = None  # the stage the caller speaks for, None for the current one


def payload_of(decision: Decision) -> dict[str, object]:
    """The payload in the form it is stored in.

    Raises: LedgerRefused `decision_unknown_type`, `decision_legacy_type`,
    `decision_subject_invalid`, `decision_payload_invalid`.
    """
    if decision.type not in PAYLOADS:
        raise LedgerRefused("decision_unknown_type", repr(decision.type))
    if decision.type in LEGACY_TYPES:
        raise LedgerRefused("decision_legacy_type", decision.type)
    form = subjects.expected(decision.type, decision.subject)
    if form is not None:
        detail = f"{decision.type} needs {form}, not {decision.subject!r}."
        raise LedgerRefused("decision_subject_invalid", detail)
    try:
        return decision.typed().model_dump(mode="json", exclude_defaults=True)
    except ValidationError as error:
        first = error.errors()[0]
        detail = (
            f"{decision.type}, {'.'.join(map(str, first['loc'])) or 'payload'}: {first['msg']}."
        )
        raise LedgerRefused("decision_payload_invalid", detail) from None


def placed(decision: Decision, view: EffectiveView, around: Circumstances) -> tuple[str, str]:
    """Phase and stage that the decision's row gets, when the ledger may take it. Raises: LedgerRefused."""
    if view.phase is None or view.stage is None:
        raise LedgerRefused("session_finalised")
    if decision.type == "phase_reopened":
        return _reopening(decision.subject.removeprefix("phase:"), view, view.phase)
    stage = around.stage or view.stage
    if stage not in {s.stage for s in view.workflow.phase(view.phase).stages}:
        raise LedgerRefused("stage_not_current", f"The session is at {view.stage}, not at {stage}.")
    if decision.type == "decision_retracted":
        _check_retraction(decision.subject, view, view.phase, around.last_answered)
    elif decision.type in CLOSING_TYPES:
        _check_closing(decision, view, view.stage, around.facts)
    else:
        _check_emitted(decision, view, view.phase)
    return view.phase, stage


def _reopening(target: str, view: EffectiveView, phase: str) -> tuple[str, str]:
    index = view.workflow.phase_index
    if target not in index:
        raise LedgerRefused("reopening_unknown_phase", target)
    if index[target] > index[phase]:
        raise LedgerRefused("reopening_later_phase", f"{target} comes after {phase}.")
    return target, view.workflow.phase(target).stages[0].stage


def _check_retraction(subject: str, view: EffectiveView, phase: str, last_answered: str) -> None:
    target = view.by_seq.get(named_seq(subject) or 0)
    if target is None:
        raise LedgerRefused("retraction_not_in_view", subject)
    if closed_stage(target) is not None:
        raise LedgerRefused("retraction_of_closing_row", subject)
    if target.phase != phase:
        raise LedgerRefused("retraction_other_phase", f"{subject} is of {target.phase}.")
    if not target.widget or target.widget != last_answered:
        raise LedgerRefused("retraction_not_last_widget", f"{subject} is of {target.widget}.")


def _check_closing(
    decision: Decision, view: EffectiveView, current: str, facts: Callable[[], Facts]
) -> None:
    name = decision.subject.removeprefix("stage:")
    if name in view.closed:
        raise LedgerRefused("stage_already_closed", name)
    if name != current:
        raise LedgerRefused("stage_not_current", f"The session is at {current}, not at {name}.")
    advance = view.workflow.stage(name).advance
    if decision.type == "phase_auto_approved" and advance == "reviewer_confirm":
        raise LedgerRefused("auto_approval_not_allowed", name)
    # The last stage finalises the session: then everything must hold, not only its own part.
    last = len(view.closed) + 1 == len(view.workflow.stages)
    missing = prerequisites.unmet(view, facts(), None if last else name)
    if missing:
        raise LedgerRefused("prerequisites_not_met", "; ".join(missing) + ".", unmet=missing)


def _check_emitted(decision: Decision, view: EffectiveView, phase: str) -> None:
    if decision.type not in view.workflow.phase(phase).emits:
        raise LedgerRefused("decision_not_allowed_here", f"{decision.type} in {phase}.")
    if decision.type == "phase_skipped" and decision.subject != f"phase:{phase}":
        detail = f"{decision.subject} cannot be skipped in {phase}."
        raise LedgerRefused("decision_subject_invalid", detail)
