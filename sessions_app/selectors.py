"""Reading sessions for commands and exports: frozen values, a constant number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sessions_app import ledger, taskdoc
from sessions_app.engine import evidence
from sessions_app.engine.context import proposal_run, stage_context
from sessions_app.engine.taken_back import taken_back
from sessions_app.models import FreeText, Run, Session, Widget
from sessions_app.phases import conduct
from sessions_app.phases.base import Ask
from thoth.contracts.task import TaskDocument
from thoth.lib.errors import Invalid, NotFound

LIST_MAX = 200


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session in a list."""

    id: str
    workspace: str
    question: str
    author: str
    status: str
    phase: str
    stage: str
    version: int

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session as a command shows it. `widget` is the pending ui_request."""

    line: SessionLine
    failure: dict[str, str] | None
    widget: dict[str, Any] | None
    readings: tuple[dict[str, str], ...]
    decisions: tuple[dict[str, object], ...]

    def as_dict(self) -> dict[str, object]:
        return {
            **self.line.as_dict(),
            "failure": self.failure,
            "widget": self.widget,
            "readings": list(self.readings),
            "decisions": list(self.decisions),
        }


def session_list(*, workspace: str | None = None, status: str | None = None) -> list[SessionLine]:
    """Sessions, newest first, at most 200 (one query). Raises: Invalid `status_unknown`."""
    if status and status not in Session.Status.values:
        known = ", ".join(Session.Status.values)
        raise Invalid("status_unknown", f"There is no such status. It is one of: {known}.")
    query = Session.objects.order_by("-created_at", "-pk")
    if workspace:
        query = query.filter(workspace=workspace)
    if status:
        query = query.filter(status=status)
    return [session_line(session) for session in query[:LIST_MAX]]


def session_line(session: Session) -> SessionLine:
    return SessionLine(
        id=session.public_id,
        workspace=session.workspace,
        question=session.question,
        author=session.author,
        status=session.status,
        phase=session.phase,
        stage=session.stage,
        version=session.version,
    )


def session_state(session: Session) -> SessionState:
    """The session with its pending question and effective decisions (three queries)."""
    widget = Widget.objects.filter(session=session, status=Widget.Status.PENDING).first()
    texts = FreeText.objects.filter(session=session, addressed_by_widget=widget) if widget else ()
    failed = bool(session.failure_code)
    return SessionState(
        line=session_line(session),
        failure={"code": session.failure_code, "message": session.failure_message}
        if failed
        else None,
        widget=widget.request if widget else None,
        readings=tuple({"id": t.uid, "text": t.text, "reading": t.reading} for t in texts),
        decisions=tuple(
            {
                "seq": row.seq,
                "type": row.type,
                "phase": row.phase,
                "subject": row.subject,
                "detail": row.detail,
                "author": row.author,
            }
            for row in ledger.view(session).rows
        ),
    )


def task_of(session: Session) -> TaskDocument:
    """The task document of the step that the session is at: what the pending question's model saw,
    or what the next step would be given now.

    Raises: NotFound `no_model_step` when the step asks no model.
    """
    run = _run_of_pending(session) or _last_run_now(session)
    if run is not None and run.task_document:
        return TaskDocument.model_validate(run.task_document)
    ctx = stage_context(session)
    step = conduct(ctx.stage.stage).next_step(ctx) if ctx else None
    if ctx is None or not isinstance(step, Ask):
        raise NotFound("no_model_step", "The session is at a step that asks no model.")
    found = evidence.search(ctx).found
    back = taken_back(session, ctx, step.step)
    return taskdoc.task_document(ctx, step, evidence=found.hits, taken_back=back)


def _run_of_pending(session: Session) -> Run | None:
    pending = list(Widget.objects.filter(session=session, status=Widget.Status.PENDING))
    return next(iter(proposal_run(pending).values()), None)


def _last_run_now(session: Session) -> Run | None:
    """A failed or running step of the session as it is now."""
    runs = Run.objects.filter(session=session, session_version=session.version)
    return runs.exclude(status=Run.Status.DONE).order_by("-pk").first()
