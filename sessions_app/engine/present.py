"""Putting a widget before the reviewer: number, row, event, documents, texts that it takes up."""

from __future__ import annotations

import datetime as dt

from sessions_app import artifacts, events
from sessions_app.dialogue import take_number
from sessions_app.engine import states
from sessions_app.models import FreeText, Run, Session, Widget
from sessions_app.phases.base import Shown
from sessions_app.widgets.request import placed
from thoth.contracts.steps import Proposal


def present(
    session: Session,
    shown: Shown,
    *,
    activity: str,
    run: Run | None,
    proposal: Proposal | None,
    now: dt.datetime,
) -> Widget:
    """The widget is pending and the session waits for its answer. Call it with the session locked."""
    number = take_number(session, "widget_count")
    uid = f"u{number}"
    request = placed(
        shown.draft,
        widget_id=uid,
        session_id=session.public_id,
        phase=session.phase,
        stage=session.stage,
    )
    widget = Widget.objects.create(
        session=session,
        uid=uid,
        number=number,
        phase=session.phase,
        stage=session.stage,
        activity=activity,
        kind=request.widget,
        request=request.model_dump(mode="json"),
        shown_version=session.version,
        created_at=now,
    )
    for name, text in shown.artifacts:
        artifacts.put(session, name, text, stage=session.stage, widget=uid, now=now)
    if proposal is not None:
        _address(session, proposal, widget, run)
    set_status(session, states.after(session.status, "present"))
    events.append(session, "ui_request", {"id": uid, "title": request.title}, now=now)
    return widget


def set_status(session: Session, status: states.Status) -> None:
    """The session has this status; what failed before is forgotten."""
    session.status = status
    session.failure_code = session.failure_message = ""
    session.save(update_fields=["status", "failure_code", "failure_message", "updated_at"])


def bump(session: Session) -> None:
    """The reviewer did something: Runs of the version before are too late."""
    session.version += 1
    session.save(update_fields=["version", "updated_at"])


def _address(session: Session, proposal: Proposal, widget: Widget, run: Run | None) -> None:
    for reading in proposal.addressed:
        FreeText.objects.filter(
            session=session, uid=reading.text_id, status=FreeText.Status.OPEN
        ).update(
            status=FreeText.Status.ADDRESSED,
            reading=reading.reading,
            addressed_by_widget=widget,
            addressed_by_run=run,
        )
