"""What the database says, in our words: a stable code, no stack trace, no stored value."""

from __future__ import annotations

import psycopg
from psycopg import errors as pg

from thoth.lib.errors import Forbidden, Invalid, ThothError, Upstream
from thoth.warehouse.guard.errors import place

# Messages of these classes quote stored values ("invalid input syntax for type integer: …").
_QUOTES_VALUES = ("22", "23", "P0")


_TIMEOUTS: dict[type[psycopg.Error], tuple[str, bool]] = {
    pg.QueryCanceled: ("The query took too long and was stopped.", False),
    pg.LockNotAvailable: (
        "The query waited too long for a lock that somebody else holds. Try again later.",
        True,
    ),
    pg.IdleInTransactionSessionTimeout: (
        "The result was not fetched in time, so the warehouse closed the connection.",
        True,
    ),
}


def unreachable(error: psycopg.Error) -> Upstream:
    """The connection could not be made. The driver's text may name host and user, never a password."""
    reason = "wrong user or password" if _is_login(error) else _why_not(error)
    message = f"The warehouse cannot be reached ({reason}). Check its address and try again."
    return Upstream("warehouse_unreachable", message, transient=not _is_login(error))


def _is_login(error: psycopg.Error) -> bool:
    said = str(error)
    signs = ("authentication failed", "not permitted to log in")
    return (error.sqlstate or "").startswith("28") or any(sign in said for sign in signs)


def _why_not(error: psycopg.Error) -> str:
    # While connecting the driver has no SQLSTATE, only the server's words.
    return "the server refuses the connection" if "FATAL" in str(error) else "no answer"


def no_role(error: psycopg.Error, role: str | None) -> ThothError:
    """The session's settings were refused; the usual reason is a role that may not be taken."""
    if role is None or not error.sqlstate or error.sqlstate[:2] in ("08", "57"):
        return translated(error)
    message = (
        f"The login may not act as the role {role} (execution.role). Grant it, or name another."
    )
    return Forbidden("warehouse_permission", message, sqlstate=error.sqlstate)


def translated(
    error: psycopg.Error, *, sql: str = "", prefix_chars: int = 0, hide_values: bool = False
) -> ThothError:
    """The error for a failure while a query ran.

    `prefix_chars`: how much of ours stood before `sql`. `hide_values`: the query reads identifying
    columns, so a message that may quote stored values is replaced.
    """
    state = error.sqlstate or ""
    for kind, (message, transient) in _TIMEOUTS.items():
        if isinstance(error, kind):
            return Upstream("warehouse_timeout", message, transient=transient, sqlstate=state)
    if isinstance(error, pg.InsufficientPrivilege):
        message = f"The warehouse role may not do this: {_primary(error)}"
        return Forbidden("warehouse_permission", message, sqlstate=state)
    if not state or state[:2] in ("08", "57"):
        message = "The connection to the warehouse broke while the query ran. Try again."
        return Upstream("warehouse_died", message, transient=True, sqlstate=state)
    return _rejected(error, state, sql, prefix_chars, hide_values=hide_values)


def _rejected(
    error: psycopg.Error, state: str, sql: str, prefix_chars: int, *, hide_values: bool
) -> Invalid:
    hidden = hide_values and state[:2] in _QUOTES_VALUES
    reason = f"a stored value does not fit the expression ({state})" if hidden else _primary(error)
    message = f"The database rejected the SQL: {reason}"
    offset = _offset(error, prefix_chars)
    if offset is None or not 0 <= offset <= len(sql):
        return Invalid("sql_rejected_by_database", message, sqlstate=state)
    where = place(sql, offset)
    return Invalid(
        "sql_rejected_by_database",
        f"{message} ({where})",
        sqlstate=state,
        position=offset,
        place=where,
    )


def _primary(error: psycopg.Error) -> str:
    return (error.diag.message_primary or "no reason given")[:500]


def _offset(error: psycopg.Error, prefix_chars: int) -> int | None:
    position = error.diag.statement_position
    return int(position) - 1 - prefix_chars if position and position.isdigit() else None


def too_large(max_bytes: int) -> Invalid:
    message = f"The result is larger than {max_bytes} bytes. Select fewer columns or rows."
    return Invalid("result_too_large", message, limit=max_bytes)


def cancelled() -> Upstream:
    return Upstream("warehouse_cancelled", "The query was cancelled.", transient=True)
