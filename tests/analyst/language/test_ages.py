"""Which numbers of years are an age."""

from __future__ import annotations

import datetime as dt

import pytest

from thoth.analyst.language.frame import read_frame
from thoth.analyst.linking.ages import age_places


@pytest.mark.parametrize(
    ("question", "language", "says_age"),
    [
        ("Quanti pazienti con più di 70 anni?", "it", True),
        ("Quanti ricoveri di donne di almeno 75 anni?", "it", True),
        ("Quanti pazienti di 18 anni o più?", "it", True),
        ("How many patients over 70 years?", "en", True),
        ("Quanti pazienti negli ultimi 5 anni?", "it", False),
        ("Quanti pazienti con più di 300 anni?", "it", False),
        ("Quanti ricoveri di più di 10 giorni?", "it", False),
        ("Quanti pazienti con età superiore a 70 anni?", "it", False),
    ],
)
def test_a_compared_number_of_years_says_an_age(
    question: str, language: str, says_age: bool
) -> None:
    frame = read_frame(question, dt.date(2024, 6, 15), language)
    assert bool(age_places(frame)) is says_age
