"""What is stored, what is asked, what stays away from the index; and who may see it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.warehouse.valueindex.builders import WORKSPACE, MemorySource, catalog_of, found
from thoth.contracts.tools import WordColumns
from thoth.lib.errors import Upstream
from thoth.warehouse.valueindex.facade import index_refresh, values_search
from thoth.warehouse.valueindex.models import ValueColumn, ValueOccurrence
from thoth.warehouse.valueindex.policy import DISTINCT_MAX, VALUE_MAX_CHARS
from thoth.warehouse.valueindex.source import SourceColumn

pytestmark = pytest.mark.django_db
NAME, CODE, WARD = "dw.paziente.cognome", "dw.paziente.codice_fiscale", "dw.ricovero.reparto"
CODES = {f"RSSMRA{n:05d}X": 1 for n in range(300)}


def _policies(source: MemorySource) -> dict[str, tuple[str, str]]:
    index_refresh(WORKSPACE, source)
    return {c.full_name: (c.policy, c.reason) for c in ValueColumn.objects.all()}


def test_identifying_and_hidden_columns_are_never_read() -> None:
    described = {
        NAME: SourceColumn(NAME, identifying=True),
        CODE: SourceColumn(CODE, hidden=True),
    }
    source = MemorySource(
        {NAME: ["Bianchi"], CODE: CODES, WARD: ["Cardiologia"]}, described=described
    )
    assert {name: policy for name, (policy, _) in _policies(source).items()} == {
        NAME: "off", CODE: "off", WARD: "index",
    }  # fmt: skip
    assert source.read == [WARD]
    assert not ValueOccurrence.objects.filter(raw="Bianchi").exists()


def test_a_column_that_becomes_identifying_is_closed_at_once_and_emptied_by_the_refresh() -> None:
    source = MemorySource({NAME: ["Bianchi", "Verdi"], WARD: ["Reparto Bianchi"]})
    index_refresh(WORKSPACE, source)
    marked = catalog_of(source, identifying=[NAME], version="2")
    assert (NAME, "Bianchi") in found(
        values_search(WORKSPACE, "bianchi", catalog=catalog_of(source))
    )
    assert found(values_search(WORKSPACE, "bianchi", catalog=marked)) == [(WARD, "Reparto Bianchi")]
    source.described[NAME] = SourceColumn(NAME, identifying=True)
    index_refresh(WORKSPACE, source)
    assert not ValueOccurrence.objects.filter(raw="Bianchi").exists()


def test_closed_columns_do_not_take_the_places_of_open_ones() -> None:
    source = MemorySource(
        {NAME: [f"Rossi {n}" for n in range(60)], WARD: ["Padiglione Rossi Maria"]}
    )
    index_refresh(WORKSPACE, source)
    marked = catalog_of(source, identifying=[NAME])
    assert found(values_search(WORKSPACE, "rossi", catalog=marked, limit=3)) == [
        (WARD, "Padiglione Rossi Maria")
    ]


@pytest.mark.parametrize("family", ["integer", "decimal", "date", "timestamp", "boolean"])
def test_measures_dates_and_serials_are_not_stored(family: Any) -> None:
    column = "dw.esame.valore"
    source = MemorySource({column: ["12"]}, described={column: SourceColumn(column, family)})
    assert _policies(source)[column][0] == "off"
    assert source.read == []


def test_dates_written_as_text_are_not_stored() -> None:
    column = "dw.esame.quando"
    source = MemorySource({column: [f"2021-0{n}-11" for n in range(1, 9)]})
    assert _policies(source)[column] == ("off", "dates or times written as text")


def test_free_text_of_nearly_every_row_is_not_stored() -> None:
    column = "dw.visita.note"
    source = MemorySource(
        {column: [f"nota {n} " + "parole di una visita " * 6 for n in range(300)]}
    )
    assert _policies(source)[column][0] == "off"


def test_near_unique_codes_are_asked_of_the_warehouse_instead() -> None:
    source = MemorySource({CODE: CODES, WARD: ["Cardiologia"]})
    assert _policies(source)[CODE][0] == "ask"
    assert not ValueOccurrence.objects.filter(raw__in=CODES).exists()
    catalog = catalog_of(source)
    text = "quanti ricoveri ha avuto rssmra00042x in cardiologia?"
    spans = values_search(WORKSPACE, text, catalog=catalog, source=source)
    assert found(spans) == [(CODE, "RSSMRA00042X"), (WARD, "Cardiologia")]
    assert (text[spans[0].start : spans[0].end], spans[0].hits[0].rows) == ("rssmra00042x", 1)
    assert values_search(WORKSPACE, "RSSMRA00042X", catalog=catalog) == ()


def test_a_marked_column_is_not_asked_and_a_failing_one_is_left_out() -> None:
    source = MemorySource({CODE: CODES})
    index_refresh(WORKSPACE, source)
    marked = catalog_of(source, identifying=[CODE])
    assert values_search(WORKSPACE, "RSSMRA00042X", catalog=marked, source=source) == ()
    assert source.asked == []

    def fail(_column: str) -> None:
        raise Upstream("warehouse_timeout", "The query took too long.")

    source.before = fail
    catalog = catalog_of(source)
    assert values_search(WORKSPACE, "RSSMRA00042X", catalog=catalog, source=source) == ()


def test_a_column_with_too_many_values_keeps_the_most_frequent_and_says_so() -> None:
    many = {f"valore {n}": 2 for n in range(DISTINCT_MAX)}
    source = MemorySource({WARD: {**many, "frequente": 9, "zzz raro": 1}})
    report = index_refresh(WORKSPACE, source)
    assert [(c.truncated, c.values) for c in report.columns] == [(True, DISTINCT_MAX + 1)]
    assert ValueOccurrence.objects.count() == DISTINCT_MAX
    assert (
        found(values_search(WORKSPACE, "frequente", catalog=catalog_of(source)))[0][1]
        == "frequente"
    )


def test_values_too_long_to_be_meant_are_left_out() -> None:
    source = MemorySource({WARD: ["x" * (VALUE_MAX_CHARS + 1), "x" * VALUE_MAX_CHARS]})
    assert index_refresh(WORKSPACE, source).added == 1


def test_words_are_counted_per_column_with_their_inflections() -> None:
    procedure = "dw.procedura.nome"
    source = MemorySource(
        {
            procedure: ["Ablazione transcatetere", "Ablazioni ripetute", "Impianto"],
            WARD: ["Centro ablazione"],
        }
    )
    index_refresh(WORKSPACE, source)
    span = values_search(WORKSPACE, "ablazioni", catalog=catalog_of(source), with_words=True)[0]
    assert span.words == (
        WordColumns(word="ablazioni", column=procedure, values=2),
        WordColumns(word="ablazioni", column=WARD, values=1),
    )


def test_an_index_without_a_value_answers_nothing() -> None:
    source = MemorySource(
        {NAME: ["Bianchi"]}, described={NAME: SourceColumn(NAME, identifying=True)}
    )
    index_refresh(WORKSPACE, source)
    for text in ("bianchi", "quanti ricoveri di bianchi nel 2021?", "b", "?"):
        assert values_search(WORKSPACE, text, catalog=catalog_of(source)) == ()
