"""Two connections at once: the session's row lock puts them in order."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from sessions_app import ledger, verify
from sessions_app.models import Session
from tests.sessions_app.builders import clarified, make_session


def in_threads(*jobs):
    """Run each job in a thread with a connection of its own; re-raise what one raised."""

    def run(job):
        try:
            job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for future in [pool.submit(run, job) for job in jobs]:
            future.result(timeout=30)


@pytest.mark.django_db(transaction=True)
def test_two_connections_append_one_gapless_chain():
    session = make_session()
    gate = threading.Barrier(2)

    def append_ten(name):
        def job():
            mine = Session.objects.get(pk=session.pk)
            gate.wait()
            for number in range(10):
                with transaction.atomic():
                    ledger.append(mine, [clarified(f"{name}{number}")], author=name)

        return job

    in_threads(append_ten("a"), append_ten("b"))
    rows = ledger.rows(session)
    assert [row.seq for row in rows] == list(range(1, 21))
    assert {row.author for row in rows} == {"a", "b"}
    assert verify.verify(session) == []


@pytest.mark.django_db(transaction=True)
def test_an_append_waits_for_whoever_holds_the_session(second_connection):
    session = make_session()
    second_connection.autocommit = False
    second_connection.execute(
        "SELECT 1 FROM sessions_app_session WHERE id = %s FOR UPDATE", [session.pk]
    )
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute("SET LOCAL lock_timeout = '200ms'")
        with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
            ledger.append(session, [clarified("x")], author="ada")
    second_connection.rollback()
    with transaction.atomic():
        ledger.append(session, [clarified("x")], author="ada")
    assert session.ledger_count == 1


@pytest.mark.django_db(transaction=True)
def test_a_row_inserted_past_the_lock_cannot_fork_the_chain(second_connection):
    session = make_session()
    with transaction.atomic():
        ledger.append(session, [clarified("x")], author="ada")
    with pytest.raises(psycopg.errors.UniqueViolation):
        second_connection.execute(
            "INSERT INTO sessions_app_ledgerrow (session_id, seq, type, phase, stage, subject,"
            " detail, rationale, payload, author, widget, created_at, prev_hash, hash)"
            " SELECT session_id, 2, type, phase, stage, subject, detail, rationale, payload,"
            " author, widget, created_at, prev_hash, repeat('b', 64) FROM sessions_app_ledgerrow"
        )


@pytest.mark.django_db(transaction=True)
def test_appending_outside_a_transaction_is_refused():
    with pytest.raises(transaction.TransactionManagementError):
        ledger.append(make_session(), [clarified("x")], author="ada")


@pytest.mark.django_db
def test_a_batch_costs_a_fixed_number_of_queries(django_assert_num_queries):
    session = make_session()
    with django_assert_num_queries(7), transaction.atomic():  # two are the savepoint
        ledger.append(session, [clarified(f"c{i}") for i in range(200)], author="ada")
    assert session.ledger_count == 200


@pytest.mark.django_db
def test_the_head_is_logged_once_it_is_stored(caplog, django_capture_on_commit_callbacks):
    session = make_session()
    with (
        caplog.at_level("INFO", logger="sessions_app.ledger"),
        django_capture_on_commit_callbacks(execute=True),
        transaction.atomic(),
    ):
        ledger.append(session, [clarified("x")], author="ada")
        assert caplog.messages == []
    assert caplog.messages == [
        f"ledger_append session={session.public_id} count=1 head={session.ledger_head}"
    ]
