"""F6 and F7: the query of the decisions; a rejection without another decision is a question back."""

from __future__ import annotations

from tests.analyst.kit import Ask, finished_sql, reject

QUESTION = "Quanti ricoveri per reparto nel 2023?"


def test_the_same_question_gives_the_same_query_twice(ask: Ask) -> None:
    assert finished_sql(ask(QUESTION)) == finished_sql(ask(QUESTION))


def test_a_rejected_query_is_not_proposed_again(ask: Ask) -> None:
    reviewer = ask(QUESTION)
    reviewer.until("final_sql")
    reject(reviewer, "usa un altro reparto")
    assert "torna alla fase" in reviewer.widget["intro"]
    assert not any(option["recommended"] for option in reviewer.widget["options"])


def test_going_back_to_a_decision_changes_the_query(ask: Ask) -> None:
    reviewer = ask(QUESTION)
    reviewer.until("final_sql")
    before = reviewer.widget["artifact"]["text"]
    reviewer.send(control="back", target="F4")
    reviewer.choose()  # keep nothing of what was decided here
    subject = "dw.dim_reparto.id_reparto=dw.fact_ricovero.id_reparto"
    reviewer.until("schema_linking", "link_joins")
    other: dict[str, object] = {"kind": "select", "choice": f"{subject}_dimissione"}
    reviewer.choose(subject, **{subject: other})
    after = reviewer.until("final_sql")["artifact"]["text"]
    assert "id_reparto_dimissione" in after
    assert before == after.replace("id_reparto_dimissione", "id_reparto")
