"""The toolbox as a step sees it: every call is announced, and none is made past the deadline."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TypeVar

from thoth.contracts.tools import (
    EvidenceSearch,
    Explanation,
    JoinSearch,
    MemorySearch,
    SchemaSearch,
    SchemaSlice,
    ValueSearch,
)
from thoth.lib.clock import now
from thoth.runtime.port import OnEvent, RunEvent, Toolbox

R = TypeVar("R")


class DeadlinePassed(Exception):
    """The step's time is over."""


class WatchedTools:
    """A Toolbox over another one. Every method may raise DeadlinePassed."""

    def __init__(self, tools: Toolbox, deadline: dt.datetime, on_event: OnEvent) -> None:
        self.names = tools.names
        self._tools, self._deadline, self._on_event = tools, deadline, on_event

    def checkpoint(self) -> None:
        """Raises: DeadlinePassed."""
        if now() >= self._deadline:
            raise DeadlinePassed

    def _call(self, name: str, work: Callable[[], R]) -> R:
        self.checkpoint()
        self._on_event(RunEvent(kind="tool", text=name))
        return work()

    def search_values(self, text: str) -> ValueSearch:
        return self._call("search_values", lambda: self._tools.search_values(text))

    def search_evidence(self, query: str) -> EvidenceSearch:
        return self._call("search_evidence", lambda: self._tools.search_evidence(query))

    def search_memory(self, query: str) -> MemorySearch:
        return self._call("search_memory", lambda: self._tools.search_memory(query))

    def search_schema(self, text: str) -> SchemaSearch:
        return self._call("search_schema", lambda: self._tools.search_schema(text))

    def render_schema(self, tables: tuple[str, ...]) -> SchemaSlice:
        return self._call("render_schema", lambda: self._tools.render_schema(tables))

    def join_paths(self, tables: tuple[str, ...]) -> JoinSearch:
        return self._call("join_paths", lambda: self._tools.join_paths(tables))

    def explain_sql(self, sql: str) -> Explanation:
        return self._call("explain_sql", lambda: self._tools.explain_sql(sql))
