"""Numbers as people write them, in figures and words of both languages."""

from __future__ import annotations

import re

_UNITS_EN = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_UNITS_IT = [
    "zero",
    "uno",
    "due",
    "tre",
    "quattro",
    "cinque",
    "sei",
    "sette",
    "otto",
    "nove",
    "dieci",
    "undici",
    "dodici",
    "tredici",
    "quattordici",
    "quindici",
    "sedici",
    "diciassette",
    "diciotto",
    "diciannove",
]
_TENS_EN = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_TENS_IT = {
    "venti": 20,
    "trenta": 30,
    "quaranta": 40,
    "cinquanta": 50,
    "sessanta": 60,
    "settanta": 70,
    "ottanta": 80,
    "novanta": 90,
}
WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_UNITS_EN)},
    **{word: value for value, word in enumerate(_UNITS_IT)},
    **_TENS_EN,
    **_TENS_IT,
    "cento": 100, "cinquecento": 500, "duecento": 200, "mille": 1000, "dozen": 12,
}  # fmt: skip
SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000,
          "mila": 1000, "milioni": 1_000_000, "milione": 1_000_000, "k": 1000}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
    "primo": 1, "secondo": 2, "terzo": 3, "quarto": 4,
}  # fmt: skip


def parse_figure(text: str) -> str | None:
    """`30,000`, `$1.5`, `4,5`, `1.000` -> canonical decimal text; None when it is no number."""
    text = text.lstrip("$€£")
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", text):
        return text.replace(",", "")
    if re.fullmatch(r"\d{1,3}(\.\d{3})+(,\d+)?", text):
        return text.replace(".", "").replace(",", ".")
    if re.fullmatch(r"\d+([.,]\d+)?", text):
        return text.replace(",", ".")
    return None


def parse_words(words: list[str]) -> tuple[int, int] | None:
    """`hundred thousand people` -> (100000, 2 words used); None when no number stands first."""
    total, current, used = 0, None, 0
    for word in words:
        if word in ("a", "un", "una") and used == 0 and len(words) > 1 and words[1] in SCALES:
            current = 1
        elif word in WORDS:
            current = (current or 0) + WORDS[word]
        elif word in SCALES and used:
            current = (current or 1) * SCALES[word]
        else:
            break
        used += 1
    if current is None or used == 0:
        return None
    return total + current, used
