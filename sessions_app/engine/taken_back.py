"""Proposals that the reviewer took back by "not what I meant": the next one must differ."""

from __future__ import annotations

from sessions_app.engine.context import proposal_run
from sessions_app.models import Event, Session, Widget
from sessions_app.phases.base import StageContext


def taken_back(session: Session, ctx: StageContext, step: str) -> list[dict[str, object]]:
    """Proposals of this step refused since the stage's last standing answer, oldest first."""
    since = ctx.history[-1].number if ctx.history else 0
    uids = Event.objects.filter(
        session=session, kind="system_event", payload__event="not_meant"
    ).values_list("payload__widget", flat=True)
    widgets = list(
        Widget.objects.filter(
            session=session,
            stage=ctx.stage.stage,
            activity=step,
            status=Widget.Status.SUPERSEDED,
            number__gt=since,
            uid__in=list(uids),
        )
    )
    return [run.proposal for run in proposal_run(widgets).values() if run.proposal is not None]
