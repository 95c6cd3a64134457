"""The example questions: complete, spread over the categories, with golds that mean something."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from thoth.embedded.demo_data import SCHEMA_SQL, load
from thoth.workspaces.reading import workspace_parse

Warehouse = psycopg.Connection[tuple[object, ...]]

FOLDER = SCHEMA_SQL.parent
QUESTIONS = [
    json.loads(line)
    for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
CATEGORIES = {
    "count", "distinct_count", "rate", "top_n", "trend", "comparison", "negation", "readmission",
    "ambiguous_term", "multi_column", "calculated",
}  # fmt: skip


def gold(warehouse: Warehouse, question: dict[str, str]) -> list[tuple[object, ...]]:
    return warehouse.execute(question["gold_sql"].encode()).fetchall()


def test_forty_questions_at_least_three_of_each_category() -> None:
    counts = Counter(question["category"] for question in QUESTIONS)
    assert len(QUESTIONS) == 40
    assert set(counts) == CATEGORIES
    assert min(counts.values()) >= 3


def test_ids_and_questions_are_unique_and_every_field_is_there() -> None:
    assert len({question["id"] for question in QUESTIONS}) == 40
    assert len({question["question"] for question in QUESTIONS}) == 40
    for question in QUESTIONS:
        assert {"id", "question", "gold_sql", "category", "hints", "ordered"} <= set(question)
        assert question["hints"]
        assert isinstance(question["ordered"], bool)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_gold_answers_quickly_and_not_with_nothing(
    warehouse: Warehouse, question: dict[str, str]
) -> None:
    started = time.perf_counter()
    rows = gold(warehouse, question)
    assert time.perf_counter() - started < 2
    assert rows
    assert all(any(value is not None for value in column) for column in zip(*rows, strict=True))
    assert all(value not in (0, None) for row in rows for value in row[-1:])


@pytest.mark.parametrize(
    "question",
    [question for question in QUESTIONS if question["ordered"]],
    ids=lambda question: question["id"],
)
def test_the_order_of_a_top_n_does_not_hang_on_ties(
    warehouse: Warehouse, question: dict[str, str]
) -> None:
    """Neither among the rows shown nor between the last one and the first one left out."""
    everything, _, limit = question["gold_sql"].rpartition(" LIMIT ")
    rows = warehouse.execute(everything.encode()).fetchall()
    shown = [row[-1] for row in rows[: int(limit) + 1]]
    assert len(set(shown)) == len(shown) == int(limit) + 1


def test_years_of_a_trend_are_all_there(warehouse: Warehouse) -> None:
    by_id = {question["id"]: question for question in QUESTIONS}
    for key, years in (("01", 8), ("11", 8), ("17", 7), ("18", 8), ("28", 8)):
        assert len(gold(warehouse, by_id[f"cardiologia-{key}"])) == years, key


def test_comments_cover_every_table_and_column(warehouse: Warehouse) -> None:
    bare = warehouse.execute(
        """SELECT relname, attname FROM pg_class
           LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
           WHERE relnamespace = 'datawarehouse'::regnamespace AND relkind = 'r'
             AND (obj_description(pg_class.oid, 'pg_class') IS NULL
                  OR col_description(attrelid, attnum) IS NULL)"""
    ).fetchall()
    assert bare == []


# the columns whose comment lists the codes, or lists every value in words
CODED = (
    "dim_paziente.sesso", "dim_reparto.tipo_reparto", "dim_diagnosi.categoria",
    "dim_procedura.categoria", "fact_ricovero.regime", "fact_ricovero.tipo_ricovero",
    "fact_ricovero.provenienza", "fact_ricovero.esito", "fact_ablazione.energia",
    "fact_ablazione.complicanza", "fact_ablazione_procedura_patologia.patologia",
    "fact_ablazione_procedura_patologia.procedure_type", "fact_cardioversione.tipo_cardioversione",
    "fact_cardioversione.farmaco", "fact_cardioversione.ritmo_pre",
    "fact_cardioversione.ritmo_post", "fact_cardioversione.esito_cardioversione",
    "fact_dispositivo.tipo_dispositivo", "fact_dispositivo.motivo_intervento",
    "fact_dispositivo.indicazione", "fact_visita.tipo_visita", "fact_visita.stato_visita",
    "fact_visita.motivo", "fact_esame.tipo_esame", "fact_esame.unita_misura",
    "fact_esame.esito_esame",
)  # fmt: skip


@pytest.mark.parametrize("name", CODED)
def test_a_comment_explains_every_value_the_column_holds(warehouse: Warehouse, name: str) -> None:
    table, _, column = name.partition(".")
    comment = warehouse.execute(
        """SELECT col_description(attrelid, attnum) FROM pg_attribute
           WHERE attrelid = %s::regclass AND attname = %s""",
        [f"datawarehouse.{table}", column],
    ).fetchone()
    assert comment is not None
    query = f"SELECT DISTINCT {column}::text FROM datawarehouse.{table} WHERE {column} IS NOT NULL"
    values = [str(value) for (value,) in warehouse.execute(query.encode())]
    assert values
    assert [value for value in values if value not in str(comment[0])] == []


def test_the_workspace_names_columns_that_exist(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOTH_CARDIOLOGIA_DSN", "postgresql://reader@127.0.0.1/warehouse")
    file: Path = FOLDER / "workspace.yaml"
    workspace = workspace_parse(file.read_text(encoding="utf-8"), file=file)
    assert (workspace.name, workspace.language) == ("cardiologia", "it")
    existing = {
        f"datawarehouse.{table}.{column}"
        for table, column in warehouse.execute(
            """SELECT table_name, column_name FROM information_schema.columns
               WHERE table_schema = 'datawarehouse'"""
        )
    }
    listed = {*workspace.columns.identifying, *workspace.columns.hidden}
    assert listed
    assert listed <= existing


@pytest.mark.parametrize("seed", [1, 2])
def test_golds_mean_something_on_other_seeds(make_warehouse: object, seed: int) -> None:
    dsn = make_warehouse()  # type: ignore[operator]
    load(dsn, seed, 0.05)
    with psycopg.connect(dsn) as connection:
        for question in QUESTIONS:
            rows = gold(connection, question)
            assert rows, question["id"]
            assert all(row[-1] is not None for row in rows), question["id"]
