"""What is refused before it is stored, and what a terminal is shown of it."""

from __future__ import annotations

import json

import pytest

from thoth.lib.errors import Invalid
from thoth.lib.terminal import as_json_text
from thoth.lib.text import clean_text, terminal_safe, whole_number, whole_numbers


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "text_empty"),
        (" \n\t\x85\u00a0\u2028", "text_empty"),
        ("\u200b\ufeff\u180e", "text_empty"),  # zero width
        ("\x01\x1b", "text_empty"),
        ("\u202e\u202c", "text_empty"),
        ("a\x00", "text_nul"),
        ("\ud800", "text_surrogate"),
        ("x" * 11, "text_too_long"),
    ],
)
def test_what_shows_nothing_or_cannot_be_stored_is_refused(text: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        clean_text(text, what="question", max_chars=10)
    assert refused.value.code == code


@pytest.mark.parametrize("text", ["?", "è" * 10, "😀", "日本", "a\u200db"])
def test_anything_that_can_be_seen_is_taken(text: str) -> None:
    assert clean_text(f" {text} ", what="question", max_chars=10) == text


def test_a_terminal_is_not_steered_by_what_somebody_wrote() -> None:
    written = "a\x1b]0;x\x07\nb\tc\x9b31m\u202ed\u2066è"
    assert terminal_safe(written) == ("a\\u001b]0;x\\u0007\nb\tc\\u009b31m\\u202ed\\u2066è")


def test_json_for_a_terminal_is_safe_and_says_the_same() -> None:
    value = {"question": 'a\x1b[0m \x9b \u202e "è" \\'}
    text = as_json_text(value)
    assert not any(char in text for char in "\x1b\x9b\u202e")
    assert json.loads(text) == value


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1), ("9" * 19, None), ("9" * 5_000, None)]
    + [(text, None) for text in ("", "²", "٣", "-1", "+1", "1.0", " 1", "1_000", "uno")],
)
def test_only_ascii_digits_that_fit_a_bigint_are_a_whole_number(
    text: str, number: int | None
) -> None:
    assert whole_number(text) == number
    assert whole_numbers([text]) == ([] if number is None else [number])
