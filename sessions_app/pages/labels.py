"""Words of the pages for what the ledger and the workflow call by stable names."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from sessions_app.types import Row
from sessions_app.workflow import Phase
from thoth.lib.errors import ThothError

_STAGES = {
    "clarification": _("Clarify"),
    "memory": _("Memory"),
    "rewriting": _("Rewrite"),
    "schema_linking": _("Schema"),
    "synthesis": _("Synthesis"),
    "cte": _("CTEs"),
    "final_sql": _("SQL"),
    "closure": _("Close"),
}
_STEPS = {
    "clarify": _("Looking for what is ambiguous"),
    "search_memory": _("Searching what was clarified before"),
    "rewrite": _("Rewriting the question"),
    "ground_values": _("Looking your words up in the data"),
    "formulas": _("Looking for formulas"),
    "link_schema": _("Choosing tables and columns"),
    "link_joins": _("Looking for the joins"),
    "plan_ctes": _("Planning the intermediate steps"),
    "rewrite_cte": _("Writing an intermediate step again"),
    "final_sql": _("Writing the SQL"),
}
_STATUSES = {
    "running": _("working"),
    "waiting": _("waiting for an answer"),
    "blocked": _("blocked"),
    "failed": _("failed"),
    "paused": _("paused"),
    "finalised": _("done"),
}
# One sentence per type of decision. `subject` and `detail` are data: shown as they are.
_SENTENCES = {
    "concept_clarified": _("“{subject}” means: {detail}"),
    "ambiguity_open": _("“{subject}” stays open. {detail}"),
    "question_rewritten": _("The rewritten question is approved"),
    "table_promoted": _("Uses table `{subject}`"),
    "table_excluded": _("Leaves table `{subject}` out"),
    "column_promoted": _("Uses column `{subject}`"),
    "column_corrected": _("Uses column `{subject}` {detail}"),
    "join_approved": _("Joins `{subject}`"),
    "join_modified": _("Joins `{subject}`, {detail}"),
    "value_grounded": _("“{subject}” is {detail}"),
    "value_absent": _("“{subject}” is not in the data"),
    "concept_formula_approved": _("“{subject}” is calculated as {detail}"),
    "concept_formula_rejected": _("No formula for “{subject}”. {detail}"),
    "evidence_accepted": _("Evidence {subject} is accepted"),
    "evidence_rejected": _("Evidence {subject} is struck"),
    "cte_approved": _("Step `{subject}` is approved"),
    "cte_rejected": _("Step `{subject}` is rejected"),
    "sql_approved": _("The SQL is approved"),
    "sql_revised": _("The SQL was revised by hand"),
    "sql_rejected": _("The SQL is rejected"),
    "conformance_overridden": _("Departure accepted: {detail}"),
    "phase_approved": _("{stage}: confirmed"),
    "phase_auto_approved": _("{stage}: nothing to decide. {detail}"),
    "phase_skipped": _("No intermediate steps. {detail}"),
    "phase_reopened": _("Went back to {phase}. {detail}"),
    "decision_retracted": _("Took back decision {number}"),
    "datamart_requested": _("A datamart is requested. {detail}"),
    "datamart_declined": _("No datamart"),
    "memory_promoted": _("Kept in Memory. {detail}"),
    "memory_promotion_declined": _("Not kept in Memory"),
}
_KINDS = {
    "other": _("your words instead of an option"),
    "rejection": _("why it was rejected"),
    "steering": _("said in between"),
    "rollback": _("said when going back"),
    "look_further": _("what to look for"),
}
# What the reviewer can do about it; other failures say it in their own message.
_FAILURES = {
    "unchanged_after_text": _(
        "The same was proposed again: your words did not change it. Say it in other words below, "
        "or go back to an earlier phase."
    ),
    "text_unaddressed": _(
        "Your words were not taken up. Say it in other words below, or go back to an earlier phase."
    ),
}
# Refusals that a person meets by writing or clicking; `{…}` are the error's extras.
_REFUSALS = {
    "text_empty": _("Write something first."),
    "text_too_long": _("The text has {length} characters; at most {limit} are allowed."),
    "widget_already_answered": _("This question has been answered already."),
    "widget_superseded": _("This question is gone: another one took its place."),
    "no_pending_widget": _("No question is waiting for an answer."),
    "run_superseded": _("The step's result came too late and is dropped."),
    "session_paused": _("You left this session. Resume it first."),
    "session_finalised": _("The session is closed and can only be read."),
    "nothing_to_retry": _("No step has failed."),
    "not_paused": _("The session is not paused."),
    "nothing_to_answer_again": _("Nothing of this phase has been answered yet."),
    "answer_closed_its_stage": _(
        "The last answer closed its phase. Go back to the phase to answer it again."
    ),
    "no_previous_phase": _("Nothing has been answered in an earlier phase."),
    "session_changed": _("The SQL is no longer approved: its result is dropped."),
    "text_nul": _("The text contains a NUL character. Remove it and try again."),
    "text_surrogate": _("The text contains half of a character. Type it again."),
    "answer_other_widget": _("The answer is for another question. Reload the page."),
    "answer_unknown_option": _("The question has no such option. Reload the page."),
    "answer_not_displayed": _("The question has no such option. Reload the page."),
    "response_too_large": _("The answer has {size} bytes; at most {limit} are allowed."),
    "widget_not_found": _("There is no such question in this session."),
    "idempotency_key_reused": _(
        "The same form was sent twice with different contents. Reload the page."
    ),
    "not_your_session": _("This session belongs to somebody else. A curator can take it over."),
    "role_required": _("This needs the role {role}."),
    "no_running_step": _("No step is running."),
    "no_approved_sql": _("No SQL of this session has been approved."),
    "sql_hash_mismatch": _(
        "The SQL is not the text that was approved. Reload the page and review it again."
    ),
    "result_gone": _("The result is no longer kept. Run the query again."),
    "result_too_large": _("The result is larger than {limit} bytes. Narrow the question."),
    "warehouse_unreachable": _("The warehouse cannot be reached. Try again, or tell the operator."),
    "warehouse_died": _("The connection to the warehouse broke while the query ran. Try again."),
    "warehouse_timeout": _("The query took too long and was stopped. Narrow the question."),
    "warehouse_cancelled": _("The query was cancelled."),
    "warehouse_permission": _("The warehouse role may not read this. Tell the operator."),
    "workspace_invalid": _(
        "This workspace is not set up: the operator finds out why with `tht workspace check`."
    ),
}
_GROUPS = {"findings": _("Departures from the decisions")}
UNKNOWN_SENTENCE = gettext_lazy("{type}: {subject}. {detail}")


def stage_label(stage: str) -> str:
    """The short name of a stage for the workflow bar."""
    label = _STAGES.get(stage)
    return str(label) if label else stage.replace("_", " ").capitalize()


def phase_label(phase: Phase) -> str:
    """The short name of a phase: its stage's when it has one, else its own."""
    if len(phase.stages) == 1:
        return stage_label(phase.stages[0].stage)
    return phase.name.replace("_", " ").capitalize()


def step_label(step: str) -> str:
    """What is being done, for the progress line. `step` may carry a target after a colon."""
    label = _STEPS.get(step.partition(":")[0])
    return str(label) if label else gettext("Working")


def status_label(status: str) -> str:
    return str(_STATUSES.get(status, status))


def failure_label(code: str, message: str) -> str:
    """Why a step failed, for the reviewer."""
    return str(_FAILURES.get(code, message))


def refusal_label(error: ThothError) -> str:
    """Why something was refused, in the reader's language where a person can meet it."""
    said = _REFUSALS.get(error.code)
    if said is None:
        return error.message
    try:
        return str(said).format_map(error.extra)
    except KeyError:
        return error.message


def group_label(group: str) -> str:
    """The heading of options that a stage groups under a stable name."""
    return str(_GROUPS.get(group, group))


def text_kind_label(kind: str) -> str:
    return str(_KINDS.get(kind, kind))


def sentence(row: Row, phases: dict[str, str] | None = None) -> str:
    """The decision in one sentence; parts in backticks are names. `phases`: labels by phase id."""
    template = str(_SENTENCES.get(row.type, UNKNOWN_SENTENCE))
    target = row.subject.partition(":")[2] or row.subject
    said = template.format(
        subject=_readable(row.subject),
        detail=row.detail,
        type=row.type,
        stage=stage_label(target),
        phase=(phases or {}).get(target, target),
        number=target,
    )
    return said.strip()


def _readable(subject: str) -> str:
    return subject.replace("&", " & ").replace("=", " = ")
