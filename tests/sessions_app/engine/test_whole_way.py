"""One question from F1 to F8 on a real warehouse, answered by a transcript and a reviewer."""

from __future__ import annotations

from pathlib import Path

from pytest_django.fixtures import Settings

from sessions_app import artifacts, ledger, services
from sessions_app.check import check
from sessions_app.models import Session
from tests.sessions_app.kit import EXPECTED_ROWS, Reviewer, start
from thoth.warehouse import facade as warehouse

FIVE_PHASES = Path(__file__).parents[2] / "data" / "workflow" / "five_phases.yaml"


def rows_of(session: Session) -> list[list[str | None]]:
    """What the approved SQL gives, run under the hash that was approved."""
    sql = artifacts.get(session, "sql_final.sql")
    approved = ledger.view(session).latest("sql_approved")
    assert sql is not None
    assert approved is not None
    result = warehouse.query_run(
        "cardio", sql.text, purpose="export", expected_sha256=str(approved.payload["sha256"])
    )
    return [list(row) for row in result.rows]


def test_the_ablation_question_reaches_its_number(reviewer: Reviewer) -> None:
    widget = reviewer.widget
    assert (widget["phase"], widget["widget"]) == ("F1", "select")
    assert widget["options"][0]["meta"]["count"] == 7
    reviewer.choose("calendar")
    assert reviewer.widget["title"] == "Nothing ambiguous is left"
    reviewer.choose("confirm")
    assert (reviewer.widget["phase"], reviewer.widget["widget"]) == ("F3", "artifact_gate")
    session = reviewer.finish()
    assert session.status == Session.Status.FINALISED
    assert rows_of(session) == EXPECTED_ROWS
    assert check(session) == []
    types = [row.type for row in ledger.view(session).rows]
    assert types == [
        "concept_clarified",
        "phase_approved",
        "phase_auto_approved",
        "question_rewritten",
        "phase_approved",
        "value_grounded",
        "table_promoted",
        "column_promoted",
        "column_promoted",
        "table_excluded",
        "phase_approved",
        "phase_approved",
        "cte_approved",
        "phase_approved",
        "sql_approved",
        "phase_approved",
        "datamart_declined",
        "phase_approved",
    ]


def test_five_phases_reach_the_same_number(
    cardio: str, transactional_db: None, settings: Settings
) -> None:
    settings.THOTH_WORKFLOW_FILE = str(FIVE_PHASES)
    reviewer = start(cardio)
    session = reviewer.finish()
    assert rows_of(session) == EXPECTED_ROWS
    assert check(session) == []
    assert {row.phase for row in ledger.view(session).rows} == {"F1", "F2", "F3", "F4", "F5"}


def test_kept_answers_lead_to_the_same_number_from_every_phase(reviewer: Reviewer) -> None:
    for phase in ("F7", "F6", "F5", "F4", "F3", "F1"):
        reviewer.until("closure")
        reviewer.send(control="back", target=phase)
        assert reviewer.session.phase == phase
        assert check(reviewer.session) == []
        asked = reviewer.widget["title"]
        assert (asked == "Keep these answers?") == (phase != "F5")
        reviewer.recommended()
        if phase != "F5":
            restored = [r for r in ledger.rows(reviewer.session) if r.payload.get("restored_from")]
            assert restored[-1].phase == phase
    session = reviewer.finish()
    assert rows_of(session) == EXPECTED_ROWS
    assert check(session) == []


def test_what_is_not_kept_is_asked_again(reviewer: Reviewer) -> None:
    reviewer.until("rewriting")
    reviewer.send(control="back", target="F1")
    reviewer.choose()
    assert reviewer.widget["title"] == "What does “per anno” mean?"


def test_going_back_with_words_keeps_nothing_by_itself(
    reviewer: Reviewer, steered_transcript: None
) -> None:
    reviewer.until("rewriting")
    session = reviewer.session
    services.rollback(
        session.public_id,
        target="F1",
        actor=reviewer.actor,
        expected_version=session.version,
        text="only 2023",
    )
    assert [o["selected"] for o in reviewer.widget["options"]] == [False]
    reviewer.choose()
    assert reviewer.widget["title"] == "Which date is in 2023?"


def test_words_beside_the_kept_answers_ask_again_with_what_was_ticked(
    reviewer: Reviewer, steered_transcript: None
) -> None:
    reviewer.until("rewriting")
    reviewer.send(control="back", target="F1")
    kept = [o["id"] for o in reviewer.widget["options"]]
    assert [o["group"] for o in reviewer.widget["options"]] == ["Meanings"]
    reviewer.send(control="other", text="only 2023", choices=kept)
    widget = reviewer.widget
    assert widget["title"] == "Keep these answers?"
    assert [o["selected"] for o in widget["options"]] == [True]
    reviewer.recommended()
    assert reviewer.widget["title"] == "Which date is in 2023?"
