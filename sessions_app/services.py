"""What can be done with sessions. Functions change state in one transaction and never enqueue work:
edges (pages, tasks, commands) have the session advanced afterwards (`facade`, `engine.advance`)."""

from __future__ import annotations

from sessions_app.engine.access import Actor, actor_of
from sessions_app.engine.advance import advance, drive
from sessions_app.engine.answer import Accepted, answer
from sessions_app.engine.control import (
    cancel_run,
    not_meant,
    pause,
    resume,
    retry,
    rollback,
    steer,
    take_over,
)
from sessions_app.engine.create import session_create
from sessions_app.engine.runs import sessions_to_advance

__all__ = [
    "Accepted",
    "Actor",
    "actor_of",
    "advance",
    "answer",
    "cancel_run",
    "drive",
    "not_meant",
    "pause",
    "resume",
    "retry",
    "rollback",
    "session_create",
    "sessions_to_advance",
    "steer",
    "take_over",
]
