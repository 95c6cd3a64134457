"""Lexical schema search: which table and column a text speaks of, in two languages."""

from __future__ import annotations

import pytest

from thoth.contracts.schema import Catalog, Column, Table
from thoth.contracts.tools import ValueHit, ValueSpan
from thoth.warehouse.search import COLUMNS_MAX, schema_search, schema_search_bounded
from thoth.warehouse.segmenting import segmented
from thoth.warehouse.wordforms import stems, words_of

SPEC: dict[str, tuple[str, dict[str, str]]] = {
    "dim_paziente": ("Anagrafica dei pazienti", {
        "id_paziente": "", "data_nascita": "Data di nascita", "sesso": "M o F", "comune_residenza": "",
    }),
    "dim_reparto": ("Reparti dell'ospedale", {"id_reparto": "", "nome_reparto": "", "posti_letto": ""}),
    "fact_ricovero": ("Ricoveri ordinari e in day hospital", {
        "id_ricovero": "", "id_paziente": "", "id_reparto": "", "data_ingresso": "Data di ammissione",
        "giorni_degenza": "Durata della degenza in giorni", "costo_totale": "Costo in euro",
    }),
    "fact_ablazione": ("Procedure di ablazione cardiaca", {
        "id_ablazione": "", "id_paziente": "", "ablazione_transcatetere": "", "esito": "",
    }),
    "sbCustomer": ("", {"sbCustId": "", "sbCustName": "", "sbCustPostalCode": "", "sbCustStatus": ""}),
    "sbTransaction": ("", {"sbTxId": "", "sbTxCustId": "", "sbTxAmount": "", "sbTxType": ""}),
    "flight": ("", {"flight_id": "", "airline_code": "", "departure_time": "", "arrival_time": ""}),
    "flight_stop": ("", {"flight_id": "", "stop_number": "", "departure_time": "", "arrival_time": ""}),
    "company": ("Companies that issue shares", {"company_id": "", "industry": "Industry the company is in"}),
}  # fmt: skip


def _catalog(spec: dict[str, tuple[str, dict[str, str]]] = SPEC, version: str = "1") -> Catalog:
    return Catalog(
        workspace="ricerca",
        version=version,
        tables=tuple(
            Table(
                schema_name="dw",
                name=name,
                comment=comment,
                columns=tuple(
                    Column(name=column, type="text", family="text", comment=said)
                    for column, said in columns.items()
                ),
            )
            for name, (comment, columns) in spec.items()
        ),
    )


def _tables(text: str, limit: int = 10) -> list[str]:
    return [hit.table.removeprefix("dw.") for hit in schema_search(_catalog(), text, limit)]


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("quanti ricoveri per reparto", "fact_ricovero"),
        ("durata media della degenza", "fact_ricovero"),
        ("quante ablazioni transcatetere", "fact_ablazione"),
        ("età dei pazienti per comune di residenza", "dim_paziente"),
        ("numero di posti letto", "dim_reparto"),
        ("total amount of transactions", "sbTransaction"),
        ("customers by postal code", "sbCustomer"),
        ("status of each customer", "sbCustomer"),
        ("which flight departs first", "flight"),
        ("how many stops", "flight_stop"),
        ("industries of companies", "company"),
        ("ricovreo", "fact_ricovero"),
        ("custmer", "sbCustomer"),
        ("RÉPARTO", "dim_reparto"),
    ],
)
def test_the_table_that_is_spoken_of_comes_first(text: str, table: str) -> None:
    assert _tables(text)[0] == table


def test_best_columns_come_first_with_the_words_that_matched() -> None:
    hit = schema_search(_catalog(), "costo dei ricoveri", 1)[0]
    assert hit.columns[0].column == "dw.fact_ricovero.costo_totale"
    assert hit.columns[0].matched == ("costo",)
    assert set(hit.matched) == {"costo", "ricoveri"}


def test_function_words_and_unknown_words_find_nothing() -> None:
    assert schema_search(_catalog(), "quanti sono per ogni", 10) == ()
    assert schema_search(_catalog(), "xylofono", 10) == ()
    assert schema_search(_catalog(), "", 10) == ()


def test_hidden_columns_neither_match_nor_appear() -> None:
    table = Table(
        schema_name="dw",
        name="visita",
        columns=(
            Column(name="anamnesi", type="text", family="text", hidden=True),
            Column(name="visita_esito", type="text", family="text"),
        ),
    )
    catalog = Catalog(workspace="ricerca", version="nascoste", tables=(table,))
    assert schema_search(catalog, "anamnesi", 10) == ()
    assert [c.column for c in schema_search(catalog, "visita", 10)[0].columns] == [
        "dw.visita.visita_esito"
    ]


def test_a_value_found_in_a_column_brings_its_table_but_not_before_a_name() -> None:
    hit = ValueHit(
        column="dw.dim_reparto.nome_reparto", value="UTIC", score=100, match="exact", rows=1
    )
    span = ValueSpan(text="utic", start=19, end=23, hits=(hit,))
    found = schema_search(_catalog(), "quanti ricoveri in utic", 10, values=(span,))
    assert [h.table for h in found[:2]] == ["dw.fact_ricovero", "dw.dim_reparto"]
    assert found[1].columns[0].column == "dw.dim_reparto.nome_reparto"
    assert "utic" in found[1].matched


def test_order_is_the_same_every_time_and_whatever_the_order_of_the_catalog() -> None:
    text = "data e id del paziente, esito, tempo di departure"
    backwards = _catalog(dict(reversed(SPEC.items())), version="2")
    first = schema_search(_catalog(), text, 10)
    assert schema_search(_catalog(), text, 10) == first
    assert [h.table for h in schema_search(backwards, text, 10)] == [h.table for h in first]


def test_a_new_version_of_the_catalog_is_read_anew() -> None:
    assert _tables("protesi") == []
    grown = _catalog({**SPEC, "protesi": ("", {"id": ""})}, version="3")
    assert schema_search(grown, "protesi", 10)[0].table == "dw.protesi"


def test_results_are_bounded_and_say_what_was_left_out() -> None:
    wide = {f"t{n}": ("", {f"colore_{m}": "" for m in range(30)}) for n in range(20)}
    found = schema_search_bounded(_catalog(wide, version="4"), "colore", 5)
    assert (len(found.hits), found.omitted) == (5, 15)
    assert all(len(hit.columns) == COLUMNS_MAX for hit in found.hits)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ablazione_transcatetere", ["ablazione", "transcatetere"]),
        ("dataNascita", ["data", "nascita"]),
        ("HTTPRequestId", ["http", "request", "id"]),
        ("Città", ["citta"]),
        ("T_001", ["t", "001"]),
    ],
)
def test_identifiers_come_apart(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ricovero", "ricoveri"), ("diagnosi", "diagnosi"), ("medico", "medici"), ("reparto", "reparti"),
        ("patologia", "patologie"), ("chirurgica", "chirurgiche"), ("prestazione", "prestazioni"),
        ("companies", "company"), ("transactions", "transaction"), ("flights", "flight"),
        ("stopped", "stops"), ("addresses", "address"), ("boxes", "box"),
    ],
)  # fmt: skip
def test_inflections_share_a_stem(one: str, other: str) -> None:
    assert stems(one) & stems(other)


@pytest.mark.parametrize(
    ("one", "other"), [("costo", "costa"), ("sede", "sedia"), ("news", "new"), ("id", "ip")]
)
def test_short_words_are_not_cut_to_nothing(one: str, other: str) -> None:
    assert all(len(stem) > 1 for stem in stems(one) | stems(other))


def test_glued_names_are_cut_by_the_words_of_the_schema() -> None:
    known = frozenset({"ticker", "postal"})
    assert segmented("sbtickerid", known)[1:] == ("sb", "ticker", "id")
    assert segmented("ticker", known) == ("ticker",)
    assert segmented("xqzwkjv", known) == ("xqzwkjv",)
