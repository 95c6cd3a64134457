"""Reading a session into the StageContext that its current stage decides by."""

from __future__ import annotations

from collections.abc import Iterable

from sessions_app import artifacts, ledger, workflow
from sessions_app.models import Content, FreeText, Run, Session, Widget
from sessions_app.phases.base import Answered, SessionFacts, StageContext
from sessions_app.view import EffectiveView
from sessions_app.warehouse import SessionWarehouse
from sessions_app.widgets.request import UiRequest
from thoth.contracts.task import PendingText


def stage_context(session: Session, view: EffectiveView | None = None) -> StageContext | None:
    """The context of the current stage (six queries); None when the session is finalised."""
    view = view or ledger.view(session)
    if view.stage is None or view.phase is None:
        return None
    widgets = _answered(session, view.stage)
    texts = list(FreeText.objects.filter(session=session, status=FreeText.Status.OPEN))
    activities = {widget.pk: widget.activity for widget in widgets}
    return StageContext(
        session=session_facts(session),
        workflow=workflow.of(session),
        phase=view.phase,
        stage=view.workflow.stage(view.stage),
        view=view,
        warehouse=SessionWarehouse(session.workspace),
        texts=tuple(pending_text(text) for text in texts),
        text_activities={
            text.uid: activities[text.widget_id] for text in texts if text.widget_id in activities
        },
        history=_history(widgets),
        artifacts={item.name: item.text for item in artifacts.listing(session)},
        contents=_contents(view),
    )


def session_facts(session: Session) -> SessionFacts:
    return SessionFacts(
        id=session.public_id,
        version=session.version,
        workspace=session.workspace,
        question=session.question,
        language=session.language,
        today=session.today,
        author=session.author,
    )


def pending_text(text: FreeText) -> PendingText:
    """The text as a task document carries it."""
    return PendingText.model_validate(
        {"id": text.uid, "kind": text.kind, "text": text.text, "about": text.about}
    )


def proposal_run(widgets: Iterable[Widget]) -> dict[int, Run]:
    """For each widget (by primary key) the Run whose proposal it presented, in one query.

    A widget stands at the version its Run was for, under the step's name.
    """
    wanted = {(w.session_id, w.shown_version, w.activity): w.pk for w in widgets}
    sessions = {key[0] for key in wanted}
    versions = {key[1] for key in wanted}
    runs = Run.objects.filter(session__in=sessions, session_version__in=versions)
    return {
        wanted[key]: run
        for run in runs
        if (key := (run.session_id, run.session_version, run.step)) in wanted
    }


def _answered(session: Session, stage: str) -> list[Widget]:
    query = Widget.objects.filter(session=session, stage=stage, status=Widget.Status.ANSWERED)
    return list(query.order_by("number"))


def _history(widgets: list[Widget]) -> tuple[Answered, ...]:
    runs = proposal_run(widgets)
    return tuple(
        Answered(
            uid=widget.uid,
            number=widget.number,
            activity=widget.activity,
            request=UiRequest.model_validate(widget.request),
            answer=widget.answer or {},
            answered_by=widget.answered_by,
            proposal=runs[widget.pk].proposal if widget.pk in runs else None,
        )
        for widget in widgets
    )


def _contents(view: EffectiveView) -> dict[str, str]:
    hashes = [str(row.payload["sha256"]) for row in view.of_type("sql_revised")]
    if not hashes:
        return {}
    return dict(Content.objects.filter(pk__in=hashes).values_list("sha256", "text"))
