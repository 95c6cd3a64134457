"""The ledger as a text that can leave the house: JSON lines, the first with count and head.

Kept elsewhere, it shows later whether rows were removed or changed (`verify`, `--against`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sessions_app import chain
from sessions_app.models import LedgerRow, Session
from sessions_app.types import Row
from thoth.lib.errors import Invalid
from thoth.lib.text import canonical_json


@dataclass(frozen=True, slots=True)
class LedgerExport:
    """A parsed export. `rows` are canonical rows with `prev_hash` and `hash`."""

    session: str
    count: int
    head: str
    rows: tuple[dict[str, object], ...]


def export_text(session: Session) -> str:
    """The whole ledger of the session as JSON lines ending in a newline."""
    stored = stored_rows(session)
    head: dict[str, object] = {
        "record": "ledger",
        "session": session.public_id,
        "count": session.ledger_count,
        "head": session.ledger_head,
    }
    return "".join(canonical_json(line) + "\n" for line in [head, *stored])


def stored_rows(session: Session) -> list[dict[str, object]]:
    """Every stored row in canonical form with its two hashes, oldest first."""
    rows = LedgerRow.objects.filter(session=session).order_by("seq")
    return [
        chain.canonical(session.public_id, as_row(row))
        | {"prev_hash": row.prev_hash, "hash": row.hash}
        for row in rows
    ]


def as_row(stored: LedgerRow) -> Row:
    """The stored row as the frozen value that everybody else sees."""
    return Row(**{name: getattr(stored, name) for name in Row.__dataclass_fields__})


def parse(text: str) -> LedgerExport:
    """An export read back. Raises: Invalid `export_unreadable` naming the line."""
    # Not splitlines(): a decision may quote characters that it takes for line ends.
    parts = text.replace("\r\n", "\n").split("\n")
    lines = [_line(number, line) for number, line in enumerate(parts, 1) if line]
    if not lines or lines[0].get("record") != "ledger":
        raise _unreadable(1)
    try:
        first = lines[0]
        return LedgerExport(
            str(first["session"]), int(str(first["count"])), str(first["head"]), tuple(lines[1:])
        )
    except (KeyError, ValueError):
        raise _unreadable(1) from None


def _line(number: int, line: str) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _unreadable(number) from None
    if not isinstance(value, dict):
        raise _unreadable(number)
    return value


def _unreadable(line: int) -> Invalid:
    message = f"Line {line} of the export is not one of a ledger export."
    return Invalid("export_unreadable", message, line=line)
