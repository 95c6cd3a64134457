""" "Keep these answers": what is offered again, and what keeping brings back."""

from __future__ import annotations

import pytest

from sessions_app import artifacts, ledger
from sessions_app.check import check
from sessions_app.models import WorkflowVersion
from sessions_app.rollback import keep_decisions, removed_decisions, reopening_of
from sessions_app.workflow import load
from tests.sessions_app.builders import (
    DATA,
    answer,
    clarified,
    decide,
    make_session,
    make_widget,
    rewritten,
    walk,
)
from tests.sessions_app.rollback.test_rollback import back, names

pytestmark = pytest.mark.django_db


def keep(session, *rows):
    """Answer the widget with these rows, as the engine does."""
    widget = make_widget(session, status="answered")
    artifacts.restore(session, rows, widget=widget.uid)
    return decide(session, *keep_decisions(rows), widget=widget.uid)


def test_the_decisions_of_the_reopened_phase_are_offered_and_no_others():
    session = walk(make_session(), "cte")
    back(session, "F4")
    offered = removed_decisions(session, "F4")
    assert [row.subject for row in offered] == ["dw.fact_ablazione", "dw.dim_tempo"]
    assert removed_decisions(session, "F3") == ()
    assert reopening_of(session, "F5") is None


@pytest.mark.parametrize("text", ["", "solo il 2024"])
def test_the_reopening_says_whether_a_text_came_with_it(text):
    session = walk(make_session(), "cte")
    back(session, "F4", text=text)
    assert reopening_of(session, "F4").with_text is bool(text)


def test_a_kept_decision_is_a_new_row_that_says_where_it_comes_from():
    session = walk(make_session(), "cte")
    back(session, "F4")
    first, second = removed_decisions(session, "F4")
    (row,) = keep(session, second)
    assert (row.subject, row.payload) == ("dw.dim_tempo", {"restored_from": second.seq})
    assert [r.subject for r in ledger.view(session).of_type("table_promoted")] == ["dw.dim_tempo"]
    assert first.seq != second.seq


def test_kept_twice_it_names_the_nearest_origin():
    session = walk(make_session(), "cte")
    back(session, "F4")
    (kept,) = keep(session, removed_decisions(session, "F4")[0])
    back(session, "F4")
    (again,) = keep(session, *removed_decisions(session, "F4"))
    assert again.payload["restored_from"] == kept.seq


def test_a_kept_cte_brings_back_its_file_the_plan_and_the_tests():
    session = walk(make_session(), "final_sql")
    artifacts.put(session, "cte_tests.json", '{"per_anno": "8 rows"}', stage="cte")
    back(session, "F6")
    assert [n for n in names(session) if n.startswith("cte")] == []
    keep(session, *removed_decisions(session, "F6"))
    assert artifacts.get(session, "ctes/per_anno.sql").text == "SELECT 1"
    assert artifacts.get(session, "cte_tests.json").text == '{"per_anno": "8 rows"}'
    assert check(session) == []
    decide(session, ledger.closing("cte"))  # so the stage can close without asking anew
    assert session.stage == "final_sql"


def test_a_kept_cte_comes_back_in_the_text_that_was_approved():
    session = walk(make_session(), "cte")
    from tests.sessions_app.builders import cte_approved, plan_json

    for text in ("SELECT 1", "SELECT 2"):
        answer(
            session,
            cte_approved("a", text),
            files=[("cte_plan.json", plan_json("a")), ("ctes/a.sql", text)],
        )
    back(session, "F6")
    older, _ = removed_decisions(session, "F6")
    keep(session, older)
    assert artifacts.get(session, "ctes/a.sql").text == "SELECT 1"
    assert check(session) == []


def test_a_kept_final_sql_brings_back_its_file_and_report():
    session = walk(make_session(), "closure")
    back(session, "F7")
    keep(session, *removed_decisions(session, "F7"))
    assert artifacts.get(session, "sql_final.sql").text == "SELECT 2"
    assert artifacts.get(session, "validation_report.md").text == "fine"
    assert check(session) == []


def test_a_kept_rewriting_brings_back_its_document():
    session = walk(make_session(), "schema_linking")
    back(session, "F3")
    keep(session, *removed_decisions(session, "F3"))
    assert artifacts.get(session, "question.md").text == "# Q"


def test_after_moving_on_and_reopening_another_phase_nothing_old_is_offered():
    session = walk(make_session(), "cte")
    back(session, "F4")
    back(session, "F3")
    assert removed_decisions(session, "F4") == ()
    assert [row.subject for row in removed_decisions(session, "F3")] == ["question"]


def test_a_merged_phase_offers_the_decisions_of_all_its_stages():
    file = DATA / "workflow" / "five_phases.yaml"
    flow = load(file)
    version = WorkflowVersion.objects.create(
        version=flow.version, sha256=flow.sha256, yaml=file.read_text()
    )
    session = make_session(workflow=version)
    answer(session, clarified("ablazione"))
    answer(session, ledger.closing("clarification"))
    decide(session, ledger.closing("memory", auto=True))
    answer(session, rewritten(), files=[("question.md", "# Q")])
    back(session, "F1")
    offered = removed_decisions(session, "F1")
    assert [row.type for row in offered] == ["concept_clarified", "question_rewritten"]
    keep(session, *offered)
    assert session.stage == "clarification"
    back(session, "F1")
    keep(session, *removed_decisions(session, "F1"))  # its rows now have another stage
    assert names(session) == ["question.md"]
    assert check(session) == []


def test_an_answer_that_closed_its_stage_inside_a_merged_phase_cannot_be_retracted_singly():
    from thoth.lib.errors import Conflict

    file = DATA / "workflow" / "five_phases.yaml"
    flow = load(file)
    version = WorkflowVersion.objects.create(
        version=flow.version, sha256=flow.sha256, yaml=file.read_text()
    )
    session = make_session(workflow=version)
    answer(session, clarified("ablazione"), ledger.closing("clarification"))
    with pytest.raises(Conflict) as caught:
        back(session, "again")
    assert caught.value.code == "answer_closed_its_stage"
