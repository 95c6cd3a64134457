"""`session check`: each contradiction is found and named; a sound session has none."""

from __future__ import annotations

import pytest
from django.db import connection

from sessions_app import artifacts
from sessions_app.check import check
from sessions_app.models import Artifact, Receipt, Session
from tests.sessions_app.builders import (
    NOW,
    answer,
    clarified,
    cte_approved,
    decide,
    make_session,
    make_widget,
    walk,
)
from thoth.contracts.decisions import Decision

pytestmark = pytest.mark.django_db


def codes(session):
    return [finding.code for finding in check(session)]


@pytest.mark.parametrize(
    "stage",
    [
        "clarification",
        "memory",
        "rewriting",
        "schema_linking",
        "synthesis",
        "cte",
        "final_sql",
        "closure",
        "end",
    ],
)
def test_a_session_is_sound_at_every_stage(stage):
    assert codes(walk(make_session(), stage)) == []


def test_a_cached_phase_that_the_ledger_contradicts():
    session = walk(make_session(), "rewriting")
    Session.objects.filter(pk=session.pk).update(phase="F4", stage="schema_linking")
    (finding,) = check(session)
    assert finding.code == "phase_differs"
    assert "F4" in finding.message
    assert "F3" in finding.message


def test_a_status_that_the_ledger_contradicts():
    session = walk(make_session(), "end")
    Session.objects.filter(pk=session.pk).update(status="waiting")
    assert codes(session) == ["status_differs"]


def test_an_artifact_of_a_phase_that_is_not_reached():
    session = walk(make_session(), "rewriting")
    artifacts.put(session, "sql_final.sql", "SELECT 1", stage="final_sql")
    assert codes(session) == ["artifact_of_unreached_phase"]


def test_a_cte_file_that_the_plan_does_not_name():
    session = walk(make_session(), "final_sql")
    artifacts.put(session, "ctes/orphan.sql", "SELECT 3", stage="cte")
    (finding,) = check(session)
    assert (finding.code, "ctes/orphan.sql" in finding.message) == ("cte_file_not_in_plan", True)


def test_a_file_that_is_not_what_was_approved():
    session = walk(make_session(), "closure")
    artifacts.put(session, "sql_final.sql", "SELECT 'other'", stage="final_sql")
    assert codes(session) == ["approved_text_missing"]
    Artifact.objects.filter(name="sql_final.sql").delete()
    assert codes(session) == ["approved_text_missing"]


def test_a_rejected_cte_needs_no_file():
    session = walk(make_session(), "cte")
    decide(session, cte_approved("a", "SELECT 1"), Decision(type="cte_rejected", subject="a"))
    assert codes(session) == []


def test_a_pending_widget_of_another_stage():
    session = walk(make_session(), "rewriting")
    make_widget(session)
    decide(session, Decision(type="phase_reopened", subject="phase:F1"))
    assert codes(session) == ["pending_misplaced"]


def test_a_marker_that_refers_to_no_clarification():
    session = walk(make_session(), "closure")
    linked = next(r.seq for r in session.ledger.filter(type="table_promoted"))
    decide(session, Decision(type="memory_promotion_declined", subject="seq:1"))
    assert codes(session) == []
    decide(session, Decision(type="memory_promotion_declined", subject=f"seq:{linked}"))
    assert codes(session) == ["marker_dangling"]


def test_a_receipt_of_a_stage_that_is_not_reached():
    session = walk(make_session(), "rewriting")
    for stage, phase in (("rewriting", "F3"), ("cte", "F6")):
        Receipt.objects.create(
            session=session, phase=phase, stage=stage, purpose="rewriting",
            vector_generation="g1", evidence_ids=["evidence:x"], created_at=NOW,
        )  # fmt: skip
    assert codes(session) == ["receipt_of_unreached_phase"]


def test_a_damaged_chain_is_reported_alone():
    session = walk(make_session(), "rewriting")
    Session.objects.filter(pk=session.pk).update(phase="F8")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE sessions_app_ledgerrow DISABLE TRIGGER ALL")
        cursor.execute("UPDATE sessions_app_ledgerrow SET phase = 'F99' WHERE seq = 1")
    assert codes(session) == ["row_changed"]


def test_checking_costs_a_fixed_number_of_queries(django_assert_num_queries):
    short, long = walk(make_session(), "memory"), walk(make_session(), "end")
    for _ in range(3):
        answer(short, clarified("x"))
    for session in (short, long):
        with django_assert_num_queries(9):
            check(session)
