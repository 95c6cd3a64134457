"""What cannot be resolved, and the patterns it is seen by."""

from __future__ import annotations

import re

from thoth.analyst.language.periods import MONTHS

PARTIAL_SHARE = re.compile(
    r"\b(?:tasso|percentuale|quota|rate|share|percentage) (?:di|of) (\w+)[^.]{0,120}?"
    r"(?:sul totale|sulle sole|sui soli|only|among)[^.]{0,80}"
)


COUNT_ELSEWHERE = re.compile(r"per contare [^.]{3,60} si us|to count [^.]{3,60} use ")


ADJECTIVES = {
    "longest": ("length", "duration"), "shortest": ("length", "duration"), "highest": ("height", "altitude", "elevation"),
    "tallest": ("height", "altitude"), "largest": ("area", "size"), "biggest": ("area", "size"), "smallest": ("area", "size"),
    "heaviest": ("weight",), "cheapest": ("price", "cost"), "expensive": ("price", "cost"),
    "lungo": ("lunghezza", "durata"), "lunga": ("lunghezza", "durata"), "alto": ("altezza", "altitudine"), "pesante": ("peso",),
}  # fmt: skip


MONTH_NAME = {number: name for name, number in MONTHS.items() if len(name) > 4 or name == "may"}


class Unresolved(Exception):
    """The draft cannot become a query: a stable code and the words concerned."""

    def __init__(self, code: str, *words: str) -> None:
        super().__init__(code)
        self.code = code
        self.words = words
