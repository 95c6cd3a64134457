"""Checks that every text from outside passes before it is stored."""

from __future__ import annotations

import hashlib
import json

from thoth.lib.errors import Invalid


def clean_text(text: str, *, what: str, max_chars: int, allow_empty: bool = False) -> str:
    """Return `text` stripped of outer blanks, or refuse it.

    Raises: Invalid `text_empty`, `text_too_long`, `text_nul`, `text_surrogate`.
    """
    if "\x00" in text:
        raise Invalid("text_nul", f"The {what} contains a NUL character. Remove it and try again.")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise Invalid("text_surrogate", f"The {what} contains half of a character. Type it again.")
    stripped = text.strip()
    if not stripped and not allow_empty:
        raise Invalid("text_empty", f"The {what} is empty.")
    if len(stripped) > max_chars:
        message = f"The {what} has {len(stripped)} characters; at most {max_chars} are allowed."
        raise Invalid("text_too_long", message, length=len(stripped), limit=max_chars)
    return stripped


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no blanks: the one form that is hashed and compared."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256_of(text: str) -> str:
    """Of the UTF-8 bytes, in hex: what was approved and what runs are compared by it."""
    return hashlib.sha256(text.encode()).hexdigest()
