"""Where a query runs and what holds it back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import psycopg

from thoth.workspaces.models import Workspace

LOCK_TIMEOUT_S = 3.0
IDLE_TIMEOUT_S = 60.0
CONNECT_TIMEOUT_S = 5

type_connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class Target:
    """One warehouse as execution sees it. Seconds, rows, bytes; `dsn` may hold a password."""

    dsn: str = field(repr=False)
    schemas: tuple[str, ...]
    role: str | None = None
    ssl_ca: str | None = None
    allow: frozenset[str] = frozenset({"cte_test", "explain", "preview", "aggregate", "export"})
    functions: frozenset[str] = frozenset()
    statement_timeout_s: float = 30.0
    lock_timeout_s: float = LOCK_TIMEOUT_S
    idle_timeout_s: float = IDLE_TIMEOUT_S
    max_rows: int = 10_000
    max_bytes: int = 16 * 1024 * 1024

    @classmethod
    def of(cls, workspace: Workspace) -> Target:
        """The warehouse that a workspace.yaml describes."""
        execution = workspace.execution
        return cls(
            dsn=workspace.database.dsn.get_secret_value(),
            schemas=workspace.database.schemas,
            role=execution.role,
            ssl_ca=workspace.database.ssl_ca,
            allow=frozenset(execution.allow),
            functions=frozenset(execution.functions),
            statement_timeout_s=execution.statement_timeout_s,
            max_rows=execution.max_rows,
            max_bytes=execution.max_bytes,
        )


@dataclass(frozen=True, slots=True)
class Belts:
    """Each protection, on. Only tests switch one off, to show what it alone holds back.

    `reused` is a connection to use instead of a fresh one: what "thrown away after use" prevents.
    """

    guard: bool = True
    role: bool = True
    read_only: bool = True
    single_statement: bool = True
    statement_timeout: bool = True
    lock_timeout: bool = True
    idle_timeout: bool = True
    search_path: bool = True
    time_zone: bool = True
    row_cap: bool = True
    byte_cap: bool = True
    rollback: bool = True
    reused: type_connection | None = None

    @classmethod
    def none(cls, **on: Any) -> Belts:
        """All off except those named."""
        off = {name: False for name in cls.__slots__ if name != "reused"}
        return cls(**{**off, **on})


ALL_BELTS = Belts()
