"""A connection for one query: fresh, restricted, rolled back, closed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
from psycopg import sql as composed
from psycopg.conninfo import make_conninfo

from thoth.warehouse.execute.errors import no_role, unreachable
from thoth.warehouse.execute.gate import ByteGate
from thoth.warehouse.execute.target import CONNECT_TIMEOUT_S, Belts, Target, type_connection

# Fixed, so that one text means one thing everywhere: how strings are read, how values are written.
_FIXED = {
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "row_security": "on",
}
# The server stops a query whose client is gone. Older or other systems do not know it.
_DISCONNECT_CHECK = "SELECT set_config('client_connection_check_interval', '2s', false)"
_CANCEL_TIMEOUT_S = 3.0


class RunHandle:
    """Lets another thread stop the query that was started with it."""

    def __init__(self) -> None:
        self._connection: type_connection | None = None
        self._lock = threading.Lock()
        self.is_cancelled = False

    def cancel(self) -> None:
        """Stop the query now, or before it starts. Harmless when it is over, or twice."""
        with self._lock:
            self.is_cancelled = True
            if self._connection is not None:
                with contextlib.suppress(psycopg.Error):
                    self._connection.cancel_safe(timeout=_CANCEL_TIMEOUT_S)

    def _watch(self, connection: type_connection | None) -> None:
        with self._lock:
            self._connection = connection


@dataclass(slots=True)
class Session:
    connection: type_connection
    gate: ByteGate | None
    handle: RunHandle

    def arm(self, max_bytes: int) -> None:
        if self.gate is not None:
            self.gate.arm(max_bytes)

    @property
    def is_over_limit(self) -> bool:
        return self.gate is not None and self.gate.tripped


@contextlib.contextmanager
def open_session(target: Target, belts: Belts, handle: RunHandle) -> Iterator[Session]:
    """A transaction with every belt on; nothing that happens in it outlives it.

    Raises: Upstream `warehouse_unreachable`; what `translated` makes of the settings' failure.
    """
    with contextlib.ExitStack() as stack:
        conninfo = _conninfo(target)
        gate = stack.enter_context(ByteGate(conninfo)) if belts.byte_cap else None
        connection = belts.reused or stack.enter_context(
            contextlib.closing(_connect(gate.conninfo if gate else conninfo))
        )
        handle._watch(connection)  # noqa: SLF001 - the two are one thing
        stack.callback(handle._watch, None)  # noqa: SLF001
        try:
            _prepare(connection, target, belts)
        except psycopg.Error as error:
            raise no_role(error, target.role if belts.role else None) from error
        stack.callback(_end, connection, belts)
        yield Session(connection, gate, handle)


def _conninfo(target: Target) -> str:
    extra: dict[str, str | int] = {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "application_name": "thoth",
        "client_encoding": "utf8",
    }
    if target.ssl_ca:
        extra |= {"sslrootcert": target.ssl_ca, "sslmode": "verify-full"}
    return make_conninfo(target.dsn, **extra)


def connect(target: Target) -> type_connection:
    """An ordinary connection in autocommit, for introspection; with the role, if one is named.

    Raises: Upstream `warehouse_unreachable`; Forbidden `warehouse_permission`.
    """
    connection = _connect(_conninfo(target))
    try:
        if target.role:
            _set(connection, {"role": target.role})
        _set(
            connection, {**_FIXED, "statement_timeout": "60s", "search_path": "pg_catalog, pg_temp"}
        )
    except psycopg.Error as error:
        connection.close()
        raise no_role(error, target.role) from error
    return connection


def _connect(conninfo: str) -> type_connection:
    try:
        return psycopg.connect(conninfo, autocommit=True, prepare_threshold=None)
    except psycopg.Error as error:
        raise unreachable(error) from error


def _prepare(connection: type_connection, target: Target, belts: Belts) -> None:
    with contextlib.suppress(psycopg.errors.UndefinedObject, psycopg.errors.InvalidParameterValue):
        connection.execute(_DISCONNECT_CHECK)
    settings = {**_FIXED, **_belt_settings(target, belts)}
    # The role last: it may be allowed less than the login.
    if belts.role and target.role:
        settings["role"] = target.role
    _set(connection, settings)
    connection.execute("BEGIN READ ONLY" if belts.read_only else "BEGIN")


def _belt_settings(target: Target, belts: Belts) -> dict[str, str]:
    milliseconds = {
        "statement_timeout": (belts.statement_timeout, target.statement_timeout_s),
        "lock_timeout": (belts.lock_timeout, target.lock_timeout_s),
        "idle_in_transaction_session_timeout": (belts.idle_timeout, target.idle_timeout_s),
    }
    settings = {name: f"{limit * 1000:.0f}ms" for name, (on, limit) in milliseconds.items() if on}
    if belts.search_path:
        settings["search_path"] = search_path(target.schemas)
    if belts.time_zone:
        settings["TimeZone"] = "UTC"
    return settings


def search_path(schemas: tuple[str, ...]) -> str:
    """Built-ins first, the workspace's schemas, temporary tables last."""
    quoted = [composed.Identifier(schema).as_string(None) for schema in schemas]
    return ", ".join(["pg_catalog", *quoted, "pg_temp"])


def _set(connection: type_connection, settings: dict[str, str]) -> None:
    """All in one round trip, in order."""
    calls = composed.SQL(", ").join(composed.SQL("set_config(%s, %s, false)") for _ in settings)
    values = [part for pair in settings.items() for part in pair]
    connection.execute(composed.SQL("SELECT {}").format(calls), values)


def _end(connection: type_connection, belts: Belts) -> None:
    with contextlib.suppress(psycopg.Error):
        connection.execute("ROLLBACK" if belts.rollback else "COMMIT")
