"""Each known trap of value matching, one by one (tests/data/values/pitfalls.yaml)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pytest_django.plugin import DjangoDbBlocker

from tests.warehouse.valueindex.builders import WORKSPACE, MemorySource, catalog_of, found, values
from thoth.contracts.schema import Catalog
from thoth.warehouse.valueindex.facade import index_drop, index_refresh, values_search

DATA = yaml.safe_load(
    (Path(__file__).parents[2] / "data" / "values" / "pitfalls.yaml").read_text(encoding="utf-8")
)
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def catalog(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Catalog]:
    """All values of the file, indexed once for the module."""
    source = MemorySource(DATA["values"])
    with django_db_blocker.unblock():
        index_refresh(WORKSPACE, source)
        yield catalog_of(source)
        index_drop(WORKSPACE)


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["id"])
def test_pitfall(case: dict[str, Any], catalog: Catalog) -> None:
    spans = values_search(WORKSPACE, case["search"], catalog=catalog)
    got = values(spans)
    if case.get("none"):
        assert not spans
        return
    if "first" in case:
        assert got[:1] == [case["first"]]
    assert set(case.get("among", ())) <= set(got)
    assert not set(case.get("never", ())) & set(got)
    if "match" in case:
        assert spans[0].hits[0].match == case["match"]
    if "spans" in case:
        assert [span.text for span in spans] == case["spans"]
        assert [case["search"][span.start : span.end] for span in spans] == case["spans"]
    if "columns" in case:
        assert [column for column, _ in found(spans[:1])][: len(case["columns"])] == sorted(
            case["columns"]
        )
    scores = {hit.value: hit.score for span in spans for hit in span.hits}
    for value, margin in case.get("above", {}).items():
        assert scores[case["first"]] - scores.get(value, 0.0) >= margin
