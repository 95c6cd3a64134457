"""Is the ledger what was written? Finds a changed byte, a removed tail, a re-hashed chain.

Somebody who owns the database can disable triggers, but cannot sign without the key; and to hide a
removed tail would also have to change the session's count and head, the log, and every export.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sessions_app import chain, ledger_export
from sessions_app.models import Session
from sessions_app.models.session import GENESIS
from sessions_app.types import Finding
from thoth.lib.errors import Invalid

_LOGGED = re.compile(r"ledger_append session=(\S+) count=(\d+) head=([0-9a-f]{64})")

StoredRow = Mapping[str, object]


def verify(
    session: Session, *, against: str | None = None, log_lines: Iterable[str] = ()
) -> list[Finding]:
    """Every contradiction in the session's ledger; empty when it is intact.

    `against` is the text of an earlier export, `log_lines` are lines of the product's log. Codes:
    `row_missing`, `row_changed`, `chain_broken`, `tail_removed`, `rows_added`, `head_differs`,
    `export_changed`, `export_incomplete`, `differs_from_export`, `differs_from_log`.
    Raises: Invalid `export_unreadable`, `export_of_other_session`.
    """
    session.refresh_from_db(fields=["ledger_count", "ledger_head"])
    rows = ledger_export.stored_rows(session)
    findings = [*_chain(rows), *_against_session(session, rows)]
    findings += _against_log(session.public_id, rows, log_lines)
    if against is not None:
        findings += _against_export(session.public_id, rows, ledger_export.parse(against))
    return findings


def _chain(rows: Sequence[StoredRow]) -> Iterator[Finding]:
    previous, expected = GENESIS, 1
    for row in rows:
        seq = int(str(row["seq"]))
        if seq != expected:
            yield Finding("row_missing", f"Row {expected} is missing before row {seq}.")
        if row["prev_hash"] != previous:
            yield Finding("chain_broken", f"Row {seq} does not follow the row before it.")
        if not _signed(row):
            yield Finding("row_changed", f"Row {seq} is not what was signed when it was written.")
        previous, expected = str(row["hash"]), seq + 1


def _signed(row: StoredRow) -> bool:
    content = {key: value for key, value in row.items() if key not in {"hash", "prev_hash"}}
    return hmac.compare_digest(chain.hash_of(content, str(row["prev_hash"])), str(row["hash"]))


def _against_session(session: Session, rows: Sequence[StoredRow]) -> Iterator[Finding]:
    if len(rows) < session.ledger_count:
        message = f"The session counts {session.ledger_count} rows; {len(rows)} are stored."
        yield Finding("tail_removed", message)
    elif len(rows) > session.ledger_count:
        message = f"The session counts {session.ledger_count} rows; {len(rows)} are stored."
        yield Finding("rows_added", message)
    if _hash_at(rows, len(rows)) != session.ledger_head:
        yield Finding("head_differs", "The last row is not the one the session names as its head.")


def _against_log(public_id: str, rows: Sequence[StoredRow], lines: Iterable[str]) -> list[Finding]:
    heads = (match.groups() for line in lines if (match := _LOGGED.search(line)))
    return [
        finding
        for name, count, head in heads
        if name == public_id
        for finding in _against_head(rows, int(count), head, "log")
    ]


def _against_export(
    public_id: str, rows: Sequence[StoredRow], export: ledger_export.LedgerExport
) -> Iterator[Finding]:
    if export.session != public_id:
        message = f"The export is of session {export.session}, not of {public_id}."
        raise Invalid("export_of_other_session", message)
    try:
        broken = list(_chain(export.rows))
    except (KeyError, ValueError):
        raise Invalid("export_unreadable", "A row of the export lacks a field.") from None
    if broken:
        yield Finding("export_changed", f"The export itself was changed: {broken[0].message}")
    if len(export.rows) != export.count or _hash_at(export.rows, export.count) != export.head:
        yield Finding("export_incomplete", f"The export does not hold its {export.count} rows.")
    yield from _against_head(rows, export.count, export.head, "export")


def _against_head(
    rows: Sequence[StoredRow], count: int, head: str, source: str
) -> Iterator[Finding]:
    if count > len(rows):
        message = f"The {source} knows {count} rows; {len(rows)} are stored."
        yield Finding("tail_removed", message)
    elif _hash_at(rows, count) != head:
        message = f"Row {count} is not the one that the {source} knows."
        yield Finding(f"differs_from_{source}", message)


def _hash_at(rows: Sequence[StoredRow], count: int) -> str | None:
    if count == 0:
        return GENESIS
    return str(rows[count - 1]["hash"]) if count <= len(rows) else None
