from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sessions_app.evaluation.compare import Rows, compare, is_excluded, normalise

CASES = yaml.safe_load((Path(__file__).parents[2] / "data/evaluation/comparisons.yaml").read_text())


def rows(values: list[list[Any]], families: list[Any] | None = None) -> Rows:
    """Python values, or a database's texts with their families."""
    width = len(values[0])
    kinds = families or [None] * width
    return Rows(
        width,
        tuple(
            tuple(normalise(v, k) if k else normalise(v) for v, k in zip(row, kinds, strict=True))
            for row in values
        ),
    )


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_results_are_compared_as_documented(case: dict[str, Any]) -> None:
    answer = rows(case["answer"], case.get("families"))
    assert compare(rows(case["gold"]), answer, order_keys=case.get("order")) == case["verdict"]


def test_comparison_of_exact_results_works_both_ways() -> None:
    for case in CASES:
        if case["verdict"] == "exact":
            answer = rows(case["answer"], case.get("families"))
            assert compare(answer, rows(case["gold"]), order_keys=case.get("order")) == "exact"


def test_gold_without_a_value_is_excluded() -> None:
    assert is_excluded(Rows(1, ()))
    assert is_excluded(rows([[None, None], [None, None]]))
    assert not is_excluded(rows([[None, 0]]))


def test_many_equal_rows_are_compared_in_time() -> None:
    one = rows([[i % 3, i % 2, 0.1 * i] for i in range(3000)])
    other = rows([[0.1 * i, i % 2, i % 3] for i in reversed(range(3000))])
    assert compare(one, other) == "exact"
