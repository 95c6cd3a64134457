"""F4, tables, columns and joins: corrections and texts are followed to the final query."""

from __future__ import annotations

from tests.analyst.kit import Ask, finished_sql, proposals, rows_of, say, sql_of

STAYS = "Quanti ricoveri ci sono stati nel 2023?"
WARD = "Quanti ricoveri in Cardiologia?"


def tick(reviewer, **children) -> None:
    widget = reviewer.widget
    reviewer.choose(*[o["id"] for o in widget["options"] if o["selected"]], **children)


def test_a_corrected_column_is_the_one_of_the_query(ask: Ask) -> None:
    reviewer = ask(STAYS)
    reviewer.until("schema_linking", "link_schema")
    other = {"kind": "select", "choice": "dw.fact_ricovero.data_dimissione"}
    tick(reviewer, **{"c:dw.fact_ricovero.data_ricovero": other})
    assert rows_of(finished_sql(reviewer)) == [["3"]]
    assert "data_dimissione" in sql_of(reviewer)
    assert "data_ricovero" not in sql_of(reviewer)


def test_another_date_named_in_a_text_takes_the_place_of_the_first(ask: Ask) -> None:
    reviewer = ask(STAYS)
    reviewer.until("schema_linking", "link_schema")
    say(reviewer, "usa la data di dimissione")
    assert [o["id"] for o in reviewer.widget["options"] if o["selected"]] == [
        "t:dw.fact_ricovero",
        "c:dw.fact_ricovero.data_dimissione",
    ]
    finished_sql(reviewer)
    assert "data_dimissione" in sql_of(reviewer)
    assert "data_ricovero" not in sql_of(reviewer)


def test_a_text_that_changes_no_table_is_a_question_back(ask: Ask) -> None:
    reviewer = ask(STAYS)
    reviewer.until("schema_linking", "link_schema")
    say(reviewer, "usa i ricoveri")
    assert "`text_without_effect`" in reviewer.widget["intro"]


def test_another_key_between_two_tables_can_be_chosen(ask: Ask) -> None:
    reviewer = ask(WARD)
    widget = reviewer.until("schema_linking", "link_joins")
    subject = next(o["id"] for o in widget["options"] if o["selected"])
    other = "dw.dim_reparto.id_reparto=dw.fact_ricovero.id_reparto_dimissione"
    tick(reviewer, **{subject: {"kind": "select", "choice": other}})
    assert rows_of(finished_sql(reviewer)) == [["3"]]
    assert "id_reparto_dimissione" in sql_of(reviewer)


def test_without_a_choice_the_first_key_stays(ask: Ask) -> None:
    assert rows_of(finished_sql(ask(WARD))) == [["2"]]


def test_another_key_named_in_a_text_takes_its_place(ask: Ask) -> None:
    reviewer = ask(WARD)
    reviewer.until("schema_linking", "link_joins")
    say(reviewer, "usa id reparto dimissione")
    assert rows_of(finished_sql(reviewer)) == [["3"]]


def test_every_table_and_column_says_what_it_is_for(ask: Ask) -> None:
    reviewer = ask(WARD)
    reviewer.until("schema_linking", "link_schema")
    tables = {t["table"]: t for t in proposals(reviewer.session, "link_schema")[0]["tables"]}
    assert tables["dw.fact_ricovero"]["why"] == "le sue righe sono ciò di cui si chiede"
    column = tables["dw.dim_reparto"]["columns"][0]
    assert column["why"] == "f1: descrizione è «Cardiologia»"
