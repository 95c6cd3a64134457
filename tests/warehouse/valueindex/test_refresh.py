"""Refreshing: only what changed, all or nothing per batch, taken up after a kill, one at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.db import connection

from tests.warehouse.valueindex.builders import (
    WORKSPACE,
    MemorySource,
    catalog_of,
    found,
    values,
)
from thoth.lib.errors import Conflict, Upstream
from thoth.warehouse.valueindex.facade import (
    index_drop,
    index_refresh,
    values_indexed,
    values_search,
)
from thoth.warehouse.valueindex.models import (
    ValueColumn,
    ValueIndex,
    ValueItem,
    ValueOccurrence,
    ValuePosting,
    ValueWord,
)

pytestmark = pytest.mark.django_db
DIAGNOSIS, WARD = "dw.ricovero.diagnosi", "dw.ricovero.reparto"


def _source(**more: Any) -> MemorySource:
    return MemorySource(
        {
            DIAGNOSIS: {
                "Fibrillazione atriale": 7,
                "Scompenso cardiaco": 3,
                "SCOMPENSO CARDIACO": 1,
            },
            WARD: {"Cardiologia": 9, "Medicina": 2},
        },
        **more,
    )


def _search(source: MemorySource, text: str) -> list[tuple[str, str]]:
    return found(values_search(WORKSPACE, text, catalog=catalog_of(source)))


def test_nothing_is_found_before_the_first_refresh() -> None:
    assert values_search(WORKSPACE, "cardiologia", catalog=catalog_of(_source())) == ()
    assert not values_indexed(WORKSPACE)


def test_a_hit_carries_rows_and_the_time_it_was_read() -> None:
    source = _source()
    report = index_refresh(WORKSPACE, source)
    span = values_search(WORKSPACE, "fibrillazione", catalog=catalog_of(source))[0]
    assert (report.added, report.removed, report.failed) == (5, 0, [])
    assert span.hits[0].rows == 7
    assert span.hits[0].indexed_at == ValueColumn.objects.get(full_name=DIAGNOSIS).refreshed_at
    assert values_indexed(WORKSPACE)


def test_both_spellings_of_a_value_are_kept() -> None:
    source = _source()
    index_refresh(WORKSPACE, source)
    assert _search(source, "scompenso cardiaco") == [
        (DIAGNOSIS, "Scompenso cardiaco"),
        (DIAGNOSIS, "SCOMPENSO CARDIACO"),
    ]


def test_an_unchanged_warehouse_changes_nothing() -> None:
    source = _source()
    index_refresh(WORKSPACE, source)
    version = ValueIndex.objects.get().version
    report = index_refresh(WORKSPACE, source)
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert ValueIndex.objects.get().version == version


def test_new_changed_and_lost_values_are_seen_at_once() -> None:
    source = _source()
    index_refresh(WORKSPACE, source)
    assert _search(source, "medicina")
    source.values[WARD] = {"Cardiologia": 10, "Terapia intensiva": 1}
    report = index_refresh(WORKSPACE, source)
    assert (report.added, report.changed, report.removed) == (1, 1, 1)
    assert _search(source, "medicina") == []
    assert _search(source, "terapia intensiva") == [(WARD, "Terapia intensiva")]
    hits = values_search(WORKSPACE, "cardiologia", catalog=catalog_of(source))[0].hits
    assert [hit.rows for hit in hits] == [10]


def test_a_value_that_comes_back_is_found_again() -> None:
    source = _source()
    for held in ({"Medicina": 2}, {"Cardiologia": 1}, {"Medicina": 4}):
        source.values[WARD] = held
        index_refresh(WORKSPACE, source)
    assert _search(source, "medicina") == [(WARD, "Medicina")]
    assert ValueItem.objects.filter(norm="medicina").count() == 1


def test_a_dropped_column_leaves_with_its_values() -> None:
    source = _source()
    index_refresh(WORKSPACE, source)
    catalog = catalog_of(source)
    del source.values[WARD]
    index_refresh(WORKSPACE, source)
    assert values_search(WORKSPACE, "cardiologia", catalog=catalog) == ()
    assert not ValueColumn.objects.filter(full_name=WARD).exists()


def test_many_segments_are_merged_and_dead_values_leave_the_postings() -> None:
    source = MemorySource({WARD: {}})
    held: dict[str, int] = {}
    for number in range(12):
        held[f"reparto comune numero{number}"] = 1
        source.values[WARD] = dict(held)
        index_refresh(WORKSPACE, source)
    comune = ValueWord.objects.get(word="comune")
    assert comune.df == 12
    assert ValuePosting.objects.filter(word_no=comune.no).count() <= 8
    source.values[WARD] = {"reparto comune numero3": 1}
    index_refresh(WORKSPACE, source)
    assert ValueItem.objects.count() == 1
    assert ValueWord.objects.get(word="comune").df == 1
    assert not ValueWord.objects.filter(word="numero7").exists()
    assert values(values_search(WORKSPACE, "comune", catalog=catalog_of(source))) == [
        "reparto comune numero3"
    ]


def test_a_killed_run_is_taken_up_where_it_stopped() -> None:
    def die(column: str) -> None:
        if column == WARD:
            raise KeyboardInterrupt

    source = _source(before=die)
    with pytest.raises(KeyboardInterrupt):
        index_refresh(WORKSPACE, source, batch_changes=1)
    assert _search(source, "fibrillazione") == [(DIAGNOSIS, "Fibrillazione atriale")]
    assert not values_indexed(WORKSPACE)
    again = _source()
    report = index_refresh(WORKSPACE, again, batch_changes=1)
    assert (again.read, report.resumed) == ([WARD], 1)
    assert _search(again, "cardiologia") == [(WARD, "Cardiologia")]
    index_refresh(WORKSPACE, third := _source())
    assert third.read == [DIAGNOSIS, WARD]


def test_a_batch_that_was_not_committed_leaves_no_trace() -> None:
    def die(column: str) -> None:
        if column == WARD:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index_refresh(WORKSPACE, _source(before=die))
    assert ValueOccurrence.objects.count() == ValueItem.objects.count() == 0
    assert index_refresh(WORKSPACE, _source()).added == 5


def test_a_column_that_cannot_be_read_keeps_its_values_and_is_named() -> None:
    source = _source()
    index_refresh(WORKSPACE, source)

    def fail(column: str) -> None:
        if column == WARD:
            raise Upstream("warehouse_timeout", "The query took too long.")

    source.before = fail
    source.values[DIAGNOSIS] = {"Angina": 1}
    report = index_refresh(WORKSPACE, source)
    assert [(c.full_name, c.error) for c in report.failed] == [
        (WARD, "warehouse_timeout: The query took too long.")
    ]
    assert _search(source, "cardiologia") == [(WARD, "Cardiologia")]
    assert _search(source, "angina") == [(DIAGNOSIS, "Angina")]


def test_a_second_refresh_at_once_is_refused(
    second_connection: psycopg.Connection[tuple[object, ...]],
) -> None:
    second_connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [0x76616C75, WORKSPACE])
    with pytest.raises(Conflict) as refused:
        index_refresh(WORKSPACE, _source())
    assert refused.value.code == "value_index_busy"
    index_refresh("another", _source())
    second_connection.execute("SELECT pg_advisory_unlock_all()")
    assert index_refresh(WORKSPACE, _source()).added == 5


def test_workspaces_do_not_see_each_other() -> None:
    source, other = _source(), MemorySource({WARD: {"Oncologia": 1}})
    index_refresh(WORKSPACE, source)
    index_refresh("another", other)
    assert _search(source, "oncologia") == []
    index_drop("another")
    assert _search(source, "cardiologia") == [(WARD, "Cardiologia")]
    assert set(ValueItem.objects.values_list("index_id", flat=True)) == {
        ValueIndex.objects.get().pk
    }


@pytest.mark.django_db(transaction=True)
def test_threads_searching_during_refreshes_get_what_one_alone_gets() -> None:
    source = MemorySource(
        {WARD: [f"reparto {n} gruppo {n % 7}" for n in range(800)], DIAGNOSIS: ["x"]}
    )
    index_refresh(WORKSPACE, source)
    catalog = catalog_of(source)
    texts = [f"reparto {n} gruppo {n % 7}" for n in range(0, 800, 20)]
    alone = [values_search(WORKSPACE, text, catalog=catalog)[0].hits[0].value for text in texts]

    def search(text: str) -> str:
        try:
            return values_search(WORKSPACE, text, catalog=catalog)[0].hits[0].value
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(search, text) for text in texts]
        for number in range(3):
            source.values[DIAGNOSIS] = [f"diagnosi nuova {number}"]
            index_refresh(WORKSPACE, source)
        assert [one.result() for one in running] == alone == texts


def test_a_refresh_of_one_table_reads_and_changes_only_it() -> None:
    visit = "dw.visita.motivo"
    source = _source()
    source.values[visit] = ["Controllo"]
    index_refresh(WORKSPACE, source)
    source.read.clear()
    # As many values as before, one of them another; the other table changes too.
    source.values[WARD] = {"Cardiologia": 9, "Chirurgia": 2}
    source.values[visit] = ["Urgenza"]
    del source.values[DIAGNOSIS]
    report = index_refresh(WORKSPACE, source, tables={"dw.ricovero"})
    assert source.read == [WARD]
    assert (report.added, report.removed) == (1, 4)
    assert _search(source, "Chirurgia") == [(WARD, "Chirurgia")]
    assert _search(source, "Medicina") == []
    assert not ValueColumn.objects.filter(full_name=DIAGNOSIS).exists()
    assert _search(source, "Controllo") == [(visit, "Controllo")]
    index_refresh(WORKSPACE, source)
    assert _search(source, "Controllo") == []
    assert _search(source, "Urgenza") == [(visit, "Urgenza")]


def test_a_refresh_of_one_table_leaves_an_interrupted_run_to_be_taken_up() -> None:
    def interrupted(column: str) -> None:
        if column == WARD:
            raise KeyboardInterrupt

    source = _source(before=interrupted)
    with pytest.raises(KeyboardInterrupt):
        index_refresh(WORKSPACE, source, batch_changes=1)
    source.before = lambda _column: None
    source.read.clear()
    index_refresh(WORKSPACE, source, tables={"dw.altro"})
    assert not values_indexed(WORKSPACE)
    assert source.read == []
    assert index_refresh(WORKSPACE, source).resumed == 1
    assert source.read == [WARD]
    assert values_indexed(WORKSPACE)
