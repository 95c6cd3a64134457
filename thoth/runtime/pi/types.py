"""What a run of Pi is given, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from thoth.lib.limits import TOOL_RESULT_MAX_BYTES

PROTOCOL = "thoth/1"  # also in agent/extension.mjs

Args = Mapping[str, object]
OutcomeCode = Literal[
    "proposed", "no_proposal", "model_error", "timeout", "crashed", "start_failed", "protocol_error",
    "output_limit", "budget", "cancelled", "rejected_prompt", "not_installed",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Provider:
    """Where the model is. `api` is Pi's name of the wire format; the key goes by environment only."""

    api: str
    base_url: str
    model: str
    key: str = field(default="", repr=False)
    context_tokens: int = 32_768
    answer_tokens: int = 8_192


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it. `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, object]
    terminal: bool = False  # its accepted call ends the run


@dataclass(frozen=True, slots=True)
class PiRequest:
    """One step. `message` is what the user says; it never begins the line that Pi reads."""

    provider: Provider
    system_prompt: str
    message: str
    tools: tuple[ToolSpec, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run: seconds, bytes, counts. Pi itself has none."""

    deadline_s: float = 300.0
    model_requests: int = 24
    tool_calls: int = 80
    proposals: int = 2  # the first, and one more after it was told what is wrong
    line_bytes: int = 4 * 1024 * 1024
    output_bytes: int = 12 * 1024 * 1024
    answer_bytes: int = TOOL_RESULT_MAX_BYTES
    idle_s: float = 120.0  # of a silent model server
    poll_s: float = 0.5  # how often steering and cancelling are looked for


@dataclass(frozen=True, slots=True)
class Accept:
    """The proposal is taken; the run ends."""

    value: object


@dataclass(frozen=True, slots=True)
class Refuse:
    """The proposal is not taken; the model reads `reason` and may try again within the limits."""

    reason: str


class ToolRefused(Exception):
    """A tool could not answer; the model reads the message and goes on."""


class Handlers(Protocol):
    """What answers the run, in the caller's thread.

    `call` raises ToolRefused for what the model should know; whatever else it raises ends the run
    and reaches the caller of `run_step`.
    """

    def call(self, tool: str, args: Args, left_s: float) -> str: ...
    def propose(self, args: Args) -> Accept | Refuse: ...
    def steering(self) -> list[str]: ...
    def cancelled(self) -> bool: ...
    def on_text(self, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class SimpleHandlers:
    """Handlers of a run that has no tools besides its proposal."""

    accept: Callable[[Args], Accept | Refuse]

    def call(self, tool: str, args: Args, left_s: float) -> str:  # noqa: ARG002 - the port's
        raise ToolRefused("This tool does not exist in this step.")

    def propose(self, args: Args) -> Accept | Refuse:
        return self.accept(args)

    def steering(self) -> list[str]:
        return []

    def cancelled(self) -> bool:
        return False

    def on_text(self, text: str) -> None:
        """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `value` is what `Accept` held; `message` never holds the key.

    `status` is the model server's HTTP status when it gave one. `refusals` are the reasons why
    proposals were not taken, by `propose` or by Pi, which checks the schema first;
    `bad_arguments` counts the latter: they never reached us.
    `usage` are tokens: input, output, cacheRead, cacheWrite.
    """

    code: OutcomeCode
    value: object = None
    message: str = ""
    text: str = ""
    status: int | None = None
    refusals: tuple[str, ...] = ()
    bad_arguments: int = 0
    model_requests: int = 0
    tool_calls: int = 0
    usage: Mapping[str, int] = field(default_factory=dict)
    exit_code: int | None = None
    stderr: str = ""
    duration_s: float = 0.0
