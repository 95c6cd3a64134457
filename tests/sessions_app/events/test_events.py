from __future__ import annotations

import datetime as dt
import json

import pytest
import redis
from django.db import connection, transaction
from django.test import override_settings

from sessions_app import events
from sessions_app.models import Event, Session
from tests.sessions_app.builders import NOW, make_session
from tests.sessions_app.ledger.test_concurrent import in_threads


def emit(session, text, **more):
    with transaction.atomic():
        return events.append(session, "info", {"level": "info", "text": text}, **more)


@pytest.mark.django_db
def test_numbers_are_per_session_and_reading_starts_after_one():
    one, other = make_session(), make_session()
    for text in ("a", "b", "c"):
        emit(one, text)
    emit(other, "x")
    assert [(e.number, e.payload["text"]) for e in events.read(one, after=1)] == [
        (2, "b"),
        (3, "c"),
    ]
    assert [e.number for e in events.read(other)] == [1]
    assert [e.number for e in events.read(one, limit=2)] == [1, 2]


@pytest.mark.django_db
def test_an_unknown_kind_is_a_programming_error():
    with pytest.raises(ValueError, match="text_delta"):
        events.append(make_session(), "text_delta", {})


@pytest.mark.django_db
def test_a_rolled_back_event_leaves_no_gap():
    session = make_session()
    emit(session, "a")
    with transaction.atomic():
        events.append(session, "info", {"text": "lost"})
        transaction.set_rollback(True)
    emit(session, "b")
    assert [(e.number, e.payload["text"]) for e in events.read(session)] == [(1, "a"), (2, "b")]


@pytest.mark.django_db(transaction=True)
def test_a_reader_never_misses_an_event_that_commits_late(second_connection):
    """The second writer waits for the first, so a number is never visible before a lower one."""
    session = make_session()
    second_connection.autocommit = False
    second_connection.execute(
        "UPDATE sessions_app_session SET event_count = event_count + 1 WHERE id = %s", [session.pk]
    )
    second_connection.execute(
        "INSERT INTO sessions_app_event (session_id, number, kind, payload, created_at)"
        " VALUES (%s, 1, 'info', '{}', now())",
        [session.pk],
    )
    seen = []

    def writer():
        emit(Session.objects.get(pk=session.pk), "second")

    def reader():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.3)")
        seen.append([e.number for e in events.read(session)])
        second_connection.commit()

    in_threads(writer, reader)
    assert seen == [[]]
    assert [e.number for e in events.read(session)] == [1, 2]


@pytest.mark.django_db
def test_events_are_kept_thirty_days_and_numbers_go_on():
    session = make_session()
    emit(session, "old", now=NOW)
    emit(session, "new", now=NOW + dt.timedelta(days=1))
    assert events.purge(now=NOW + dt.timedelta(days=30, seconds=1)) == 1
    emit(session, "newest", now=NOW)
    assert [e.number for e in events.read(session)] == [2, 3]


@pytest.mark.django_db
def test_an_event_is_pushed_after_the_commit_and_not_before(
    valkey, django_capture_on_commit_callbacks
):
    session = make_session()
    with redis.Redis.from_url(valkey) as client, client.pubsub() as subscriber:
        subscriber.subscribe(events.channel(session.public_id))
        assert subscriber.get_message(timeout=2)["type"] == "subscribe"
        with django_capture_on_commit_callbacks(execute=True):
            emit(session, "ciao")
            assert subscriber.get_message(timeout=0.2) is None
        message = json.loads(subscriber.get_message(timeout=2)["data"])
        assert message == {
            "number": 1,
            "kind": "info",
            "payload": {"level": "info", "text": "ciao"},
        }
        events.push_text_delta(session.public_id, 7, "SEL")
        delta = json.loads(subscriber.get_message(timeout=2)["data"])
        assert delta == {"number": None, "kind": "text_delta", "payload": {"run": 7, "text": "SEL"}}
    assert Event.objects.count() == 1  # the delta is not stored


@pytest.mark.django_db
@override_settings(THOTH_VALKEY_URL="redis://:a-secret@127.0.0.1:1/0")
def test_a_lost_valkey_is_logged_and_never_raised(caplog, django_capture_on_commit_callbacks):
    session = make_session()
    with django_capture_on_commit_callbacks(execute=True):
        emit(session, "ciao")
    assert f"event_push_failed session={session.public_id}" in caplog.text
    assert "a-secret" not in caplog.text
    assert len(events.read(session)) == 1
