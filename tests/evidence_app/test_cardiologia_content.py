"""The Evidence of the example workspace: publishable, and true of the warehouse it speaks of."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
import yaml
from psycopg import sql

from thoth.embedded.demo_data import SCHEMA_SQL, load
from thoth.embedded.postgres import PostgresServer
from thoth.warehouse import expressions

Warehouse = psycopg.Connection[tuple[Any, ...]]

EVIDENCE = SCHEMA_SQL.parent / "evidence"
SEED, SCALE = 20_170_101, 0.05
KINDS = {
    "glossary", "domain", "enum", "example", "mapping", "normalization", "formula", "reference",
}  # fmt: skip


def read_unit(path: Path) -> Any:
    """The front matter of a unit, its fields as attributes."""
    _, matter, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    plain = json.dumps(yaml.safe_load(matter))
    return json.loads(plain, object_hook=lambda fields: SimpleNamespace(**fields))


UNITS = {unit.id: unit for unit in map(read_unit, sorted((EVIDENCE / "curated").rglob("*.md")))}
EVALUATION = yaml.safe_load((EVIDENCE / "evaluation.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def warehouse(postgres_server: PostgresServer) -> Iterator[Warehouse]:
    """The example warehouse at 1/20 scale."""
    name = f"evidence_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        load(postgres_server.dsn(name), SEED, SCALE)
        with psycopg.connect(postgres_server.dsn(name), autocommit=True) as connection:
            yield connection
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def rows_of(warehouse: Warehouse, query: str) -> list[tuple[Any, ...]]:
    return warehouse.execute(query.encode()).fetchall()


def of_kind(kind: str) -> list[Any]:
    found = [unit for unit in UNITS.values() if unit.kind == kind]
    assert found
    return found


def test_every_excerpt_stands_in_its_source() -> None:
    for unit in UNITS.values():
        text = (EVIDENCE / unit.provenance.source_file).read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert unit.provenance.source_sha256 == f"sha256:{digest}", unit.id
        assert all(excerpt in text for excerpt in unit.provenance.supporting_excerpts), unit.id


def test_there_are_units_of_every_kind_from_every_source() -> None:
    counts = Counter(unit.kind for unit in UNITS.values())
    assert set(counts) == KINDS
    assert min(counts.values()) >= 10
    assert counts.total() >= 120
    sources = {
        path.relative_to(EVIDENCE).as_posix()
        for path in (EVIDENCE / "source").rglob("*")
        if path.is_file()
    }
    assert {unit.provenance.source_file for unit in UNITS.values()} == sources
    assert any(getattr(unit, "limitations", None) for unit in UNITS.values())


def test_what_a_unit_is_about_exists(warehouse: Warehouse) -> None:
    columns = {
        f"{schema}.{table}.{column}"
        for schema, table, column in rows_of(
            warehouse,
            "SELECT table_schema, table_name, column_name FROM information_schema.columns",
        )
    }
    tables = {name.rpartition(".")[0] for name in columns}
    for unit in UNITS.values():
        assert set(unit.scope.tables) <= tables, unit.id
        assert set(unit.scope.columns) <= columns, unit.id
        assert set(getattr(unit.payload, "columns", ())) <= columns, unit.id


def test_codes_are_those_that_the_warehouse_holds(warehouse: Warehouse) -> None:
    """All of them, but for the two lists that say that they are a choice."""
    chosen = {"evidence:codici-icd-9-cm-utili"}
    for unit in of_kind("enum"):
        table, _, column = unit.payload.column.rpartition(".")
        held = {
            value
            for (value,) in rows_of(warehouse, f"SELECT DISTINCT {column}::text FROM {table}")
            if value is not None
        }
        listed = {entry.value for entry in unit.payload.entries}
        assert listed <= held if unit.id in chosen else listed == held, unit.id


def test_every_example_answers(warehouse: Warehouse) -> None:
    for unit in of_kind("example"):
        rows = rows_of(warehouse, unit.payload.sql)
        assert rows, unit.id
        assert all(row[-1] not in (None, 0) for row in rows), unit.id


def test_every_formula_computes_something_from_the_columns_it_names(warehouse: Warehouse) -> None:
    for unit in of_kind("formula"):
        formula = unit.payload
        assert set(expressions.read(formula.sql).columns) == set(formula.columns), unit.id
        first, *others = sorted({name.rpartition(".")[0] for name in formula.columns})
        source = first + "".join(
            f" JOIN {other} ON {other}.id_paziente = {first}.id_paziente" for other in others
        )
        values = {value for (value,) in rows_of(warehouse, f"SELECT {formula.sql} FROM {source}")}
        assert values - {None, 0}, unit.id
        if values <= {True, False, None}:
            assert {True, False} <= values, unit.id


def test_a_readmission_by_window_is_the_one_of_the_schema(warehouse: Warehouse) -> None:
    """The comment of fact_ricovero compares every pair of stays; the formula only neighbours."""
    formula = UNITS["evidence:riammissione-entro-30-giorni"].payload.sql
    [(by_formula,)] = rows_of(
        warehouse,
        f"SELECT COUNT(*) FROM (SELECT {formula} AS again FROM datawarehouse.fact_ricovero) r"
        " WHERE again",
    )
    [(by_pairs,)] = rows_of(
        warehouse,
        """SELECT COUNT(*) FROM datawarehouse.fact_ricovero r WHERE EXISTS (
             SELECT 1 FROM datawarehouse.fact_ricovero p WHERE p.id_paziente = r.id_paziente
             AND r.data_ricovero - p.data_dimissione BETWEEN 1 AND 30)""",
    )
    assert by_formula == by_pairs > 0


def test_the_evaluation_names_units_that_a_search_for_its_purpose_can_see() -> None:
    ids = [query["id"] for query in EVALUATION["queries"]]
    assert len(set(ids)) == len(ids) >= 30
    assert {query["profile"] for query in EVALUATION["queries"]} == {"lexical", "semantic", "mixed"}
    for query in EVALUATION["queries"]:
        assert query["expected"], query["id"]
        assert len(query["not_expected"]) == 2, query["id"]
        assert not set(query["expected"]) & set(query["not_expected"]), query["id"]
        for name in (*query["expected"], *query["not_expected"]):
            assert query["purpose"] in UNITS[name].purposes, (query["id"], name)


def test_the_evaluation_asks_for_every_kind() -> None:
    asked = Counter(UNITS[query["expected"][0]].kind for query in EVALUATION["queries"])
    assert set(asked) == KINDS
    assert min(asked.values()) >= 3
