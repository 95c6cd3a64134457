"""The port to the model: one call = one step. Nothing persists in the model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

from thoth.contracts.schema import Frozen
from thoth.contracts.steps import Proposal
from thoth.contracts.task import TaskDocument
from thoth.contracts.tools import (
    EvidenceSearch,
    Explanation,
    JoinSearch,
    MemorySearch,
    SchemaSearch,
    SchemaSlice,
    ValueSearch,
)


class Toolbox(Protocol):
    """Read-only tools of one step. A tool the stage does not list raises Forbidden `tool_not_in_stage`.

    All results are bounded and logged in the Run.
    """

    names: frozenset[str]

    def search_values(self, text: str) -> ValueSearch: ...
    def search_evidence(self, query: str) -> EvidenceSearch: ...
    def search_memory(self, query: str) -> MemorySearch: ...
    def search_schema(self, text: str) -> SchemaSearch: ...
    def render_schema(self, tables: tuple[str, ...]) -> SchemaSlice: ...
    def join_paths(self, tables: tuple[str, ...]) -> JoinSearch: ...
    def explain_sql(self, sql: str) -> Explanation: ...


FailureCode = Literal[
    "not_installed", "no_provider", "auth", "refused", "rate_limit", "timeout", "crashed",
    "malformed", "oversized", "schema_invalid", "rule_invalid", "cancelled", "internal",
]  # fmt: skip


class ModelFailure(Frozen):
    """The step failed; shown to the reviewer with a Retry.

    `corrected`: the model has already been told once what was wrong, and tried again.
    """

    code: FailureCode
    message: str
    retryable: bool = True
    corrected: bool = False


class RunEvent(Frozen):
    """Progress of a call: a piece of text or a tool's name."""

    kind: Literal["text_delta", "tool"]
    text: str


OnEvent = Callable[[RunEvent], None]


@runtime_checkable
class Watch(Protocol):
    """A toolbox may also tell what happens outside while the model works; asked twice a second."""

    def steering(self) -> list[str]:
        """What the reviewer has written since the last call."""
        ...

    def cancelled(self) -> bool:
        """Is the step no longer wanted?"""
        ...


class Runtime(Protocol):
    """A model runtime: analyst, scripted, Pi."""

    name: str

    def run(
        self,
        task: TaskDocument,
        tools: Toolbox,
        schema: type[Proposal],
        on_event: OnEvent,
        deadline: dt.datetime,
    ) -> Proposal | ModelFailure:
        """Answer one step with an instance of `schema`, or say why not."""
        ...
