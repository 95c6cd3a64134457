"""Compiled queries conform; each change of one is noticed by its rule; other spellings are accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.utils.translation import override

from tests.analyst.compile.cases import decided_of, intent_of, load_cases
from thoth.analyst.compile import CompiledQuery, compile_query
from thoth.contracts.schema import Catalog
from thoth.warehouse.conformance import RULES, ConformanceReport, check_sql

DATA = Path(__file__).parents[2] / "data" / "conformance"
CASES = {case["name"]: case for case in load_cases() if "gold" in case}
MUTATIONS = yaml.safe_load((DATA / "mutations.yaml").read_text())
ACCEPTED = yaml.safe_load((DATA / "accepted.yaml").read_text())


def compiled(case: dict[str, Any], catalog: Catalog) -> CompiledQuery:
    result = compile_query(intent_of(case), decided_of(case), catalog.tables)
    assert isinstance(result, CompiledQuery), result
    return result


def check(case: dict[str, Any], sql: str, catalog: Catalog) -> ConformanceReport:
    return check_sql(
        sql,
        intent=intent_of(case),
        decided=decided_of(case),
        catalog=catalog,
        ctes=compiled(case, catalog).ctes,
    )


@pytest.mark.parametrize("name", CASES)
def test_compiled_query_conforms(name: str, catalog: Catalog) -> None:
    report = check(CASES[name], compiled(CASES[name], catalog).sql, catalog)
    assert report.findings == ()
    assert set(report.checked) == set(RULES)
    assert report.conformant


@pytest.mark.parametrize(
    "mutation", MUTATIONS, ids=[f"{n} {m['rule']}" for n, m in enumerate(MUTATIONS)]
)
def test_change_is_noticed_by_its_rule(mutation: dict[str, Any], catalog: Catalog) -> None:
    case = CASES[mutation["case"]]
    sql = compiled(case, catalog).sql
    changes = [(mutation["old"], mutation["new"])] if "old" in mutation else []
    for old, new in [*changes, *([mutation["also"]] if "also" in mutation else [])]:
        assert old in sql, f"{old!r} is not in\n{sql}"
        sql = sql.replace(old, new)
    sql += mutation.get("append", "")
    report = check(case, sql, catalog)
    assert mutation["rule"] in {f.rule for f in report.findings}, f"{report.findings}\n{sql}"
    assert not report.conformant


def test_every_rule_has_a_change_that_breaks_it() -> None:
    assert set(RULES) == {m["rule"] for m in MUTATIONS}


@pytest.mark.parametrize(
    "accepted", ACCEPTED, ids=[f"{n} {a['case']}" for n, a in enumerate(ACCEPTED)]
)
def test_another_spelling_of_the_same_is_accepted(
    accepted: dict[str, Any], catalog: Catalog
) -> None:
    report = check(CASES[accepted["case"]], accepted["sql"], catalog)
    assert report.findings == ()


def test_finding_points_at_its_place_in_the_text(catalog: Catalog) -> None:
    case = CASES["count rows"]
    sql = "SELECT count(*) FROM clinic.admission WHERE cost > 5"
    report = check(case, sql, catalog)
    found = next(f for f in report.findings if f.rule == "extra_filter")
    assert sql[found.start : found.end].startswith("cost")
    assert found.decision_subject == "clinic.admission.cost"
    assert found.fix


@pytest.mark.parametrize(
    "sql",
    ["", ";", "DROP TABLE x", "SELECT 1; SELECT 2", "(" * 3000, "SELECT " + "a+" * 99_000],
    ids=["empty", "semicolon", "drop", "two", "deep", "long"],
)
def test_unreadable_text_is_one_finding(sql: str, catalog: Catalog) -> None:
    report = check(CASES["count rows"], sql, catalog)
    assert [f.rule for f in report.findings] == ["parse"]


def test_every_rule_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs/developers/conformance.md").read_text()
    for rule, meaning in RULES.items():
        assert f"| `{rule}` | {meaning} |" in page


def test_a_departure_is_said_in_the_language_of_who_reads_it(catalog: Catalog) -> None:
    case = next(case for case in CASES.values() if case["gold"])
    sql = compiled(case, catalog).sql + " OFFSET 3"
    with override("it"):
        report = check(case, sql, catalog)
    assert "OFFSET tralascia le prime righe." in [found.message for found in report.findings]
