"""Checks that every text from outside passes before it is stored."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable

from thoth.lib.errors import Invalid

_BIGINT_DIGITS = 18
_BIDI_CONTROLS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def clean_text(text: str, *, what: str, max_chars: int, allow_empty: bool = False) -> str:
    """Return `text` stripped of outer blanks, or refuse it.

    Raises: Invalid `text_empty`, `text_too_long`, `text_nul`, `text_surrogate`.
    """
    if "\x00" in text:
        raise Invalid("text_nul", f"The {what} contains a NUL character. Remove it and try again.")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise Invalid("text_surrogate", f"The {what} contains half of a character. Type it again.")
    stripped = text.strip()
    if not allow_empty and not is_visible(stripped):
        raise Invalid("text_empty", f"The {what} is empty.")
    if len(stripped) > max_chars:
        message = f"The {what} has {len(stripped)} characters; at most {max_chars} are allowed."
        raise Invalid("text_too_long", message, length=len(stripped), limit=max_chars)
    return stripped


def is_visible(text: str) -> bool:
    """Would a reader see anything? Blanks, controls and zero-width characters show nothing."""
    return any(unicodedata.category(char)[0] not in "CZ" for char in text)


def whole_number(text: str) -> int | None:
    """The number that ASCII digits write, at most 18 of them (it fits a bigint); None otherwise.

    `str.isdigit` alone also takes digits that `int` cannot read, and Python refuses thousands.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= _BIGINT_DIGITS
    return int(text) if is_number else None


def whole_numbers(texts: Iterable[str]) -> list[int]:
    """The numbers among `texts`, in order; anything else is left out."""
    return [number for text in texts if (number := whole_number(text)) is not None]


def terminal_safe(text: str) -> str:
    """`text` with what would steer a terminal or turn its writing direction made visible.

    Line feeds and tabs stay; other control characters and bidirectional ones become `\\u001b`.
    """
    return "".join(f"\\u{ord(char):04x}" if _steers(char) else char for char in text)


def _steers(char: str) -> bool:
    return char not in "\n\t" and (
        unicodedata.category(char) == "Cc" or unicodedata.bidirectional(char) in _BIDI_CONTROLS
    )


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no blanks: the one form that is hashed and compared."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256_of(text: str) -> str:
    """Of the UTF-8 bytes, in hex: what was approved and what runs are compared by it."""
    return hashlib.sha256(text.encode()).hexdigest()
