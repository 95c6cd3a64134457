"""Server-sent events on a real PostgreSQL and a real Valkey: rows first, then pushes."""

from __future__ import annotations

import asyncio
import datetime as dt
import functools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection, transaction
from django.test import AsyncClient, Client
from pytest_django.fixtures import Settings

from sessions_app import events
from sessions_app.models import Run, Session
from sessions_app.views import stream
from tests.sessions_app.builders import make_session
from thoth.accounts.services import user_ensure
from thoth.lib import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


def in_a_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """The test runs in an event loop; its database work in this thread, as under a server."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        async_to_sync(test)(*args, **kwargs)

    return run


@dataclass(frozen=True)
class Message:
    id: int | None
    event: str
    data: dict[str, object]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT_S", 1.0)
    monkeypatch.setattr(stream, "POLL_S", 0.2)


@pytest.fixture
def session(transactional_db: None) -> Session:
    return make_session(author="ada")


def tell(session: Session, text: str) -> None:
    with transaction.atomic():
        events.append(session, "info", {"text": text})


def tell_elsewhere(session: Session, text: str) -> None:
    """As `tell`, in a thread of its own, whose connection nobody else would close."""
    try:
        tell(session, text)
    finally:
        connection.close()


def parse(text: str) -> Message | None:
    fields = dict(line.split(": ", 1) for line in text.strip().splitlines() if line[0] != ":")
    if "event" not in fields:
        return None
    number = int(fields["id"]) if "id" in fields else None
    return Message(number, fields["event"], json.loads(fields["data"]))


@asynccontextmanager
async def listening(
    session: Session, after: str = "", header: str | None = None
) -> AsyncIterator[Callable[[], object]]:
    """`await receive()` is the next message of the open stream (within five seconds)."""
    client = AsyncClient()
    user = await sync_to_async(user_ensure)(username="ada", roles=["reviewer"])
    await client.aforce_login(user)
    headers = {"Last-Event-ID": header} if header is not None else {}
    response = await client.get(
        f"/sessions/{session.public_id}/events?after={after}", headers=headers
    )
    assert response["Content-Type"].startswith("text/event-stream")
    chunks = aiter(response)

    async def receive() -> Message:
        while True:
            async with asyncio.timeout(5):
                message = parse((await anext(chunks)).decode())
            if message is not None:
                return message

    try:
        yield receive
    finally:
        await chunks.aclose()


@in_a_loop
async def test_rows_come_first_then_what_is_pushed(session: Session) -> None:
    await sync_to_async(tell)(session, "before")
    async with listening(session) as receive:
        assert (await receive()) == Message(1, "info", {"text": "before"})
        await sync_to_async(tell)(session, "after")
        assert (await receive()) == Message(2, "info", {"text": "after"})


@pytest.mark.parametrize(
    ("after", "header", "first"),
    [("1", None, 2), ("", "2", 3), ("1", "2", 3), ("x", None, 1), ("", "9" * 30, 1)],
)
@in_a_loop
async def test_a_reconnect_goes_on_after_the_last_number(
    session: Session, after: str, header: str | None, first: int
) -> None:
    for number in range(3):
        await sync_to_async(tell)(session, str(number))
    async with listening(session, after, header) as receive:
        assert (await receive()).id == first


@in_a_loop
async def test_nothing_is_lost_or_doubled_while_it_reads(session: Session) -> None:
    async with listening(session) as receive:

        async def write() -> None:
            for number in range(30):
                await sync_to_async(tell_elsewhere, thread_sensitive=False)(session, str(number))

        writing = asyncio.create_task(write())
        numbers = [(await receive()).id for _ in range(30)]
        await writing
    assert numbers == list(range(1, 31))


@in_a_loop
async def test_a_row_without_a_push_comes_with_the_next_look(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_push", lambda *_: None)
    async with listening(session) as receive:
        await sync_to_async(tell)(session, "lost push")
        assert (await receive()).data == {"text": "lost push"}


@in_a_loop
async def test_without_valkey_rows_still_come(session: Session, settings: Settings) -> None:
    settings.THOTH_VALKEY_URL = "redis://127.0.0.1:9/0"
    async with listening(session) as receive:
        await sync_to_async(tell)(session, "polled")
        assert (await receive()).data == {"text": "polled"}


@in_a_loop
async def test_text_is_pushed_and_a_reconnect_gets_it_so_far(session: Session) -> None:
    run = await Run.objects.acreate(
        session=session, session_version=1, step="clarify", phase="F1", stage="clarification",
        text_so_far="until now", started_at=clock.now(),
    )  # fmt: skip
    async with listening(session) as receive:
        first = await receive()
        assert first.data == {"run": run.pk, "text": "until now", "so_far": True}
        await asyncio.sleep(0.3)
        await sync_to_async(events.push_text_delta)(session.public_id, run.pk, " and on")
        assert await receive() == Message(None, "text_delta", {"run": run.pk, "text": " and on"})


@in_a_loop
async def test_the_stream_ends_with_the_session(session: Session) -> None:
    await sync_to_async(tell)(session, "last words")
    await Session.objects.aupdate(status="finalised", phase="", stage="")
    async with listening(session) as receive:
        assert [(await receive()).event, (await receive()).event] == ["info", "end"]
        with pytest.raises(StopAsyncIteration):
            await receive()


def opened_since(moment: dt.datetime) -> int:
    """How many other clients connected to the test database since then, and still are.

    Not the server's own processes (autovacuum comes and goes), nor what earlier tests left behind.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            " AND backend_start >= %s",
            [moment],
        )
        row = cursor.fetchone()
    connection.close()
    assert row
    return int(row[0])


@in_a_loop
async def test_no_database_connection_is_held_while_it_waits(session: Session) -> None:
    began = clock.now()
    await sync_to_async(tell)(session, "one")
    async with listening(session) as one, listening(session) as two:
        await one()
        await two()
        assert await sync_to_async(lambda: connection.connection)() is None
        async with asyncio.timeout(5):  # the server forgets a client a moment after it has gone
            while await sync_to_async(opened_since)(began):
                await asyncio.sleep(0.1)


def test_only_get(session: Session, client: Client, settings: Settings) -> None:
    settings.THOTH_AUTH = "mock"
    client.force_login(user_ensure(username="ada", roles=["reviewer"]))
    assert client.post(f"/sessions/{session.public_id}/events").status_code == 405
