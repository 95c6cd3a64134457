"""F4, values: every literal of the intent, in all columns that may hold it."""

from __future__ import annotations

from tests.analyst.kit import Ask, finished_sql, option_of, proposals, rows_of, say

RHYTHM = "Quante cardioversioni con fibrillazione atriale nel 2023?"


def chosen(ask: Ask, *columns: str) -> list[list[str | None]]:
    reviewer = ask(RHYTHM)
    widget = reviewer.until("schema_linking", "ground_values")
    reviewer.choose(*[option_of(widget, column)["id"] for column in columns])
    return rows_of(finished_sql(reviewer))


def test_the_column_chosen_for_a_value_decides_the_query(ask: Ask) -> None:
    assert chosen(ask, "ritmo_pre") == [["2"]]
    assert chosen(ask, "ritmo_post") == [["1"]]


def test_a_value_may_be_meant_in_several_columns(ask: Ask) -> None:
    assert chosen(ask, "ritmo_pre", "ritmo_post") == [["2"]]


def test_equally_likely_columns_come_without_recommendation(ask: Ask) -> None:
    widget = ask(RHYTHM).until("schema_linking", "ground_values")
    assert widget["widget"] == "multiselect"
    assert not any(o["recommended"] or o["selected"] for o in widget["options"])
    assert option_of(widget, "ritmo_pre")["meta"]["count"] == 3


def test_a_column_named_in_a_text_is_recommended_next(ask: Ask) -> None:
    reviewer = ask(RHYTHM)
    reviewer.until("schema_linking", "ground_values")
    say(reviewer, "intendo ritmo pre")
    widget = reviewer.widget
    assert [o["label"] for o in widget["options"] if o["recommended"]] == [
        option_of(widget, "ritmo_pre")["label"]
    ]


def test_a_code_is_found_through_the_comment_that_explains_it(ask: Ask) -> None:
    reviewer = ask("Quanti pacemaker sono stati impiantati nel 2023?")
    widget = reviewer.until("schema_linking", "ground_values")
    option = option_of(widget, "tipo_dispositivo = PM")
    assert option["selected"]
    assert option["decision"]["payload"]["groundings"][0]["method"] == "comment"
    assert rows_of(finished_sql(reviewer)) == [["1"]]


def test_obvious_values_stand_together_in_one_checklist(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri di uomini in day hospital nel 2023?")
    widget = reviewer.until("schema_linking", "ground_values")
    assert [o["decision"]["subject"] for o in widget["options"]] == ["uomini", "day hospital"]
    literals = proposals(reviewer.session, "ground_values")[0]["literals"]
    assert all(item["obvious"] for item in literals)


def test_an_unticked_value_gets_a_question_of_its_own(ask: Ask) -> None:
    reviewer = ask("Quanti ricoveri di uomini in day hospital nel 2023?")
    reviewer.until("schema_linking", "ground_values")
    reviewer.choose("v2")
    assert reviewer.widget["title"] == "Che cosa significa «uomini» nei dati?"
