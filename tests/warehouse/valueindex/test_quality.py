"""The goals of the value index, on 100 000 values with known answers: shares, no timings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.warehouse.valueindex.builders import WORKSPACE, MemorySource, catalog_of, found
from tests.warehouse.valueindex.corpus import Corpus, Query, make_corpus
from thoth.contracts.tools import ValueSpan
from thoth.warehouse.valueindex.facade import index_drop, index_refresh, values_search
from thoth.warehouse.valueindex.normal import norm

pytestmark = pytest.mark.django_db

GOALS = {
    "exact": 0.995, "case": 0.995, "typo1": 0.995, "code": 0.995, "in_question": 0.995,
    "code_in_question": 0.995, "typo2": 0.98, "order": 0.99, "salient": 0.99, "substring": 0.98,
    "salient_in_question": 0.99, "typo_in_question": 0.98, "salient_typo": 0.93,
}  # fmt: skip
Answers = list[tuple[Query, tuple[ValueSpan, ...]]]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus(100_000, per_kind=40)


@pytest.fixture(scope="module")
def answers(
    corpus: Corpus, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Answers]:
    """Every query of the corpus, answered once."""
    source = MemorySource(dict(corpus.values))
    catalog = catalog_of(source)
    with django_db_blocker.unblock():
        index_refresh(WORKSPACE, source, batch_changes=40_000)
        yield [(q, values_search(WORKSPACE, q.text, catalog=catalog)) for q in corpus.queries]
        index_drop(WORKSPACE)


def _top(spans: tuple[ValueSpan, ...]) -> list[str]:
    """The first ten distinct values of each span."""
    return [
        value
        for span in spans
        for value in list(dict.fromkeys(norm(hit.value) for hit in span.hits))[:10]
    ]


def _recall(query: Query, spans: tuple[ValueSpan, ...]) -> float:
    return len(query.gold & set(_top(spans))) / min(10, len(query.gold))


@pytest.mark.parametrize("kind", GOALS)
def test_share_of_right_values_among_the_first_ten(kind: str, answers: Answers) -> None:
    shares = [_recall(query, spans) for query, spans in answers if query.kind == kind]
    assert sum(shares) / len(shares) >= GOALS[kind]


def test_the_first_value_is_right(answers: Answers) -> None:
    right = [
        any(norm(span.hits[0].value) in query.gold for span in spans)
        for query, spans in answers
        if query.gold
    ]
    assert sum(right) / len(right) >= 0.98


def test_every_column_that_holds_the_value_is_returned(answers: Answers, corpus: Corpus) -> None:
    shares = []
    for query, spans in answers:
        if len(query.gold) <= 10:
            wanted = {(c, v) for v in query.gold for c in corpus.columns_of[v]}
            got = {(column, norm(value)) for column, value in found(spans)}
            if len(wanted) > len(query.gold):
                shares.append(len(wanted & got) / len(wanted))
    assert len(shares) > 100
    assert sum(shares) / len(shares) >= 0.99


def test_questions_without_a_literal_find_nothing(answers: Answers) -> None:
    answered = [query.text for query, spans in answers if query.kind == "none" and spans]
    assert answered == []


def test_a_span_is_a_piece_of_the_text(answers: Answers) -> None:
    for query, spans in answers:
        assert all(query.text[span.start : span.end] == span.text for span in spans)
        assert all(a.end <= b.start for a, b in pairwise(spans))
