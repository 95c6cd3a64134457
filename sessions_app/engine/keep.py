""" "Keep these answers": the first question after going back to a phase."""

from __future__ import annotations

from functools import partial

from django.utils.translation import gettext

from sessions_app import artifacts, ledger
from sessions_app.gate import Outcome
from sessions_app.models import Session, Widget
from sessions_app.phases.base import Present, Presented, Shown, StageContext
from sessions_app.rollback import Reopening, keep_decisions, reopening_of
from sessions_app.types import Row
from sessions_app.widgets.request import Draft, Option
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
    if not rows or _asked(session, ctx.phase):
        return None
    return Present(ACTIVITY, partial(_build, rows=rows, selected=not reopening.with_text))


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
    kept = (
        [row for row in offered(reopening) if f"seq:{row.seq}" in outcome.chosen]
        if reopening
        else []
    )
    # Files first: a closing that follows in this transaction needs them.
    artifacts.restore(session, kept, widget=widget.uid)
    new: list[Row] = []
    for row in kept:
        new += ledger.append(
            session, keep_decisions([row]), author=author, widget=widget.uid, stage=row.stage
        )
    return new


def _asked(session: Session, phase: str) -> bool:
    return Widget.objects.filter(
        session=session, phase=phase, activity=ACTIVITY, status=Widget.Status.ANSWERED
    ).exists()


def _build(_: StageContext, *, rows: list[Row], selected: bool) -> Presented:
    options = tuple(
        Option(
            id=f"seq:{row.seq}",
            label=row.subject,
            description=row.detail or row.type,
            group=row.type,
            selected=selected,
            recommended=selected,
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
