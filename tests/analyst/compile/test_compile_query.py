"""Each case runs on PostgreSQL and gives what the reference query gives."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest

from tests.analyst.compile.cases import decided_of, intent_of, load_cases, read_tables
from thoth.analyst.compile import CompiledQuery, compile_query
from thoth.contracts.schema import Table
from thoth.contracts.steps import Cannot

CASES = load_cases()


@pytest.fixture(scope="module")
def tables(clinic: str) -> tuple[Table, ...]:
    return read_tables(clinic, "clinic")


def rows_of(dsn: str, query: str) -> list[tuple[str, ...]]:
    """Rows with numbers cut to eight digits and columns in the order of their text."""
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(query.encode()).fetchall()
    return [tuple(_text(value) for value in row) for row in rows]


def _text(value: object) -> str:
    try:
        return f"{float(str(value)):.8g}"
    except ValueError:
        return str(value)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_compiled_query_gives_the_rows_of_the_reference(
    case: dict[str, Any], clinic: str, tables: tuple[Table, ...]
) -> None:
    compiled = compile_query(intent_of(case), decided_of(case), tables)
    if "cannot" in case:
        assert isinstance(compiled, Cannot), compiled
        assert compiled.code == case["cannot"], compiled.message
        return
    assert isinstance(compiled, CompiledQuery), compiled
    assert case.get("like", "") in compiled.sql
    got, expected = rows_of(clinic, compiled.sql), rows_of(clinic, case["gold"])
    assert expected, "the reference must return something"
    if case.get("ordered"):
        assert got == expected, compiled.sql
    assert Counter(got) == Counter(expected), compiled.sql


def test_same_decisions_give_the_same_text(tables: tuple[Table, ...]) -> None:
    for case in CASES:
        first = compile_query(intent_of(case), decided_of(case), tables)
        assert compile_query(intent_of(case), decided_of(case), tables) == first


def test_bodies_of_steps_occur_unchanged(tables: tuple[Table, ...]) -> None:
    case = next(c for c in CASES if c["name"] == "the best of each group")
    compiled = compile_query(intent_of(case), decided_of(case), tables)
    assert isinstance(compiled, CompiledQuery)
    [step] = compiled.ctes
    assert step.name == "ranked"
    unindented = compiled.sql.replace("\n  ", "\n")
    assert step.sql in unindented
