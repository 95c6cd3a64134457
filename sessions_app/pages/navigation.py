"""The left navigation and the index: which sessions there are and what each waits for."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q

from sessions_app.access import owns
from sessions_app.models import Session
from sessions_app.pages.labels import stage_label, status_label
from thoth.workspaces.facade import workspace_names

NAV_LIMIT = 60
INDEX_LIMIT = 200
_GROUP_LIMITS = {"waiting": 15, "running": 8, "done": 10}
_TONES = {
    "blocked": "warn",
    "failed": "bad",
    "paused": "",
    "running": "",
    "waiting": "warn",
    "finalised": "good",
}
_FIELDS = (
    "public_id",
    "title",
    "question",
    "workspace",
    "status",
    "phase",
    "stage",
    "author",
    "owner_id",
    "updated_at",
)


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session in a list. `tone` is the colour of its state."""

    id: str
    title: str
    workspace: str
    status: str
    status_text: str
    tone: str
    phase: str
    stage: str
    author: str
    mine: bool
    updated_at: dt.datetime

    @property
    def group(self) -> str:
        if self.status == "finalised":
            return "done"
        return "running" if self.status == "running" else "waiting"


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions by what they wait for, each newest first."""

    waiting: tuple[SessionLine, ...]
    running: tuple[SessionLine, ...]
    done: tuple[SessionLine, ...]

    @property
    def empty(self) -> bool:
        return not (self.waiting or self.running or self.done)


@dataclass(frozen=True, slots=True)
class Navigation:
    sessions: Sessions
    workspaces: tuple[str, ...]
    current: str
    curates: bool = False


def navigation(user: User, *, current: str = "") -> Navigation:
    """The user's own sessions and the workspaces (two queries). `current` is a public id.

    `curates`: may the user open the Evidence?
    """
    lines = _lines(user, own=True, limit=NAV_LIMIT)
    curates = user.groups.filter(name="curator").exists()
    sessions = _grouped(lines, _GROUP_LIMITS)
    return Navigation(sessions, tuple(workspace_names()), current, curates)


def session_list(user: User, *, own: bool) -> Sessions:
    """The newest sessions that the user may read, or only their own (one query)."""
    return _grouped(_lines(user, own=own, limit=INDEX_LIMIT), {})


def _lines(user: User, *, own: bool, limit: int) -> list[SessionLine]:
    query = Session.objects.order_by("-updated_at")
    if own:
        by_name = Q(owner=None, author=user.get_username())
        query = query.filter(Q(owner=user) | by_name)
    return [_line(row, user) for row in query.only(*_FIELDS)[:limit]]


def _line(row: Session, user: User) -> SessionLine:
    return SessionLine(
        id=row.public_id,
        title=row.title or row.question,
        workspace=row.workspace,
        status=row.status,
        status_text=status_label(row.status),
        tone=_TONES.get(row.status, ""),
        phase=row.phase,
        stage=stage_label(row.stage) if row.stage else "",
        author=row.author,
        mine=owns(row, user),
        updated_at=row.updated_at,
    )


def _grouped(lines: list[SessionLine], limits: dict[str, int]) -> Sessions:
    def of(group: str) -> tuple[SessionLine, ...]:
        return tuple(line for line in lines if line.group == group)[: limits.get(group)]

    return Sessions(of("waiting"), of("running"), of("done"))
