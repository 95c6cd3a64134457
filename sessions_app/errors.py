"""Errors of sessions: the tree of thoth.lib.errors with this app's stable codes.

WorkflowInvalid    workflow.yaml breaks a rule: names the exact key        invalid_workflow
WorkflowChanged    another content under a version that sessions use       workflow_version_changed
LedgerRefused      the ledger does not take the decision                   codes in REFUSALS
StepKeepsDying     workers do not come back from a step                     step_keeps_dying
Inconsistent       `check` found a contradiction; the transaction is undone  session_inconsistent
"""

from __future__ import annotations

from thoth.lib.errors import Conflict, Invalid

REFUSALS: dict[str, str] = {
    "session_finalised": "The session is finalised and read-only. Start a new one.",
    "decision_unknown_type": "There is no such type of decision.",
    "decision_legacy_type": "This type of decision is only read, never written.",
    "decision_payload_invalid": "The payload does not have the shape its type demands.",
    "decision_subject_invalid": "The subject does not follow the grammar of its type.",
    "decision_not_allowed_here": "The current phase may not take this type of decision.",
    "stage_not_current": "The stage is not the one the session is at.",
    "stage_already_closed": "The stage is already closed.",
    "auto_approval_not_allowed": "Only the reviewer may close this stage.",
    "prerequisites_not_met": "Something the stage needs before it closes is missing.",
    "retraction_not_in_view": "There is no effective decision with this number to retract.",
    "retraction_of_closing_row": "The closing of a stage is undone by reopening its phase.",
    "retraction_other_phase": "Decisions of another phase are undone by reopening that phase.",
    "retraction_not_last_widget": "Only decisions of the last answer can be retracted singly.",
    "reopening_unknown_phase": "The workflow has no such phase.",
    "reopening_later_phase": "A phase that is not reached yet cannot be reopened.",
}


class WorkflowInvalid(Invalid):
    """workflow.yaml breaks a rule; `extra["keys"]` lists the places."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("invalid_workflow", "workflow: " + "; ".join(problems), keys=problems)


class WorkflowChanged(Conflict):
    """workflow.yaml has another content than sessions of this version began with."""

    def __init__(self, version: int) -> None:
        message = (
            f"workflow.yaml has changed, but sessions exist that began with version {version} of "
            "it. Raise `version`, or put the earlier content back."
        )
        super().__init__("workflow_version_changed", message, version=version)


class LedgerRefused(Conflict):
    """The ledger does not take a decision; nothing of the batch is written."""

    def __init__(self, code: str, detail: str = "", **extra: object) -> None:
        message = REFUSALS[code] + (f" {detail}" if detail else "")
        super().__init__(code, message, **extra)


class Inconsistent(Conflict):
    """What the session says in one place contradicts another; `extra["findings"]` lists it."""

    def __init__(self, findings: list[dict[str, str]]) -> None:
        message = "The session would be inconsistent: " + "; ".join(f["message"] for f in findings)
        super().__init__("session_inconsistent", message, findings=findings)


class StepKeepsDying(Conflict):
    """Several workers in a row were lost in the same step."""

    def __init__(self, step: str) -> None:
        message = (
            "Something stopped the program each time it was at this step. Try again, or go back and "
            "decide otherwise; the log of the worker may say why."
        )
        super().__init__("step_keeps_dying", message, step=step)
