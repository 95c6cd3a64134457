"""What F4 still has to settle, from the intent and the rows alone."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app import workflow
from sessions_app.decided import decided_slice
from sessions_app.phases import linking_state as state
from sessions_app.types import Row
from sessions_app.view import EffectiveView, effective
from thoth.contracts.intent import QueryIntent


def view_of(*rows: tuple[str, str, dict[str, Any]]) -> EffectiveView:
    """A view of decisions (type, subject, payload) taken in F4."""
    return effective(
        workflow.default(),
        [
            Row(
                seq=n,
                type=kind,
                phase="F4",
                stage="schema_linking",
                subject=subject,
                payload=payload,
            )
            for n, (kind, subject, payload) in enumerate(rows, 1)
        ],
    )


def intent_of(**parts: Any) -> QueryIntent:
    return QueryIntent.model_validate({"population": "ablazioni"} | parts)


def text_filter(number: int, *values: str, **more: Any) -> dict[str, Any]:
    return {"id": f"f{number}", "subject": "patologia", "op": "in", "values": list(values)} | more


GROUNDED: dict[str, Any] = {"groundings": [{"column": "dw.a.x", "value": "v"}]}


def test_text_values_are_literals_and_nothing_else_is() -> None:
    intent = intent_of(
        filters=[
            text_filter(1, "sincope", "flutter"),
            text_filter(2, "sincope"),
            text_filter(3, "65", kind="number"),
            text_filter(4, "anziani", concept="fascia di età"),
            text_filter(5, "x", role="having"),
            text_filter(6, "y", op="exists"),
        ]
    )
    assert state.literals(intent) == {"sincope": ("f1", "f2"), "flutter": ("f1",)}


@pytest.mark.parametrize(
    ("rows", "pending"),
    [
        ([], ["sincope", "flutter"]),
        ([("value_grounded", "sincope", GROUNDED | {"serves": ["f1", "f2"]})], ["flutter"]),
        ([("value_grounded", "sincope", GROUNDED)], ["flutter"]),
        ([("value_absent", "flutter", {"serves": ["f1"]})], ["sincope"]),
        ([("value_grounded", "sincope", GROUNDED | {"serves": ["f1"]})], ["sincope", "flutter"]),
    ],
    ids=["nothing", "grounded", "grounded-for-all", "absent", "grounded-for-one-of-two"],
)
def test_a_literal_is_pending_until_each_filter_is_served(
    rows: list[tuple[str, str, dict[str, Any]]], pending: list[str]
) -> None:
    intent = intent_of(filters=[text_filter(1, "sincope", "flutter"), text_filter(2, "sincope")])
    assert list(state.pending_literals(intent, view_of(*rows))) == pending


def test_a_concept_is_pending_until_its_formula_is_approved_or_rejected() -> None:
    measure = {"id": "m1", "label": "BMI", "agg": "avg", "of": "BMI", "concept": "BMI"}
    intent = intent_of(measures=[measure])
    formula = {"sql": "a", "columns": ["dw.a.x"]}
    assert state.pending_concepts(intent, view_of()) == {"BMI": ("m1",)}
    for row in (
        ("concept_formula_approved", "BMI", formula),
        ("concept_formula_rejected", "BMI", {}),
    ):
        assert state.pending_concepts(intent, view_of(row)) == {}


def test_tables_are_pending_until_promoted_after_the_rewriting() -> None:
    rewritten = ("question_rewritten", "question", {})
    promoted: tuple[str, str, dict[str, Any]] = ("table_promoted", "dw.a", {})
    assert state.tables_pending(view_of(rewritten))
    assert not state.tables_pending(view_of(rewritten, promoted))
    assert state.tables_pending(view_of(promoted, rewritten))


@pytest.mark.parametrize(
    ("tables", "joins", "left"),
    [
        (["dw.a"], [], ()),
        (["dw.a", "dw.b"], [], ("dw.b",)),
        (["dw.a", "dw.b"], ["dw.a.x=dw.b.x"], ()),
        (["dw.a", "dw.b", "dw.c"], ["dw.a.x=dw.b.x"], ("dw.c",)),
        (["dw.a", "dw.c"], ["dw.b.y=dw.c.y", "dw.a.x=dw.b.x"], ()),
        (["dw.a", "dw.b"], ["dw.a.x=dw.b.x&dw.a.y=dw.b.y"], ()),
    ],
    ids=["one", "two", "joined", "third-apart", "by-way-of-another", "two-columns"],
)
def test_tables_hang_together_by_joins(
    tables: list[str], joins: list[str], left: tuple[str, ...]
) -> None:
    assert state.unconnected(tables, joins) == left


COUNT = {"id": "m1", "label": "n", "agg": "count", "of": "*"}
BMI = {"id": "m2", "label": "BMI", "agg": "avg", "of": "BMI", "concept": "BMI"}
SHARE = {
    "id": "m3",
    "label": "share",
    "agg": "ratio",
    "of": "*",
    "numerator": "m1",
    "denominator": "m2",
}


@pytest.mark.parametrize(
    ("parts", "rows", "unserved"),
    [
        ({"measures": [COUNT]}, [], ("m1",)),
        ({"measures": [COUNT]}, [("table_promoted", "dw.a", {})], ()),
        ({"measures": [BMI]}, [("column_promoted", "dw.a.x", {"serves": ["m2"]})], ("m2",)),
        (
            {"measures": [BMI]},
            [("concept_formula_approved", "BMI", {"sql": "a", "columns": []})],
            (),
        ),
        ({"measures": [BMI]}, [("concept_formula_rejected", "BMI", {})], ("m2",)),
        ({"filters": [text_filter(1, "x")]}, [("value_absent", "x", {"serves": ["f1"]})], ()),
        ({"period": {"subject": "data"}}, [("column_promoted", "dw.a.d", {"serves": ["p1"]})], ()),
        ({"period": {"subject": "data"}}, [("table_promoted", "dw.a", {})], ("p1",)),
        (
            {"measures": [COUNT], "filters": [text_filter(1, "5", role="having", subject="m1")]},
            [("table_promoted", "dw.a", {})],
            (),
        ),
    ],
    ids=[
        "rows-no-table",
        "rows",
        "concept-by-column",
        "concept-by-formula",
        "concept-rejected",
        "absent-value",
        "period",
        "period-unserved",
        "having",
    ],
)
def test_every_id_of_the_intent_is_served_or_named(
    parts: dict[str, Any],
    rows: list[tuple[str, str, dict[str, Any]]],
    unserved: tuple[str, ...],
) -> None:
    decided = decided_slice(view_of(*rows))
    assert state.unserved(intent_of(**parts), decided) == unserved


def test_a_correction_takes_the_place_of_the_column_it_replaces() -> None:
    view = view_of(
        ("column_promoted", "dw.a.x", {"serves": ["d1"]}),
        ("column_promoted", "dw.a.x", {"serves": ["f1"], "role": "filter"}),
        ("column_corrected", "dw.a.y", {"replaces": "dw.a.z"}),
    )
    columns = decided_slice(view).columns
    assert columns["dw.a.x"].serves == ("d1", "f1")
    assert set(columns) == {"dw.a.x", "dw.a.y"}


def test_an_excluded_table_takes_its_columns_and_joins_with_it() -> None:
    view = view_of(
        ("table_promoted", "dw.a", {}),
        ("table_promoted", "dw.b", {}),
        ("column_promoted", "dw.b.x", {}),
        ("join_approved", "dw.a.x=dw.b.x", {}),
        ("table_excluded", "dw.b", {}),
    )
    decided = decided_slice(view)
    assert (list(decided.tables), decided.columns, decided.joins) == (["dw.a"], {}, {})
