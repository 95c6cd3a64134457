"""Results on disk: whole or absent, paged by block, exported without loss."""

from __future__ import annotations

import csv
import datetime as dt
import io
from pathlib import Path
from typing import Any

import pytest

from tests.warehouse.library import Library
from thoth.lib.errors import Invalid, NotFound
from thoth.warehouse.csv_export import result_csv
from thoth.warehouse.execute.run import Request
from thoth.warehouse.results import (
    BLOCK_ROWS,
    RETENTION,
    StoredResult,
    result_create,
    result_delete,
    result_get,
    result_number,
    result_page,
    results_sweep,
)

NOON = dt.datetime(2026, 1, 2, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Any) -> Path:
    settings.THOTH_HOME = tmp_path
    return tmp_path / "results"


def stored(lib: Library, sql: str, **options: Any) -> StoredResult:
    request = Request(sql, "export", **options)
    return result_create(lib.target, lib.catalog, request, moment=NOON)


def text_of(result: StoredResult) -> str:
    return b"".join(result_csv(result)).decode()


def test_pages_are_the_rows_in_their_order(lib: Library) -> None:
    result = stored(lib, "SELECT g FROM generate_series(1, 2500) g")
    assert (result.row_count, len(result.blocks), result.truncated) == (2500, 3, False)
    edge = result_page(result, offset=BLOCK_ROWS - 2, size=4)
    assert [row[0] for row in edge.rows] == ["999", "1000", "1001", "1002"]
    assert result_page(result, offset=2498, size=10).rows == (("2499",), ("2500",))
    assert result_page(result, offset=9999, size=10).rows == ()
    for offset, size in ((-1, 5), (0, 0), (0, 20_000)):
        with pytest.raises(Invalid):
            result_page(result, offset=offset, size=size)


def test_the_same_rows_have_the_same_hash(lib: Library) -> None:
    one, two = (stored(lib, "SELECT id FROM lib.loans ORDER BY id") for _ in range(2))
    other = stored(lib, "SELECT id FROM lib.loans ORDER BY id DESC")
    assert one.sha256 == two.sha256 != other.sha256
    assert one.id != two.id


def test_a_failing_query_leaves_nothing(lib: Library, home: Path) -> None:
    with pytest.raises(Invalid):
        stored(lib, "SELECT 1 / (g - 1500) FROM generate_series(1, 2000) g")
    assert list(home.iterdir()) == []


def test_a_result_lives_for_a_day(lib: Library) -> None:
    result = stored(lib, "SELECT 1")
    assert result_get(result.id, moment=NOON + RETENTION - dt.timedelta(seconds=1)) == result
    with pytest.raises(NotFound):
        result_get(result.id, moment=NOON + RETENTION)
    with pytest.raises(NotFound):
        result_get("../../etc/passwd")


def test_sweeping_removes_what_is_old_only(lib: Library, home: Path) -> None:
    result = stored(lib, "SELECT 1")
    written = dt.datetime.fromtimestamp(result.rows_file.stat().st_mtime, tz=dt.UTC)
    assert results_sweep(moment=written + RETENTION - dt.timedelta(minutes=1)) == 0
    assert results_sweep(moment=written + RETENTION + dt.timedelta(minutes=1)) == 2
    assert list(home.iterdir()) == []
    result_delete(result.id)  # already gone


def test_csv_keeps_null_apart_from_empty_and_numbers_whole(lib: Library) -> None:
    result = stored(
        lib,
        "SELECT 9007199254740993 AS big, -0.10 AS dec, NULL AS none, '' AS empty, 'à, \"b\"' AS t, "
        "E'two\\nlines' AS lines, true AS yes",
    )
    assert text_of(result) == (
        'big,dec,none,empty,t,lines,yes\r\n'
        '9007199254740993,-0.10,,"","à, ""b""","two\nlines",t\r\n'
    )  # fmt: skip


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1"]
)
def test_csv_is_no_formula(lib: Library, text: str) -> None:
    literal = (
        "E'"
        + text.replace("'", "''").replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
        + "'"
    )
    result = stored(lib, f'SELECT {literal} AS "=head"')
    head, row = list(csv.reader(io.StringIO(text_of(result), newline="")))
    assert head == ["'=head"]
    assert row == ["'" + text]


def test_csv_of_many_rows_comes_in_chunks(lib: Library) -> None:
    result = stored(lib, "SELECT g, repeat('y', 50) AS y FROM generate_series(1, 5000) g")
    chunks = list(result_csv(result))
    assert len(chunks) > 2
    assert len(list(csv.reader(io.StringIO(b"".join(chunks).decode())))) == 5001


def test_no_columns_export_an_empty_header(lib: Library) -> None:
    result = stored(lib, "SELECT FROM lib.branches")
    assert result.row_count == 2
    assert text_of(result).splitlines()[0] == ""


def test_two_columns_of_one_name_both_survive(lib: Library) -> None:
    result = stored(lib, "SELECT 1 AS id, 2 AS id")
    assert result.renamed
    assert text_of(result) == "id,id_2\r\n1,2\r\n"


def test_identifying_values_never_reach_the_disk_unconfirmed(lib: Library) -> None:
    sql = "SELECT name FROM lib.readers ORDER BY id LIMIT 1"
    assert result_page(stored(lib, sql), offset=0, size=1).rows == (("•••",),)
    confirmed = stored(lib, sql, unmask=True)
    assert result_page(confirmed, offset=0, size=1).rows == (("Lettore 1",),)


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("SELECT count(*) FROM lib.loans", "60"),
        ("SELECT 12345678901234567890.10::numeric", "12345678901234567890.10"),
        ("SELECT 'sixty'", None),
        ("SELECT 1, 2", None),
        ("SELECT g FROM generate_series(1, 2) g", None),
        ("SELECT id FROM lib.loans WHERE false", None),
        ("SELECT NULL::int", None),
    ],
)
def test_one_number_is_recognised(lib: Library, sql: str, number: str | None) -> None:
    assert result_number(stored(lib, sql)) == number
