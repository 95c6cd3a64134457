"""Generated intents: what compiles runs on PostgreSQL, conforms, and splits rows where it negates."""

from __future__ import annotations

import functools
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thoth.analyst.compile import CompiledQuery, compile_query
from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Catalog
from thoth.contracts.steps import Cannot
from thoth.contracts.task import DecidedSlice
from thoth.warehouse.conformance import check_sql

JOINS = [
    "clinic.admission.patient_id=clinic.patient.patient_id",
    "clinic.admission.ward_id=clinic.ward.ward_id",
    "clinic.admission.main_diagnosis=clinic.diagnosis.diagnosis_id",
    "clinic.admission.admission_id=clinic.procedure.admission_id",
    "clinic.patient.patient_id=clinic.visit.patient_id",
]
# (column, operator, values, kind); text values are grounded. No NULLs, so that a negation splits.
FILTERS = [
    ("clinic.ward.name", "=", ["Surgery"], "text"),
    ("clinic.diagnosis.category", "in", ["arrhythmia", "failure"], "text"),
    ("clinic.procedure.kind", "=", ["echo"], "text"),
    ("clinic.visit.reason", "=", ["pain"], "text"),
    ("clinic.visit.visit_year", ">=", ["2021"], "number"),
    ("clinic.admission.admitted", "between", ["2021-01-01", "2021-06-30"], "date"),
    ("clinic.admission.admitted", "<", ["2021"], "date"),
    ("clinic.procedure.done_at", ">", ["2021-05-05"], "date"),
    ("clinic.patient.born", "!=", ["1950"], "date"),
    ("clinic.diagnosis.description", "contains", ["atrial"], "text"),
]
DIMENSIONS = [
    ("clinic.ward.name", None),
    ("clinic.diagnosis.category", None),
    ("clinic.admission.admitted", "year"),
    ("clinic.admission.admitted", "month"),
    ("clinic.procedure.kind", None),
    ("clinic.procedure.done_at", "weekday"),
    ("clinic.patient.city", None),
    ("clinic.visit.visit_year", "year"),
]
MEASURES = [
    ("count", "*", None, False),
    ("count", "patients", "clinic.patient.patient_id", True),
    ("count", "costs", "clinic.admission.cost", False),
    ("sum", "cost", "clinic.admission.cost", False),
    ("avg", "minutes", "clinic.procedure.minutes", False),
    ("median", "minutes", "clinic.procedure.minutes", False),
    ("max", "admitted", "clinic.admission.admitted", False),
    ("min", "born", "clinic.patient.born", False),
    ("ratio", "*", None, False),
]
POPULATIONS = [
    "clinic.admission",
    "clinic.patient",
    "clinic.procedure",
    "clinic.visit",
    "clinic.ward",
]
REFUSALS = {"fan_out", "exists_self", "condition_spans"}


class Draft:
    """An intent and its decisions, put together part by part."""

    def __init__(self, population: str) -> None:
        self.intent: dict[str, Any] = {
            "population": "rows",
            "measures": [],
            "dimensions": [],
            "filters": [],
        }
        self.columns: dict[str, dict[str, Any]] = {}
        self.tables: dict[str, dict[str, Any]] = {population: {"serves": ["population"]}}
        self.groundings: dict[str, dict[str, Any]] = {}

    def serve(self, column: str, id_: str) -> None:
        self.tables.setdefault(column.rpartition(".")[0], {"serves": []})
        self.columns.setdefault(column, {"serves": []})["serves"].append(id_)

    def filter(self, number: int, template: tuple[str, str, list[str], str], **more: Any) -> str:
        column, op, values, kind = template
        id_ = f"f{number}"
        words = [
            f"{value}#{number}" if kind == "text" and op != "contains" else value
            for value in values
        ]
        self.intent["filters"].append(
            {"id": id_, "subject": column, "op": op, "values": words, "kind": kind} | more
        )
        self.serve(column, id_)
        if kind == "text" and op != "contains":
            for word, value in zip(words, values, strict=True):
                grounding = {"column": column, "value": value}
                self.groundings[word] = {"groundings": [grounding], "serves": [id_]}
        return id_

    def built(self) -> tuple[QueryIntent, DecidedSlice]:
        joins: dict[str, Any] = {subject: {} for subject in JOINS}
        decided = {"tables": self.tables, "columns": self.columns, "joins": joins}
        return (
            QueryIntent.model_validate(self.intent),
            DecidedSlice.model_validate(decided | {"groundings": self.groundings}),
        )


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    draft = Draft(draw(st.sampled_from(POPULATIONS)))
    for number, template in enumerate(
        draw(st.lists(st.sampled_from(FILTERS), max_size=3, unique_by=str)), 1
    ):
        group = draw(st.sampled_from([None, None, "either"]))
        draft.filter(number, template, negated=draw(st.booleans()), any_of=group)
    dimensions = draw(st.lists(st.sampled_from(DIMENSIONS), max_size=2, unique=True))
    for number, (column, grain) in enumerate(dimensions, 1):
        dimension = {"id": f"d{number}", "label": f"d {number}", "of": column, "grain": grain}
        draft.intent["dimensions"].append(dimension)
        draft.serve(column, f"d{number}")
    least = 0 if dimensions else 1
    measures = draw(st.lists(st.sampled_from(MEASURES), min_size=least, max_size=2, unique=True))
    for number, template in enumerate(measures, 1):
        _measure(draw, draft, number, template)
    _order(draw, draft)
    return draft


def _measure(draw: st.DrawFn, draft: Draft, number: int, template: tuple[Any, ...]) -> None:
    agg, of, column, distinct = template
    measure = {
        "id": f"m{number}",
        "label": f"m {number}",
        "agg": agg,
        "of": of,
        "distinct": distinct,
    }
    if column:
        draft.serve(column, f"m{number}")
    if agg == "ratio" or draw(st.booleans()):
        when = draft.filter(10 + number, draw(st.sampled_from(FILTERS)), role="when")
        measure["when"] = [when]
    if agg == "ratio":
        measure["unit"] = draw(st.sampled_from([None, "percent"]))
    draft.intent["measures"].append(measure)


def _order(draw: st.DrawFn, draft: Draft) -> None:
    parts = [p["id"] for p in (*draft.intent["measures"], *draft.intent["dimensions"])]
    if draw(st.booleans()):
        way = draw(st.sampled_from(["asc", "desc"]))
        draft.intent["order"] = [{"by": draw(st.sampled_from(parts)), "direction": way}]
        draft.intent["limit"] = draw(st.sampled_from([None, 1, 3]))
    if not draft.intent["measures"]:
        draft.intent["distinct"] = True


@functools.cache
def connection(dsn: str) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(dsn, autocommit=True)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(draft=drafts())
def test_what_compiles_runs_and_conforms(draft: Draft, clinic: str, catalog: Catalog) -> None:
    intent, decided = draft.built()
    compiled = compile_query(intent, decided, catalog.tables)
    if isinstance(compiled, Cannot):
        assert compiled.code in REFUSALS | {"order_not_shown"}, compiled
        return
    connection(clinic).execute(compiled.sql.encode()).fetchall()
    report = check_sql(compiled.sql, intent, decided, catalog, compiled.ctes)
    assert report.findings == (), compiled.sql


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("template", FILTERS, ids=[f"{c} {op}" for c, op, _, _ in FILTERS])
def test_a_condition_and_its_negation_split_the_population(
    population: str, template: tuple[str, str, list[str], str], clinic: str, catalog: Catalog
) -> None:
    counts = []
    for negated in (False, True, None):
        draft = Draft(population)
        draft.intent["measures"] = [{"id": "m1", "label": "n", "agg": "count", "of": "*"}]
        if negated is not None:
            draft.filter(1, template, negated=negated)
        intent, decided = draft.built()
        compiled = compile_query(intent, decided, catalog.tables)
        assert isinstance(compiled, CompiledQuery), compiled
        row = connection(clinic).execute(compiled.sql.encode()).fetchone()
        assert row is not None
        counts.append(row[0])
    held, negated_held, everything = counts
    assert held + negated_held == everything
