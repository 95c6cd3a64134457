"""Every text of tests/data/guard is refused or accepted as its file says, on a real warehouse."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.warehouse.library import Library, cases, expanded
from thoth.lib.errors import Invalid
from thoth.warehouse.execute.run import Request, query_run
from thoth.warehouse.guard.check import guard

BUGS = cases("bugs.yaml")
REFUSED = [(code, sql) for code, texts in cases("refused.yaml").items() for sql in texts]
ACCEPTED = [(group, sql) for group, texts in cases("accepted.yaml").items() for sql in texts]


def short(text: str) -> str:
    return text[:60].encode("ascii", "backslashreplace").decode()


@pytest.mark.parametrize("case", BUGS, ids=lambda case: case["case"])
def test_a_known_class_of_bug_is_absent(lib: Library, case: dict[str, Any]) -> None:
    sql = expanded(case["sql"])
    started = time.monotonic()
    if case["code"] is None:
        _accepted(lib, sql, case)
        return
    with pytest.raises(Invalid) as refused:
        guard(sql, lib.catalog)
    assert refused.value.code == case["code"]
    assert case.get("says", "") in refused.value.message
    assert time.monotonic() - started < 1


def _accepted(lib: Library, sql: str, case: dict[str, Any]) -> None:
    assert guard(sql, lib.catalog).sql == sql
    if "runs" in case:
        with pytest.raises(Invalid) as refused:
            query_run(lib.target, lib.catalog, Request(sql, "preview"))
        assert refused.value.code == case["runs"]
        return
    result = query_run(lib.target, lib.catalog, Request(sql, "preview"))
    if "rows" in case:
        assert len(result.rows) == case["rows"]
    if "headers" in case:
        assert [column.header for column in result.columns] == case["headers"]


@pytest.mark.parametrize(
    ("code", "sql"), REFUSED, ids=[f"{code}: {short(sql)}" for code, sql in REFUSED]
)
def test_an_attack_is_refused_with_its_code(lib: Library, code: str, sql: str) -> None:
    started = time.monotonic()
    with pytest.raises(Invalid) as refused:
        guard(expanded(sql), lib.catalog)
    assert refused.value.code == code, refused.value.message
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(("group", "sql"), ACCEPTED, ids=[short(sql) for _, sql in ACCEPTED])
def test_an_analytical_query_passes_and_runs(lib: Library, group: str, sql: str) -> None:
    text = expanded(sql)
    query = guard(text, lib.catalog)
    result = query_run(lib.target, lib.catalog, Request(text, "preview"))
    assert len(query.outputs) == len(result.columns)
    named = [(o.name, c.name) for o, c in zip(query.outputs, result.columns, strict=True) if o.name]
    assert all(ours == theirs for ours, theirs in named), named
