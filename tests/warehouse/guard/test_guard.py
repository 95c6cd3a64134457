"""What the guard reports about an accepted text, and its own promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.warehouse.library import Library
from thoth.contracts.schema import Catalog
from thoth.lib.errors import Invalid
from thoth.warehouse.guard.check import guard, sql_clean, sql_sha256
from thoth.warehouse.guard.names import fold_name, quote_name

ROOT = Path(__file__).parents[3]


def test_it_names_what_the_text_uses(lib: Library) -> None:
    query = guard(
        "WITH q AS (SELECT reader_id, sum(fee) AS total FROM lib.loans GROUP BY 1) "
        "SELECT r.city, q.total FROM q JOIN lib.readers r ON r.id = q.reader_id",
        lib.catalog,
    )
    assert query.tables == {"lib.loans", "lib.readers"}
    assert query.columns == {
        "lib.loans.reader_id", "lib.loans.fee", "lib.readers.city", "lib.readers.id",
    }  # fmt: skip
    assert query.functions == {"sum"}
    assert [output.name for output in query.outputs] == ["city", "total"]


def test_a_bare_name_means_the_nearest_column(lib: Library) -> None:
    """The inner relation has no `price`, so it is the outer one's: PostgreSQL's own rule."""
    sql = "SELECT (SELECT max(b.price + shelf) FROM lib.copies c) FROM lib.books b"
    assert guard(sql, lib.catalog).columns == {"lib.books.price", "lib.copies.shelf"}


def test_an_on_clause_does_not_see_beyond_its_own_join(lib: Library) -> None:
    sql = "SELECT 1 FROM lib.books b, lib.copies c JOIN lib.branches a ON b.id = a.id"
    with pytest.raises(Invalid) as refused:
        guard(sql, lib.catalog)
    assert refused.value.code == "sql_column_unknown"


@pytest.mark.parametrize(
    ("expression", "shows"),
    [
        ("name", True),
        ("lower(name) || '!'", True),
        ("min(name)", True),
        ("string_agg(name, ', ')", True),
        ("CASE WHEN id > 1 THEN name END", True),
        ("(SELECT name)", True),
        ("coalesce(NULL, name)", True),
        ("count(name)", False),
        ("count(DISTINCT name)", False),
        ("name IS NULL", False),
        ("name LIKE 'A%'", False),
        ("CASE WHEN name = 'x' THEN 1 ELSE 0 END", False),
        ("count(*) FILTER (WHERE name > 'M')", False),
        ("row_number() OVER (ORDER BY name)", False),
        ("EXISTS (SELECT 1 FROM lib.books WHERE title = name)", False),
    ],
)
def test_an_output_is_identifying_when_it_can_show_a_stored_value(
    lib: Library, expression: str, shows: bool
) -> None:
    query = guard(f"SELECT {expression} AS x FROM lib.readers GROUP BY id, name", lib.catalog)
    assert query.outputs[0].identifying is shows
    assert query.identifying == {"lib.readers.name"}


def test_a_recursive_cte_carries_what_flows_round(lib: Library) -> None:
    sql = (
        "WITH RECURSIVE c(id, label) AS (SELECT id, 'root' FROM lib.readers WHERE invited_by IS NULL "
        "UNION ALL SELECT r.id, c.label || r.name FROM lib.readers r JOIN c ON c.id = r.invited_by) "
        "SELECT id, label FROM c"
    )
    assert [output.identifying for output in guard(sql, lib.catalog).outputs] == [False, True]


def test_the_place_is_that_of_the_offending_word(lib: Library) -> None:
    with pytest.raises(Invalid) as refused:
        guard("SELECT id\nFROM lib.loans\nWHERE nothing = 1", lib.catalog)
    assert refused.value.extra == {"position": 31, "place": "line 3, column 7"}


def test_an_unknown_name_gets_a_suggestion_but_never_a_hidden_one(lib: Library) -> None:
    with pytest.raises(Invalid, match=r"Did you mean title\?"):
        guard("SELECT titel FROM lib.books", lib.catalog)
    with pytest.raises(Invalid) as refused:
        guard("SELECT emial FROM lib.readers", lib.catalog)
    assert "email" not in refused.value.message


def test_the_hash_is_of_the_very_bytes(lib: Library) -> None:
    sql = "SELECT 1 -- è\r\n"
    assert guard(sql, lib.catalog).sql == sql
    assert guard(sql, lib.catalog).sha256 == sql_sha256(sql)
    assert sql_sha256("SELECT 1") != sql_sha256("SELECT 1 ")


def test_an_entered_text_loses_its_byte_order_mark_and_says_so() -> None:
    cleaned = sql_clean("\ufeffSELECT 1")
    assert (cleaned.text, len(cleaned.notes)) == ("SELECT 1", 1)
    assert sql_clean("SELECT '\ufeff'").notes == ()


def test_redefined_operators_are_refused(lib: Library) -> None:
    catalog = lib.catalog.model_copy(update={"redefined_operators": frozenset({"||"})})
    with pytest.raises(Invalid) as refused:
        guard("SELECT title || 'x' FROM lib.books", catalog)
    assert refused.value.code == "sql_function_refused"
    guard("SELECT '||' FROM lib.books", catalog)


def test_nothing_is_allowed_by_an_empty_catalog() -> None:
    empty = Catalog(workspace="w", version="0", tables=())
    for sql in ("SELECT lower('A')", "SELECT * FROM t"):
        with pytest.raises(Invalid):
            guard(sql, empty)
    assert guard("SELECT 1", empty).tables == frozenset()


def test_names_fold_and_quote_as_postgresql_does() -> None:
    assert fold_name("ÉCOLE_A", quoted=False) == "École_a"
    assert fold_name("ÉCOLE", quoted=True) == "ÉCOLE"
    assert len(fold_name("é" * 40, quoted=True).encode()) == 62
    assert [quote_name(name) for name in ("abc", "Abc", "select", 'a"b', "a b", "1a", "é")] == [
        "abc", '"Abc"', '"select"', '"a""b"', '"a b"', '"1a"', '"é"',
    ]  # fmt: skip


def test_every_code_is_documented() -> None:
    documented = (ROOT / "docs/developers/warehouse.md").read_text(encoding="utf-8")
    source = "".join(
        file.read_text(encoding="utf-8")
        for folder in ("guard", "execute")
        for file in (ROOT / "thoth/warehouse" / folder).glob("*.py")
    )
    codes = set(re.findall(r'"((?:sql|warehouse)_[a-z_]+|result_too_large)"', source))
    assert len(codes) > 25
    assert {code for code in codes if f"`{code}`" not in documented} == set()
