"""Questions on small schemas -> SQL, or the reason of a refusal. Pure: no database, no clock."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analyst.reading.kit import interpreted, load, sql_of, values_in
from thoth.analyst.guide import Guide
from thoth.analyst.interpret import read


@pytest.mark.parametrize("case", load("readings.yaml"), ids=lambda case: str(case["ask"]))
def test_a_question_is_read_as_meant(case: dict[str, Any]) -> None:
    assert sql_of(case["ask"]) == case["sql"]


@pytest.mark.parametrize(
    "question",
    [
        "How many orders in each city offer gift wrapping?",
        "What is the purpose of life?",
        "How many customers have a loyalty card?",
        "Which product has the best reviews?",
        "Quanti ordini hanno una recensione positiva?",
        "What is the average number of orders per customer?",
        "Who is the mayor of Milano?",
    ],
)
def test_what_the_schema_does_not_hold_is_refused(question: str) -> None:
    assert sql_of(question).startswith("! ")


def test_the_same_question_gives_the_same_reading() -> None:
    question = "What is the average amount of paid orders for each city?"
    first, second = interpreted(question), interpreted(question)
    assert first.best == second.best
    assert [r.keys for r in first.readings] == [r.keys for r in second.readings]


def test_ids_do_not_depend_on_what_else_was_decided() -> None:
    """A chosen reading narrows the candidates; the parts of the intent keep their ids."""
    question = "How many orders from Milano were returned in 2023?"
    free = interpreted(question)
    assert free.best is not None
    assert free.best.intent is not None
    chosen = dict(
        zip(
            (free.frame.words(m.start, m.end).lower() for m in free.mentions),
            free.best.keys,
            strict=True,
        )
    )
    bound = read(free.frame, free.schema, _values(question), (), Guide(readings=chosen))
    assert bound.best is not None
    assert bound.best.intent == free.best.intent


def test_an_excluded_table_is_not_used() -> None:
    question = "How many orders from Milano were returned in 2023?"
    free = interpreted(question)
    banned = Guide(banned=frozenset({"shop.customer"}))
    bound = read(free.frame, free.schema, _values(question), (), banned)
    assert bound.best is None or not bound.best.ok or "shop.customer" not in bound.best.tables


def _values(question: str) -> Any:
    return values_in(load("shop.yaml"), question)
