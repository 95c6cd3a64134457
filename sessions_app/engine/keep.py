""" "Keep these answers": the first question after going back to a phase."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.utils.translation import gettext

from sessions_app import artifacts, ledger
from sessions_app.gate import Outcome
from sessions_app.models import Session, Widget
from sessions_app.phases.base import Present, Presented, Shown, StageContext
from sessions_app.rollback import Reopening, keep_decisions, reopening_of
from sessions_app.types import Row
from sessions_app.widgets.request import Draft, Option
from sessions_app.words import decided_words
from thoth.lib.limits import OPTIONS_MAX

ACTIVITY = "keep"
# Refusals steered a proposal that is gone, a revision's text is not approved yet.
_NOT_OFFERED = frozenset({"cte_rejected", "sql_rejected", "sql_revised", "conformance_overridden"})


def step(session: Session, ctx: StageContext) -> Present | None:
    """The widget, when the phase was reopened with something to keep and it was not asked yet."""
    if ctx.stage.stage != ctx.workflow.phase(ctx.phase).stages[0].stage:
        return None
    reopening = reopening_of(session, ctx.phase)
    if reopening is None:
        return None
    rows = offered(reopening)
    answers = _answers(session, ctx.phase)
    if not rows or any("control" not in answer for answer in answers):
        return None
    ticked = set() if reopening.with_text else {_id(row) for row in rows}
    if answers:  # in the reviewer's own words: what they had ticked is ticked again
        ticked = set(answers[-1].get("choices", ()))
    return Present(ACTIVITY, partial(_build, rows=rows, ticked=ticked))


def offered(reopening: Reopening) -> list[Row]:
    """The removed decisions that can be kept, the last word on each thing, oldest first."""
    last = {
        (row.type, row.subject): row for row in reopening.removed if row.type not in _NOT_OFFERED
    }
    return sorted(last.values(), key=lambda row: row.seq)[-OPTIONS_MAX:]


def restore(
    session: Session, phase: str, outcome: Outcome, *, author: str, widget: Widget
) -> list[Row]:
    """The chosen decisions are in the ledger again under their own stages, their files live again."""
    reopening = reopening_of(session, phase)
    kept = [row for row in offered(reopening) if _id(row) in outcome.chosen] if reopening else []
    # Files first: a closing that follows in this transaction needs them.
    artifacts.restore(session, kept, widget=widget.uid)
    new: list[Row] = []
    for row in kept:
        new += ledger.append(
            session, keep_decisions([row]), author=author, widget=widget.uid, stage=row.stage
        )
    return new


def _answers(session: Session, phase: str) -> list[dict[str, Any]]:
    """Standing answers to this phase's "Keep these answers", oldest first."""
    answered = Widget.objects.filter(
        session=session, phase=phase, activity=ACTIVITY, status=Widget.Status.ANSWERED
    )
    return [widget.answer or {} for widget in answered.order_by("number")]


def _id(row: Row) -> str:
    return f"seq:{row.seq}"


def _build(_: StageContext, *, rows: list[Row], ticked: set[str]) -> Presented:
    options = tuple(
        Option(
            id=_id(row),
            label=row.subject,
            description=row.detail,
            group=decided_words(row.type),
            selected=_id(row) in ticked,
            recommended=_id(row) in ticked,
        )
        for row in rows
    )
    return Shown(
        Draft(
            widget="multiselect",
            title=gettext("Keep these answers?"),
            intro=gettext(
                "You had decided this here before you went back. What you untick is asked again."
            ),
            options=options,
            allow_empty=True,
        )
    )
