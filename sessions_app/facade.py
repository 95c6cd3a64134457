"""The door to sessions for pages and endpoints: every action also has the session advanced.

What pages need to know
-----------------------
- `user` is the signed-in Django user; decisions carry the name. Only the session's owner acts; a
  curator calls `take_over` first. Refusals are ThothErrors with a stable `code`.
- After an action the session is usually `running`: show it as working and listen to its events
  (`ui_request`, `model_failed`, `system_event`). `retry` is for `failed` and `blocked`, `resume` for
  `paused`.
- The pending widget is `Widget(status=pending)`; its `request` is a `ui_request` (widgets.request.
  UiRequest). An option's `meta` may hold `count`, `preview` {columns, rows}, `risk`, `signals`,
  `evidence`, `report` (Markdown; on the approval of F7). `opens` may be `optional`.
- A `confirm` widget without options (F4, something unserved) offers only Other and going back.
- `Widget.activity` names what it is about: `keep` (after going back), a model step (`clarify`,
  `ground_values`, …), `confirm`, `memory`, `synthesis`, `cte_gate`, `sql_gate`, `datamart`. The Run behind
  a widget has its `shown_version` as `session_version` and its `activity` as `step`.
- Answering again with the same body is harmless (`Accepted.again`); another body for an answered
  widget is a Conflict whose `extra["widget"]` is the current ui_request or None.
"""

from __future__ import annotations

import functools

from django.contrib.auth.models import User
from django.db import transaction

from sessions_app import services
from sessions_app.models import Session
from sessions_app.rollback import Rolled
from sessions_app.services import Accepted, actor_of
from sessions_app.tasks import enqueue

__all__ = [
    "Accepted",
    "answer",
    "not_what_i_meant",
    "pause",
    "resume",
    "retry",
    "rollback",
    "session_create",
    "steer",
    "take_over",
]


def session_create(
    *, workspace: str, question: str, user: User, idempotency_key: str = ""
) -> Session:
    """A new session, on its way. Raises: as services.session_create."""
    session = services.session_create(
        workspace=workspace, question=question, actor=actor_of(user), key=idempotency_key
    )
    _go_on(session.public_id)
    return session


def answer(public_id: str, body: dict[str, object], *, user: User) -> Accepted:
    """The widget is answered by a ui_response. Raises: as engine.answer.answer."""
    accepted = services.answer(public_id, body, actor=actor_of(user))
    _go_on(public_id)
    return accepted


def steer(public_id: str, text: str, *, user: User, idempotency_key: str = "") -> str:
    """The reviewer's words are recorded; returns their id. Raises: as engine.control.steer."""
    text_id = services.steer(public_id, text=text, actor=actor_of(user), key=idempotency_key)
    _go_on(public_id)
    return text_id


def not_what_i_meant(public_id: str, text_id: str, *, user: User) -> None:
    """The reading of the text is refused. Raises: as engine.control.not_meant."""
    services.not_meant(public_id, text_id=text_id, actor=actor_of(user))
    _go_on(public_id)


def retry(public_id: str, *, user: User) -> None:
    """The failed step runs again. Raises: as engine.control.retry."""
    services.retry(public_id, actor=actor_of(user))
    _go_on(public_id)


def pause(public_id: str, *, user: User) -> None:
    """The reviewer leaves. Raises: as engine.control.pause."""
    services.pause(public_id, actor=actor_of(user))


def resume(public_id: str, *, user: User) -> None:
    """The reviewer is back. Raises: as engine.control.resume."""
    services.resume(public_id, actor=actor_of(user))
    _go_on(public_id)


def take_over(public_id: str, *, user: User) -> None:
    """A curator owns the session now. Raises: as engine.control.take_over."""
    services.take_over(public_id, actor=actor_of(user))


def rollback(
    public_id: str, target: str, *, user: User, expected_version: int, text: str = ""
) -> Rolled:
    """The session is back at `target`. Raises: as engine.control.rollback."""
    rolled = services.rollback(
        public_id,
        target=target,
        actor=actor_of(user),
        expected_version=expected_version,
        text=text,
    )
    _go_on(public_id)
    return rolled


def _go_on(public_id: str) -> None:
    # robust: the action is done; a broker that is down must not turn it into an error.
    transaction.on_commit(functools.partial(enqueue, public_id), robust=True)
