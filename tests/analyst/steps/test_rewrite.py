"""F3: the question in words, its texts, and what is refused a second time."""

from __future__ import annotations

import pytest

from tests.analyst.kit import Ask, activity, finished_sql, proposals, reject, rows_of


def rewriting(ask: Ask, question: str):
    reviewer = ask(question)
    reviewer.until("rewriting")
    return reviewer


def test_the_question_is_said_again_with_numbered_conditions(ask: Ask) -> None:
    reviewer = rewriting(ask, "Quanti ricoveri in day hospital nel 2023?")
    text = proposals(reviewer.session, "rewrite")[0]["text"]
    assert text.splitlines() == [
        "Calcola: numero di «ricovero».",
        "f1. regime è «day hospital»",
        "p1. data ricovero: dal 2023-01-01 al 2023-12-31",
    ]


def test_a_rejection_that_names_what_to_count_gives_another_intent(ask: Ask) -> None:
    reviewer = rewriting(ask, "Quanti ricoveri nel 2023?")
    reject(reviewer, "conta i pazienti, non i ricoveri")
    first, second = proposals(reviewer.session, "rewrite")
    assert first["intent"] != second["intent"]
    assert "«conta i pazienti, non i ricoveri»" in second["text"]
    assert rows_of(finished_sql(reviewer)) == [["3"]]


def test_a_rejection_that_names_a_period_restricts_the_query(ask: Ask) -> None:
    reviewer = rewriting(ask, "Quanti ricoveri ci sono stati?")
    reject(reviewer, "solo quelli del 2024")
    assert rows_of(finished_sql(reviewer)) == [["1"]]


@pytest.mark.parametrize(
    ("text", "code"),
    [("non mi piace", "text_not_understood"), ("parlo dei ricoveri", "text_without_effect")],
)
def test_a_rejection_that_changes_nothing_is_a_question_back(
    ask: Ask, text: str, code: str
) -> None:
    reviewer = rewriting(ask, "Quanti ricoveri ci sono stati nel 2023?")
    reject(reviewer, text)
    assert activity(reviewer) == "rewrite"
    assert f"`{code}`" in reviewer.widget["intro"]
    assert text in reviewer.widget["intro"]
