"""F3, F6, F7 and F8: gates, rejections, a reviewer's own SQL, the end."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from sessions_app import artifacts, ledger
from sessions_app.check import check
from sessions_app.models import Artifact, Event, Session
from tests.sessions_app.engine.test_whole_way import rows_of
from tests.sessions_app.kit import EXPECTED_ROWS, Reviewer, takes_up, transcript
from thoth.lib.errors import Invalid

pytestmark = pytest.mark.django_db(transaction=True)
Scripted = Callable[..., None]
FINAL: str = transcript()[6]["proposal"]["sql"]
OWN = FINAL.replace(
    "FROM transcatetere\n", "FROM transcatetere\nWHERE data_procedura > '2000-01-01'\n"
)


def step(name: str, **proposal: Any) -> dict[str, Any]:
    return {"step": name, "proposal": proposal}


def sql_of(text: str) -> dict[str, Any]:
    return {"kind": "artifact", "text": text}


def option(widget: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(o for o in widget["options"] if o["id"] == name)
    return found


# F3


def test_the_rewriting_can_ask_to_go_back(reviewer: Reviewer, scripted: Scripted) -> None:
    scripted(step("rewrite", reopen={"phase": "F1", "reason": "Which date counts?"}))
    widget = reviewer.until("rewriting")
    assert widget["intro"] == "Which date counts?"
    reviewer.choose("reopen")
    assert reviewer.session.phase == "F1"
    assert reviewer.widget["title"] == "Keep these answers?"
    assert check(reviewer.session) == []


def test_an_intent_that_refers_to_nothing_is_refused(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    proposal = transcript()[2]["proposal"]
    bad = proposal["intent"] | {"order": [{"by": "d9", "direction": "asc"}]}
    scripted(step("rewrite", text="x", intent=bad))
    with pytest.raises(AssertionError, match="intent_invalid"):
        reviewer.until("rewriting")


def test_the_question_document_numbers_its_conditions(reviewer: Reviewer) -> None:
    text = reviewer.until("rewriting")["artifact"]["text"]
    assert "## Conditions\n1. f1: ablazione is «transcatetere»" in text
    assert "1. per anno: Calendar year of the procedure" in text
    reviewer.choose("approve")
    assert Artifact.objects.get(name="question.md").content.text == text


# F6


def test_no_steps_at_all_close_the_stage_silently(reviewer: Reviewer, scripted: Scripted) -> None:
    final = FINAL.replace(
        "FROM transcatetere", "FROM dw.fact_ablazione WHERE ablazione_transcatetere"
    )
    scripted(step("plan_ctes"), step("final_sql", sql=final[final.index("SELECT CAST") :]))
    reviewer.until("final_sql")
    row = ledger.view(reviewer.session).latest("phase_auto_approved", subject="stage:cte")
    assert row is not None
    silent = Event.objects.filter(payload__event="auto_advance_silent", payload__stage="cte")
    assert silent.count() == 1
    assert rows_of(reviewer.finish()) == EXPECTED_ROWS


def test_the_reviewer_may_want_no_steps(reviewer: Reviewer, scripted: Scripted) -> None:
    final = FINAL.replace(
        "FROM transcatetere", "FROM dw.fact_ablazione WHERE ablazione_transcatetere"
    )
    scripted(step("final_sql", sql=final[final.index("SELECT CAST") :]))
    reviewer.until("cte")
    reviewer.choose("skip")
    reviewer.until("final_sql")
    types = [r.type for r in ledger.view(reviewer.session).rows if r.stage == "cte"]
    assert types == ["phase_skipped", "phase_auto_approved"]
    assert check(reviewer.session) == []


def test_a_step_is_shown_with_its_rows_and_its_plan(reviewer: Reviewer) -> None:
    widget = reviewer.until("cte")
    approve = option(widget, "approve")
    assert approve["meta"]["count"] == 5
    assert approve["meta"]["preview"]["columns"] == ["data_procedura"]
    assert "1. **transcatetere**: The transcatheter ablations" in widget["intro"]
    reviewer.choose("approve")
    row = ledger.view(reviewer.session).of_type("cte_approved")[0]
    text = artifacts.get(reviewer.session, "ctes/transcatetere.sql")
    assert text is not None
    assert row.payload["sha256"] == hashlib.sha256(text.text.encode()).hexdigest()
    assert row.payload["tests"]["rows"] == "5"


def test_a_step_that_fails_cannot_be_approved(reviewer: Reviewer, scripted: Scripted) -> None:
    draft = transcript()[5]["proposal"]["ctes"][0]
    bad = draft | {"sql": "SELECT 1 / (id_paziente - id_paziente) AS x FROM dw.fact_ablazione"}
    scripted(step("plan_ctes", ctes=[bad]))
    widget = reviewer.until("cte")
    assert "It fails" in widget["intro"]
    assert [o["id"] for o in widget["options"]] == ["reject", "skip", "replan"]


def test_a_plan_with_forbidden_sql_is_never_shown(reviewer: Reviewer, scripted: Scripted) -> None:
    draft = transcript()[5]["proposal"]["ctes"][0]
    scripted(step("plan_ctes", ctes=[draft | {"sql": "DELETE FROM dw.fact_ablazione RETURNING 1"}]))
    with pytest.raises(AssertionError, match="sql_refused"):
        reviewer.until("cte")


def test_another_plan_can_be_asked_for(reviewer: Reviewer, scripted: Scripted) -> None:
    draft = transcript()[5]["proposal"]["ctes"][0] | {"name": "base"}
    scripted(takes_up("plan_ctes", "other name", "t1", "call it base", ctes=[draft]))
    reviewer.until("cte")
    reviewer.choose("replan", replan={"kind": "freetext", "text": "other name"})
    assert reviewer.widget["title"] == "Step “base”"
    assert check(reviewer.session) == []


# F7


def test_sql_that_departs_from_the_decisions_is_never_shown_as_a_proposal(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(step("final_sql", sql=OWN))
    with pytest.raises(AssertionError, match="not_conformant"):
        reviewer.until("final_sql")


def test_a_reviewers_own_sql_is_guarded_before_it_is_taken(reviewer: Reviewer) -> None:
    widget = reviewer.until("final_sql")
    with pytest.raises(Invalid) as refused:
        reviewer.choose("revise", revise=sql_of("DROP TABLE dw.fact_ablazione"))
    assert refused.value.code == "sql_refused"
    assert reviewer.widget["id"] == widget["id"]


def test_own_sql_that_conforms_goes_straight_to_the_gate(reviewer: Reviewer) -> None:
    reviewer.until("final_sql")
    own = FINAL + "\n-- checked by hand"
    reviewer.choose("revise", revise=sql_of(own))
    assert reviewer.widget["artifact"]["text"] == own
    reviewer.choose("approve")
    assert rows_of(reviewer.finish()) == EXPECTED_ROWS


def test_each_departure_of_own_sql_is_accepted_with_a_reason(reviewer: Reviewer) -> None:
    reviewer.until("final_sql")
    reviewer.choose("revise", revise=sql_of(OWN))
    widget = reviewer.widget
    assert widget["title"] == "Your text departs from what was decided"
    ids = [o["id"] for o in widget["options"]]
    with pytest.raises(Invalid) as refused:
        reviewer.choose(*ids)
    assert refused.value.code == "answer_child_missing"
    reason = {"kind": "freetext", "text": "older rows are test data"}
    reviewer.choose(*ids, **dict.fromkeys(ids, reason))
    widget = reviewer.widget
    report = option(widget, "approve")["meta"]["report"]
    assert "accepted by ada" in report
    assert "older rows are test data" in report
    reviewer.choose("approve")
    rows = ledger.view(reviewer.session).of_type("conformance_overridden")
    assert {row.payload["reason"] for row in rows} == {"older rows are test data"}
    approved = ledger.view(reviewer.session).latest("sql_approved")
    assert approved is not None
    assert approved.payload["conformance"]["status"] == "overridden"
    assert rows_of(reviewer.finish()) == EXPECTED_ROWS
    assert check(reviewer.session) == []


def test_a_departure_that_is_not_accepted_blocks_the_approval(reviewer: Reviewer) -> None:
    reviewer.until("final_sql")
    reviewer.choose("revise", revise=sql_of(OWN))
    departures = [o["label"] for o in reviewer.widget["options"]]
    reviewer.choose()
    widget = reviewer.widget
    assert [o["id"] for o in widget["options"]] == ["reject", "revise"]
    assert departures
    assert all(f"- {departure}" in widget["intro"] for departure in departures)
    reviewer.choose("revise", revise=sql_of(FINAL))
    assert option(reviewer.widget, "approve")["recommended"] is True


def test_a_rejected_query_is_written_again(reviewer: Reviewer, scripted: Scripted) -> None:
    better = FINAL.replace("AS ablazioni", "AS ablazioni -- per year")
    scripted(takes_up("final_sql", "say why", "t1", "a comment", sql=better))
    reviewer.until("final_sql")
    reviewer.choose("reject", reject={"kind": "freetext", "text": "say why in a comment"})
    assert reviewer.widget["artifact"]["text"] == better
    assert check(reviewer.session) == []


# F5 and F8


def test_the_synthesis_is_the_same_document_every_time(reviewer: Reviewer) -> None:
    text = reviewer.until("synthesis")["artifact"]["text"]
    document = json.loads(text)
    table = document["candidates"][0]
    assert table["table"] == "dw.fact_ablazione"
    assert set(table["columns"]) == {"ablazione_transcatetere", "data_procedura"}
    assert list(table["grounded_values"]) == ["transcatetere"]
    assert document["exclusions"] == ["dw.fact_visita"]
    reviewer.send(control="back", target="F5")
    assert reviewer.widget["artifact"]["text"] == text


@pytest.mark.parametrize("form", ["csv", "xlsx", "dbt"])
def test_a_datamart_request_is_recorded_and_closes_the_session(
    reviewer: Reviewer, form: str
) -> None:
    reviewer.until("closure")
    reviewer.choose(form)
    session = reviewer.session
    assert session.status == Session.Status.FINALISED
    row = ledger.view(session).of_type("datamart_requested")[0]
    assert row.payload == {"form": form}
    assert json.loads(Artifact.objects.get(name="evidence.json").content.text)["evidence"] == {}
    assert check(session) == []


def test_identifying_columns_need_a_confirmation_before_they_leave(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    tables = transcript()[4]["proposal"]["tables"][:1]
    patient = {
        "table": "dw.dim_paziente",
        "columns": [{"column": "dw.dim_paziente.cognome", "role": "output"}],
    }
    join = "dw.dim_paziente.id_paziente=dw.fact_ablazione.id_paziente"
    scripted(
        step("link_schema", tables=[*tables, patient]),
        step("link_joins", joins=[{"subject": join}]),
    )
    widget = reviewer.until("closure")
    assert "dw.dim_paziente.cognome" in widget["intro"]
    with pytest.raises(Invalid) as refused:
        reviewer.choose("csv")
    assert refused.value.code == "answer_child_missing"
    reviewer.choose("csv", csv={"kind": "multiselect", "choices": ["dw.dim_paziente.cognome"]})
    row = ledger.view(reviewer.session).of_type("datamart_requested")[0]
    assert row.payload["pseudonymised"] == ["dw.dim_paziente.cognome"]
