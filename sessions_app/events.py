"""What is told to whoever watches a session: rows first, pushed second.

A row is written in the transaction of what it tells; the push to Valkey follows the commit and may
be lost: a reader that reconnects reads the rows after its last number. `text_delta` is only pushed;
the text so far is in the Run.
"""

from __future__ import annotations

import datetime as dt
import functools
import logging
from typing import Literal, get_args

import redis
from django.conf import settings
from django.db import transaction

from sessions_app.dialogue import take_number
from sessions_app.models import Event, Session
from sessions_app.types import EventData
from thoth.lib import clock
from thoth.lib.text import canonical_json

logger = logging.getLogger(__name__)

Kind = Literal[
    "ui_request",
    "ui_superseded",
    "info",
    "model_started",
    "model_finished",
    "model_failed",
    "system_event",
    "artifact_changed",
]
KEEP_DAYS = 30
READ_LIMIT = 500
_PUSH_TIMEOUT_S = 2.0


def append(
    session: Session, kind: Kind, payload: dict[str, object], *, now: dt.datetime | None = None
) -> EventData:
    """The event has the session's next number and is pushed once the transaction commits.

    Call it in a transaction; it takes the session's row lock, so events are numbered in the order
    in which they become visible.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"no such kind of event: {kind}")
    number = take_number(session, "event_count")
    event = Event.objects.create(
        session=session, number=number, kind=kind, payload=payload, created_at=now or clock.now()
    )
    data = EventData(event.number, kind, payload, event.created_at)
    message: dict[str, object] = {"number": number, "kind": kind, "payload": payload}
    transaction.on_commit(functools.partial(_push, session.public_id, message))
    return data


def read(session: Session, *, after: int = 0, limit: int = READ_LIMIT) -> list[EventData]:
    """Stored events with a number above `after`, oldest first, at most `limit`."""
    query = Event.objects.filter(session=session, number__gt=after).order_by("number")
    fields = query.values_list("number", "kind", "payload", "created_at")[:limit]
    return [EventData(*values) for values in fields]


def push_text_delta(public_id: str, run_id: int, text: str) -> None:
    """Show `text` to whoever watches now; it is not stored."""
    _push(
        public_id, {"number": None, "kind": "text_delta", "payload": {"run": run_id, "text": text}}
    )


def channel(public_id: str) -> str:
    """The Valkey channel of a session. Messages are JSON `{number, kind, payload}`."""
    return f"thoth:session:{public_id}"


def purge(*, now: dt.datetime | None = None) -> int:
    """Events older than 30 days are gone; returns how many were. Their numbers are not reused."""
    limit = (now or clock.now()) - dt.timedelta(days=KEEP_DAYS)
    return Event.objects.filter(created_at__lt=limit).delete()[0]


def _push(public_id: str, message: dict[str, object]) -> None:
    try:
        _client(settings.THOTH_VALKEY_URL).publish(channel(public_id), canonical_json(message))
    except (redis.RedisError, OSError) as error:
        # The row is stored: watchers get it when they reconnect.
        logger.warning("event_push_failed session=%s error=%s", public_id, type(error).__name__)


@functools.lru_cache(maxsize=4)
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url, socket_timeout=_PUSH_TIMEOUT_S, socket_connect_timeout=_PUSH_TIMEOUT_S
    )
