"""The read-only tools of one step. What the stage does not list is refused; every call is recorded."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from sessions_app.warehouse import SessionWarehouse
from thoth.contracts.tools import (
    EvidenceSearch,
    Explanation,
    JoinSearch,
    MemorySearch,
    SchemaSearch,
    SchemaSlice,
    ValueSearch,
)
from thoth.lib.errors import Forbidden, Invalid
from thoth.lib.limits import TOOL_TABLES_MAX
from thoth.runtime.port import Watch


class _Result(Protocol):
    @property
    def text(self) -> str: ...


R = TypeVar("R", bound=_Result)
ARGUMENT_LOGGED_CHARS = 500


class StageToolbox:
    """A stage's tools over one session's warehouse, Evidence and Memory (port `Toolbox`).

    `calls` lists what was called: name, argument, size of the text (bytes), milliseconds.
    """

    def __init__(
        self,
        warehouse: SessionWarehouse,
        names: frozenset[str],
        search_evidence: Callable[[str], EvidenceSearch],
        watch: Watch | None = None,
    ) -> None:
        self.names = names
        self.calls: list[dict[str, object]] = []
        self._warehouse = warehouse
        self._evidence = search_evidence
        self._watch = watch

    def search_values(self, text: str) -> ValueSearch:
        return self._call("search_values", text, lambda: self._warehouse.search_values(text))

    def search_evidence(self, query: str) -> EvidenceSearch:
        return self._call("search_evidence", query, lambda: self._evidence(query))

    def search_memory(self, query: str) -> MemorySearch:
        return self._call(
            "search_memory", query, lambda: MemorySearch(hits=self._warehouse.memory(query))
        )

    def search_schema(self, text: str) -> SchemaSearch:
        return self._call("search_schema", text, lambda: self._warehouse.search_schema(text))

    def render_schema(self, tables: tuple[str, ...]) -> SchemaSlice:
        self._check_tables(tables)
        return self._call(
            "render_schema", ", ".join(tables), lambda: self._warehouse.render_schema(tables)
        )

    def join_paths(self, tables: tuple[str, ...]) -> JoinSearch:
        self._check_tables(tables)
        return self._call(
            "join_paths", ", ".join(tables), lambda: self._warehouse.join_paths(tables)
        )

    def explain_sql(self, sql: str) -> Explanation:
        return self._call("explain_sql", sql, lambda: self._warehouse.explain(sql))

    def steering(self) -> list[str]:
        """What the reviewer has said since the last call (port `Watch`)."""
        return self._watch.steering() if self._watch else []

    def cancelled(self) -> bool:
        """Is the step no longer wanted? (port `Watch`)"""
        return self._watch.cancelled() if self._watch else False

    def _check_tables(self, tables: tuple[str, ...]) -> None:
        if len(tables) > TOOL_TABLES_MAX:
            message = f"At most {TOOL_TABLES_MAX} tables a call; {len(tables)} were asked for."
            raise Invalid("too_many_tables", message)

    def _call(self, name: str, argument: str, work: Callable[[], R]) -> R:
        if name not in self.names:
            raise Forbidden("tool_not_in_stage", f"The tool {name} is not available in this stage.")
        started = time.monotonic()
        result = work()
        self.calls.append(
            {
                "name": name,
                "argument": argument[:ARGUMENT_LOGGED_CHARS],
                "bytes": len(result.text.encode()),
                "ms": round((time.monotonic() - started) * 1000),
            }
        )
        return result
