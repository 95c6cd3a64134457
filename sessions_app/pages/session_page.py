"""Everything the session page shows, read with a constant number of queries."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.contrib.auth.models import User

from sessions_app import ledger, workflow
from sessions_app import view as effective_view
from sessions_app.access import owns
from sessions_app.engine.states import allowed
from sessions_app.models import FreeText, Run, Session, Widget
from sessions_app.pages.conversation import (
    Entry,
    Material,
    TextLine,
    conversation,
    open_texts,
    readings_for,
)
from sessions_app.pages.labels import failure_label, status_label, step_label
from sessions_app.pages.sidebar import Sidebar, run_lines, sidebar
from sessions_app.pages.stations import Station, stations
from sessions_app.pages.widget_view import Draft, WidgetView, widget_view
from sessions_app.view import EffectiveView, closed_stage


@dataclass(frozen=True, slots=True)
class Progress:
    """The step that is being worked on. `text` is what the model has written so far."""

    step: str
    text: str
    started_at: dt.datetime | None
    attempts: int


@dataclass(frozen=True, slots=True)
class SessionPage:
    """One session as its page shows it. `state` changes whenever the live part would differ."""

    id: str
    title: str
    question: str
    workspace: str
    language: str
    author: str
    status: str
    status_text: str
    version: int
    phase: str
    event_number: int
    mine: bool
    stations: tuple[Station, ...]
    rewritten: str
    entries: tuple[Entry, ...]
    pending: WidgetView | None
    readings: tuple[TextLine, ...]
    unaddressed: tuple[TextLine, ...]
    progress: Progress | None
    failure_code: str
    failure_message: str
    can_answer_again: bool
    can_steer: bool
    sql_sha256: str
    sidebar: Sidebar
    created_at: dt.datetime

    @property
    def state(self) -> str:
        return f"{self.version}.{self.event_number}"

    @property
    def is_live(self) -> bool:
        """Can anything still happen without this page's doing?"""
        return self.status != "finalised"


def session_page(session: Session, user: User, *, draft: Draft | None = None) -> SessionPage:
    """The page of a session that the user may read (seven queries).

    `draft` is filled into the pending widget. Only the owner gets the means to act.
    """
    mine = owns(session, user)
    rows = ledger.rows(session)
    widgets = list(Widget.objects.filter(session=session).order_by("number"))
    view = effective_view.effective(workflow.of(session), rows)
    texts = list(FreeText.objects.filter(session=session).order_by("number"))
    pending = next((w for w in widgets if w.status == Widget.Status.PENDING), None)
    asking = pending if session.status == Session.Status.WAITING else None
    may_refuse = mine and asking is not None
    material = Material(view, rows, widgets, texts, asking if may_refuse else None)
    runs = run_lines(session)
    sql = view.latest("sql_approved")
    rewritten = view.latest("question_rewritten")
    return SessionPage(
        id=session.public_id,
        title=session.title or session.question,
        question=session.question,
        workspace=session.workspace,
        language=session.language,
        author=session.author,
        status=session.status,
        status_text=status_label(session.status),
        version=session.version,
        phase=session.phase,
        event_number=session.event_count,
        mine=mine,
        stations=stations(view, rows, may_go_back=mine and not view.finalised),
        rewritten=str(rewritten.payload.get("text", "")) if rewritten else "",
        entries=conversation(material),
        pending=widget_view(asking.request, draft) if asking else None,
        readings=readings_for(material, asking),
        unaddressed=open_texts(material),
        progress=_progress(session),
        failure_code=session.failure_code,
        failure_message=failure_label(session.failure_code, session.failure_message),
        can_answer_again=mine and _can_answer_again(widgets, view),
        can_steer=mine and allowed(session.status, "steer"),
        sql_sha256=str(sql.payload.get("sha256", "")) if sql else "",
        sidebar=sidebar(session, view, rows, runs),
        created_at=session.created_at,
    )


def _progress(session: Session) -> Progress | None:
    if session.status != Session.Status.RUNNING:
        return None
    fields = ("step", "text_so_far", "started_at", "attempts")
    run = (
        Run.objects.filter(session=session, status=Run.Status.RUNNING)
        .order_by("-id")
        .values_list(*fields)
        .first()
    )
    if run is None:
        return Progress(step_label(""), "", session.updated_at, 1)
    step, text, started_at, attempts = run
    return Progress(step_label(step), text, started_at, attempts)


def _can_answer_again(widgets: list[Widget], view: EffectiveView) -> bool:
    """As the rollback decides it: the last answer is of this phase and closed no stage."""
    answered = [w for w in widgets if w.status == Widget.Status.ANSWERED]
    if not answered or view.phase is None or answered[-1].phase != view.phase:
        return False
    return not any(closed_stage(row) for row in view.of_widget(answered[-1].uid))
