"""The order of values does not depend on which of them are left unscored."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thoth.warehouse.valueindex.expand import expand
from thoth.warehouse.valueindex.normal import tokens
from thoth.warehouse.valueindex.rank import Scorer
from thoth.warehouse.valueindex.vocabulary import Vocabulary

WORDS = sorted(["aorta", "arteria", "by", "bypass", "pass", "stent", "valvola"], key=len)
_values = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


def _vocabulary() -> Vocabulary:
    numbers = np.arange(len(WORDS), dtype=np.int32)
    return Vocabulary(WORDS, numbers, numbers + 1, 40)


@given(query=_values, values=st.lists(_values, min_size=1, max_size=40), enough=st.integers(1, 5))
def test_the_first_ones_are_those_of_scoring_every_value(
    query: str, values: list[str], enough: int
) -> None:
    vocabulary = _vocabulary()
    scorer = Scorer(expand(tokens(query), vocabulary, frozenset()), vocabulary)
    norms = dict(enumerate(values))
    every = sorted((scorer.score(norm) for norm in values), reverse=True)
    # What answers a quarter of the query at most, or far less than the best, may be left out.
    least = max(25, every[0] * 0.4)
    shown = [score for score, _, _ in scorer.best(norms, enough)][:enough]
    assert [score for score in shown if score > least] == [
        score for score in every[:enough] if score > least
    ]
