"""PostgreSQL's rules for names, and words for characters that a reader cannot see."""

from __future__ import annotations

import re
import unicodedata

from thoth.warehouse.guard.words import RESERVED

NAME_MAX_BYTES = 63
_INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cf", "Cc", "Cs", "Co", "Cn"})
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def fold_name(name: str, *, quoted: bool) -> str:
    """The name as PostgreSQL stores it: unquoted ASCII letters lowered, cut to 63 bytes.

    PostgreSQL leaves other alphabets alone in a UTF-8 database, so `str.lower` would be wrong.
    """
    folded = name if quoted else name.translate(_ASCII_LOWER)
    return truncate_name(folded)


def truncate_name(name: str) -> str:
    """`name` cut to 63 bytes at a character boundary, as the server cuts it."""
    raw = name.encode()
    if len(raw) <= NAME_MAX_BYTES:
        return name
    return raw[:NAME_MAX_BYTES].decode(errors="ignore")


def is_invisible(char: str) -> bool:
    """True for blanks other than the ASCII ones, format, control and unassigned characters."""
    return char not in " \t\n\r" and unicodedata.category(char) in _INVISIBLE


def describe_char(char: str) -> str:
    """`U+202E RIGHT-TO-LEFT OVERRIDE`, for messages."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'without a name')}"


def foreign_letters(name: str) -> str:
    """The non-ASCII letters of a name spelled out, or "" when there are none."""
    odd = dict.fromkeys(char for char in name if not char.isascii())
    return ", ".join(unicodedata.name(char, f"U+{ord(char):04X}") for char in odd)


def quote_name(name: str) -> str:
    """`name` as SQL must spell it: in quotes when PostgreSQL would fold or misread it."""
    if _PLAIN.fullmatch(name) and name not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'
