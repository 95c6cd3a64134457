"""Words, phrases, numbers and periods of both languages: data in, data out."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
import yaml

from thoth.analyst.language.frame import read_frame
from thoth.analyst.language.periods import find_periods
from thoth.analyst.language.tokens import same, tokenize

DATA = Path(__file__).parents[2] / "data" / "analyst"
TODAY = dt.date(2024, 6, 15)


def cases(name: str) -> Any:
    return yaml.safe_load((DATA / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", cases("marks.yaml"), ids=lambda case: str(case["text"]))
def test_phrases_are_found_in_order(case: dict[str, Any]) -> None:
    frame = read_frame(case["text"], TODAY, case["language"])
    assert [mark.kind for mark in frame.marks] == case["marks"]
    if "numbers" in case:
        assert [number.value for number in frame.numbers] == case["numbers"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How many patients are there in each ward?", "en"),
        ("Quanti pazienti ci sono in ogni reparto?", "it"),
    ],
)
def test_the_language_is_the_questions_not_the_workspaces(text: str, language: str) -> None:
    assert read_frame(text, TODAY, "it").language == language
    assert read_frame(text, TODAY, "en").language == language


@pytest.mark.parametrize("case", cases("periods.yaml"), ids=lambda case: str(case["text"]))
def test_periods_are_half_open(case: dict[str, Any]) -> None:
    text = f"Quante visite {case['text']} per reparto?"
    spans = find_periods(text, TODAY)
    if "start" not in case:
        assert spans == ()
        return
    assert [(span.start, span.end) for span in spans] == [(case["start"], case["end"])]
    assert text[spans[0].start_char : spans[0].end_char].strip() in text


@pytest.mark.parametrize(("one", "other"), cases("stems.yaml")["same"])
def test_forms_of_one_word_share_a_stem(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(("one", "other"), cases("stems.yaml")["different"])
def test_other_words_do_not(one: Any, other: Any) -> None:
    assert not same(str(one), str(other))


def test_elisions_and_genitives_are_taken_apart_and_offsets_hold() -> None:
    text = "L'età dell’ablazione del patient's chart"
    tokens = tokenize(text)
    assert [token.norm for token in tokens] == [
        "l", "eta", "dell", "ablazione", "del", "patient", "chart",
    ]  # fmt: skip
    assert text[tokens[3].start : tokens[3].end] == "ablazione"


def test_quoted_text_is_one_token_and_hyphens_separate() -> None:
    kinds = [(t.norm, t.kind) for t in tokenize('named "Market St" in-person 2023-04-01')]
    assert kinds == [
        ("named", "word"), ("market st", "quoted"), ("in", "word"), ("-", "punct"),
        ("person", "word"), ("2023-04-01", "number"),
    ]  # fmt: skip


def test_a_word_inside_a_period_is_no_phrase() -> None:
    frame = read_frame("sales in the last 6 months excluding the current month", TODAY, "en")
    assert not {"super_desc", "exclude"} & {mark.kind for mark in frame.marks}
