"""One normal form for values and questions, made here and never in SQL.

PostgreSQL's similarity() counts an accent as another letter and unaccent() cannot be indexed;
folding once in Python keeps both sides of a comparison equal by construction.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from hashlib import blake2b

# Letters that compatibility decomposition leaves alone although readers drop their stroke.
_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th"}
)
_ASCII_GAPS = re.compile(r"[^0-9a-z]+")
_GAPS = re.compile(r"[\W_]+")
# A letter keeps the marks that follow it: decomposed accents must not cut a word in two.
_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
# Signs that change what a value says though no word holds them: A+ is not A-, C++ is not C.
_SIGNS = re.compile(r"[+\-<>=≤≥%#±*]")
_JOINING_HYPHEN = re.compile(r"(?<=\w)-(?=\w)|(?<=\s)-(?=\s)")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text in normal form and its characters [start, end) in that text."""

    word: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case without accents; compatibility forms (full width, ligatures) become plain."""
    text = text.casefold()
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    return kept.casefold().translate(_STROKES)


def norm(text: str) -> str:
    """`text` folded, every run of anything but letters and digits made one blank."""
    folded = fold(text)
    return (_ASCII_GAPS if folded.isascii() else _GAPS).sub(" ", folded).strip()


def tokens(text: str) -> list[Token]:
    """The words of `text` in order, with their places in the text as it was written."""
    found: list[Token] = []
    for match in _WORD.finditer(text):
        # Folding may split one written word (a half sign) or empty it (a lone accent).
        found += [Token(word, match.start(), match.end()) for word in norm(match.group()).split()]
    return found


def glued(normal: str) -> int:
    """A signed 64-bit hash of a normal form without its blanks."""
    digest = blake2b(normal.replace(" ", "").encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def signs(text: str) -> str:
    """The signs of `text` that matter, in order; hyphens that only join words do not."""
    if text.isalnum():
        return ""
    return "".join(_SIGNS.findall(_JOINING_HYPHEN.sub("", text)))


def is_number(word: str) -> bool:
    """Whether a word is digits only: such a word never matches another."""
    return word.isdigit()


def has_digit(word: str) -> bool:
    """Whether a word is a code or a number: such a word is never changed by edits."""
    return any(char.isdigit() for char in word)
