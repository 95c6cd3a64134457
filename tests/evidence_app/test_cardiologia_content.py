"""The Evidence of the example workspace: publishable, and true of the warehouse it speaks of."""

from __future__ import annotations

import functools
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import yaml
from psycopg import sql

from evidence_app.manifest import manifest_dump, manifest_parse
from evidence_app.units.document import unit_dump
from evidence_app.units.model import KINDS, CuratedEvidence
from evidence_app.units.tree import directory_read
from evidence_app.validation import Validation, validate
from thoth.embedded.demo_data import SCHEMA_SQL, load
from thoth.embedded.postgres import PostgresServer
from thoth.warehouse import expressions

Warehouse = psycopg.Connection[tuple[Any, ...]]

EVIDENCE = SCHEMA_SQL.parent / "evidence"
SEED, SCALE = 20_170_101, 0.05


@functools.cache
def files() -> dict[str, bytes]:
    return directory_read(EVIDENCE)


@functools.cache
def report() -> Validation:
    return validate(files())


@functools.cache
def units() -> dict[str, CuratedEvidence]:
    return {unit.id: unit for unit in report().tree.units.values()}


@functools.cache
def queries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(files()["evaluation.yaml"])["queries"]
    return found


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
    """Its units; untyped, because payloads differ by kind."""
    found = [unit for unit in units().values() if unit.kind == kind]
    assert found
    return found


def test_the_tree_is_publishable_without_a_single_finding() -> None:
    assert report().findings == ()
    assert report().publishable


def test_every_file_is_what_its_unit_dumps_to() -> None:
    for path, unit in report().tree.units.items():
        assert unit_dump(unit).encode() == files()[path], path
    manifest = files()["manifest.yaml"]
    assert manifest_dump(manifest_parse(manifest)).encode() == manifest


def test_there_are_units_of_every_kind_from_every_source() -> None:
    counts = Counter(unit.kind for unit in units().values())
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 10
    assert counts.total() >= 120
    sources = {
        path.relative_to(EVIDENCE).as_posix()
        for path in (EVIDENCE / "source").rglob("*")
        if path.is_file()
    }
    assert {unit.provenance.source_file for unit in units().values()} == sources
    assert any(unit.limitations for unit in units().values())


def test_what_a_unit_is_about_exists(warehouse: Warehouse) -> None:
    columns = {
        f"{schema}.{table}.{column}"
        for schema, table, column in rows_of(
            warehouse,
            "SELECT table_schema, table_name, column_name FROM information_schema.columns",
        )
    }
    tables = {name.rpartition(".")[0] for name in columns}
    for unit in units().values():
        assert set(unit.scope.tables) <= tables, unit.id
        assert set(unit.scope.columns) <= columns, unit.id
        assert set(getattr(unit.payload, "columns", ())) <= columns, unit.id


def test_codes_are_those_that_the_warehouse_holds(warehouse: Warehouse) -> None:
    """All of them, but for the list that says that it is a choice."""
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
    formula = next(
        unit for unit in of_kind("formula") if unit.id == "evidence:riammissione-entro-30-giorni"
    ).payload.sql
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
    ids = [query["id"] for query in queries()]
    assert len(set(ids)) == len(ids) >= 30
    assert {query["profile"] for query in queries()} == {"lexical", "semantic", "mixed"}
    for query in queries():
        assert query["expected"], query["id"]
        assert len(query["not_expected"]) == 2, query["id"]
        assert not set(query["expected"]) & set(query["not_expected"]), query["id"]
        for name in (*query["expected"], *query["not_expected"]):
            assert query["purpose"] in units()[name].purposes, (query["id"], name)


def test_the_evaluation_asks_for_every_kind() -> None:
    asked = Counter(units()[query["expected"][0]].kind for query in queries())
    assert set(asked) == set(KINDS)
    assert min(asked.values()) >= 3
