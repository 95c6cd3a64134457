"""How the guard refuses: one helper, so that every message carries its position the same way."""

from __future__ import annotations

from thoth.lib.errors import Invalid


def place(sql: str, offset: int) -> str:
    """`line 2, column 7` for a character offset."""
    before = sql[:offset]
    column = offset - before.rfind("\n")
    return f"line {before.count(chr(10)) + 1}, column {column}"


def refusal(code: str, message: str, *, sql: str = "", offset: int | None = None) -> Invalid:
    """An Invalid whose message ends with the place and whose `extra` has the offset."""
    if offset is None:
        return Invalid(code, message)
    where = place(sql, offset)
    return Invalid(code, f"{message} ({where})", position=offset, place=where)
