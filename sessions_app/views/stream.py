"""Server-sent events of a session: rows first, then whatever is pushed.

A push only wakes the stream: what is sent is read from the rows, so nothing is lost or doubled. The
stream holds no database connection between two reads, and ends with the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass

import redis.asyncio as aredis
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET
from redis.exceptions import RedisError

from sessions_app import events
from sessions_app.access import session_get_for_user
from sessions_app.models import Run, Session
from sessions_app.types import EventData
from sessions_app.views.common import user_of
from thoth.lib.text import canonical_json, whole_number

logger = logging.getLogger(__name__)

HEARTBEAT_S = 15.0
POLL_S = 2.0  # how often rows are read while nothing can be pushed
RETRY_MS = 2000


@dataclass(frozen=True, slots=True)
class _News:
    """Events after a number; `ended` when no more can come."""

    events: list[EventData]
    ended: bool


@require_GET
async def stream(request: HttpRequest, public_id: str) -> HttpResponseBase:
    session = await sync_to_async(_open)(request, public_id)
    after = _number(request.headers.get("Last-Event-ID") or request.GET.get("after", ""))
    response = StreamingHttpResponse(
        _messages(session, after), content_type="text/event-stream; charset=utf-8"
    )
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _messages(session: Session, after: int) -> AsyncIterator[str]:
    yield f"retry: {RETRY_MS}\n\n"
    async with _Pushes(session.public_id) as pushes:
        written = await sync_to_async(_text_so_far)(session)
        if written:
            yield _message(None, "text_delta", {**written, "so_far": True})
        while True:
            news = await sync_to_async(_read)(session, after)
            for event in news.events:
                after = event.number
                yield _message(event.number, event.kind, event.payload)
            if news.ended:
                yield _message(None, "end", {})
                return
            async for message in pushes.until_row():
                yield message


class _Pushes:
    """The session's channel. Without Valkey, time alone wakes the stream."""

    def __init__(self, public_id: str) -> None:
        self._channel = events.channel(public_id)
        self._client = aredis.Redis.from_url(settings.THOTH_VALKEY_URL)
        self._pubsub = self._client.pubsub(ignore_subscribe_messages=True)
        self._connected = False

    async def __aenter__(self) -> _Pushes:
        await self._connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        with contextlib.suppress(RedisError, OSError):
            await self._pubsub.aclose()  # type: ignore[no-untyped-call]
            await self._client.aclose()

    async def until_row(self) -> AsyncIterator[str]:
        """Pieces of text as they are pushed, until a row has been pushed or it is time to look."""
        if not self._connected:
            await asyncio.sleep(POLL_S)
            await self._connect()
            yield ": polling\n\n"
            return
        while True:
            pushed = await self._next()
            if pushed is None:
                yield ": alive\n\n"
                return
            if pushed.get("kind") != "text_delta":
                return
            yield _message(None, "text_delta", pushed["payload"])

    async def _connect(self) -> None:
        try:
            await self._pubsub.subscribe(self._channel)
            self._connected = True
        except (RedisError, OSError):
            logger.warning("event_stream_polls channel=%s", self._channel)

    async def _next(self) -> dict[str, object] | None:
        try:
            message = await self._pubsub.get_message(timeout=HEARTBEAT_S)
            return json.loads(message["data"]) if message else None
        except (RedisError, OSError):
            self._connected = False
            return None


def _open(request: HttpRequest, public_id: str) -> Session:
    try:
        return session_get_for_user(user_of(request), public_id)
    finally:
        _let_go()


def _read(session: Session, after: int) -> _News:
    try:
        found = events.read(session, after=after)
        status = Session.objects.filter(pk=session.pk).values_list("status", flat=True).get()
        ended = status == Session.Status.FINALISED and len(found) < events.READ_LIMIT
        return _News(found, ended)
    finally:
        _let_go()


def _text_so_far(session: Session) -> dict[str, object]:
    try:
        run = Run.objects.filter(session=session, status=Run.Status.RUNNING).order_by("-id")
        found = run.values_list("id", "text_so_far").first()
        return {"run": found[0], "text": found[1]} if found and found[1] else {}
    finally:
        _let_go()


def _let_go() -> None:
    # Held until the stream ends otherwise: the request is not finished while it is open.
    if not connection.in_atomic_block:
        connection.close()


def _message(number: int | None, kind: str, payload: object) -> str:
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {canonical_json(payload)}\n\n"


def _number(text: str) -> int:
    return whole_number(text.strip()) or 0
