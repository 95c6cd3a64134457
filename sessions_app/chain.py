"""The hash chain over a session's ledger rows.

hash = HMAC-SHA256(THOTH_LEDGER_KEY, canonical row ‖ prev_hash). Canonical: JSON with sorted keys and
no blanks, UTF-8, time in UTC with microseconds, no floats. Without the key nobody can re-hash a
changed chain.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from sessions_app.types import Row
from thoth.lib.text import canonical_json


def canonical(session_id: str, row: Row) -> dict[str, object]:
    """What is hashed of a row, and what an export says of it. `session_id` is the public one."""
    return {
        "session": session_id,
        "seq": row.seq,
        "type": row.type,
        "phase": row.phase,
        "stage": row.stage,
        "subject": row.subject,
        "detail": row.detail,
        "rationale": row.rationale,
        "payload": row.payload,
        "author": row.author,
        "widget": row.widget,
        "created_at": _moment(row.created_at),
    }


def row_hash(session_id: str, row: Row, prev_hash: str) -> str:
    """The hash (64 hex digits) of a row that follows the one hashed `prev_hash`."""
    return hash_of(canonical(session_id, row), prev_hash)


def hash_of(canonical_row: dict[str, object], prev_hash: str) -> str:
    """The hash of an already canonical row. Raises ImproperlyConfigured without a key."""
    if not settings.THOTH_LEDGER_KEY:
        raise ImproperlyConfigured("Set THOTH_LEDGER_KEY: the ledger cannot be signed without it.")
    message = (canonical_json(canonical_row) + prev_hash).encode()
    return hmac.new(settings.THOTH_LEDGER_KEY.encode(), message, hashlib.sha256).hexdigest()


def _moment(moment: dt.datetime | None) -> str:
    if moment is None:
        raise ValueError("a ledger row has a time")
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
