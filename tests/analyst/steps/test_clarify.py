"""F1: what is asked, what is not, and that the answer changes the query."""

from __future__ import annotations

from tests.analyst.kit import (
    Ask,
    activity,
    finished_sql,
    option_of,
    proposals,
    rows_of,
    say,
    sql_of,
)

AMOUNT = "Qual è l'importo medio nel 2023?"


def choose_amount(ask: Ask, label: str) -> str:
    reviewer = ask(AMOUNT)
    reviewer.choose(option_of(reviewer.widget, label)["id"])
    return finished_sql(reviewer)


def test_an_ambiguity_answered_differently_leads_to_different_queries(ask: Ask) -> None:
    stays = choose_amount(ask, "fact_ricovero.importo")
    devices = choose_amount(ask, "fact_dispositivo.importo")
    assert "fact_ricovero" in stays
    assert "fact_dispositivo" not in stays
    assert "fact_dispositivo" in devices
    assert "fact_ricovero" not in devices
    assert float(rows_of(stays)[0][0] or 0) != float(rows_of(devices)[0][0] or 0)


def test_a_tie_recommends_nothing_and_every_option_says_what_it_means(ask: Ask) -> None:
    widget = ask(AMOUNT).widget
    assert widget["title"] == "Che cosa significa «importo»?"
    assert not any(option["recommended"] for option in widget["options"])
    option = option_of(widget, "fact_ricovero.importo")
    assert "Rimborso, in euro" in option["description"]
    assert option["decision"]["payload"]["columns"] == ["dw.fact_ricovero.importo"]


def test_an_answered_ambiguity_is_not_asked_again(ask: Ask) -> None:
    reviewer = ask(AMOUNT)
    reviewer.choose(option_of(reviewer.widget, "fact_ricovero.importo")["id"])
    assert [o["id"] for o in reviewer.widget["options"]] == ["confirm"]


def test_a_value_in_several_columns_is_left_to_grounding(ask: Ask) -> None:
    reviewer = ask("Quante cardioversioni con fibrillazione atriale nel 2023?")
    assert [o["id"] for o in reviewer.widget["options"]] == ["confirm"]
    assert proposals(reviewer.session, "clarify")[0]["ambiguity"] is None


def test_words_that_nothing_explains_are_named(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri zubbalini nel 2023?")
    assert "«zubbalini»" in reviewer.widget["intro"]
    assert "`unexplained_words`" in reviewer.widget["intro"]
    assert not any(option["recommended"] for option in reviewer.widget["options"])


def test_words_left_open_have_no_effect_and_the_question_says_so(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri zubbalini nel 2023?")
    reviewer.choose("leave_open")
    reviewer.until("rewriting")
    assumptions = proposals(reviewer.session, "rewrite")[0]["assumptions"]
    assert assumptions == ["Lasciato aperto, senza effetto: «zubbalini»."]
    assert rows_of(finished_sql(reviewer)) == [["3"]]


def test_a_question_about_something_else_is_refused(ask: Ask) -> None:
    assert "`off_topic`" in ask("Chi ha vinto il campionato?").widget["intro"]


def test_a_text_is_shown_as_understood_before_it_counts(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri ci sono stati?")
    say(reviewer, "solo nel 2023")
    widget = reviewer.widget
    assert widget["title"] == "Ho capito bene?"
    assert "2023" in option_of(widget, "periodo")["label"]
    assert rows_of(finished_sql(reviewer)) == [["3"]]
    assert "2023-01-01" in sql_of(reviewer)


def test_a_text_put_aside_changes_nothing(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri ci sono stati?")
    say(reviewer, "solo nel 2023")
    reviewer.choose("ignore")
    assert rows_of(finished_sql(reviewer)) == [["5"]]


def test_a_text_that_is_not_understood_is_quoted(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri ci sono stati nel 2023?")
    say(reviewer, "mah, boh")
    assert activity(reviewer) == "clarify"
    assert "`text_not_understood`" in reviewer.widget["intro"]
    assert "mah, boh" in reviewer.widget["intro"]


def test_the_same_text_twice_is_another_clarification(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri ci sono stati?")
    for _ in range(2):
        say(reviewer, "solo nel 2023")
        reviewer.choose("follow")
    subjects = [o["decision"]["subject"] for o in reviewer.widget["options"] if o["decision"]]
    assert subjects == ["stage:clarification"]
    assert rows_of(finished_sql(reviewer)) == [["3"]]


TOTAL = "Qual è il totale dei ricoveri del 2023?"


def test_a_total_may_be_how_many_or_how_much(ask: Ask) -> None:
    widget = ask(TOTAL).widget
    assert not any(option["recommended"] for option in widget["options"])
    assert option_of(widget, "Quanti sono")["meta"]["count"] == 3
    option_of(widget, "La somma di fact_ricovero.importo")


def test_what_a_total_is_of_decides_the_query(ask: Ask) -> None:
    reviewer = ask(TOTAL)
    reviewer.choose(option_of(reviewer.widget, "La somma di")["id"])
    assert rows_of(finished_sql(reviewer)) == [["2050.00"]]
