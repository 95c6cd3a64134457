"""The model runtime that asks a language model through Pi: one caged process for each step."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import logging

from pydantic import ValidationError

from thoth.contracts.steps import Proposal
from thoth.contracts.task import TaskDocument
from thoth.lib.clock import now
from thoth.lib.errors import Invalid
from thoth.runtime.document import render
from thoth.runtime.pi import tools as pi_tools
from thoth.runtime.pi.failures import failure_of
from thoth.runtime.pi.installation import Installation
from thoth.runtime.pi.prompts import system_prompt
from thoth.runtime.pi.providers import model_of, provider_of
from thoth.runtime.pi.runner import run_step
from thoth.runtime.pi.types import Accept, Args, Limits, Outcome, PiRequest, Refuse
from thoth.runtime.port import ModelFailure, OnEvent, RunEvent, Toolbox, Watch

logger = logging.getLogger(__name__)

_REASONS_MAX = 5


class PiRuntime:
    """Implements `thoth.runtime.port.Runtime`. `usage` says afterwards what the last step took."""

    name = "pi"

    def __init__(self, installation: Installation | None = None) -> None:
        self._installation = installation
        self.usage: dict[str, object] = {}

    def run(
        self,
        task: TaskDocument,
        tools: Toolbox,
        schema: type[Proposal],
        on_event: OnEvent,
        deadline: dt.datetime,
    ) -> Proposal | ModelFailure:
        """The step's proposal, validated, or a failure that says what to do.

        A proposal that is not of the schema is returned to the model once, in the same run.
        Raises: Upstream of the tools; Workspace… when workspace.yaml cannot be read.
        """
        try:
            model = model_of(task.workspace)
            provider = provider_of(model)
        except Invalid as error:
            if error.code != "no_provider":
                raise
            return ModelFailure(code="no_provider", message=error.message)
        offered = (
            *pi_tools.tool_specs(tools.names),
            pi_tools.propose_spec(schema.model_json_schema()),
        )
        request = PiRequest(provider, system_prompt(task.step), render(task), offered)
        handlers = _StepHandlers(tools, schema, on_event, withhold=model.withholds_values)
        limits = _limits(task, deadline)
        outcome = run_step(request, handlers, limits, self._installation)
        self.usage = _usage(outcome, provider.model)
        if isinstance(outcome.value, Proposal):
            return outcome.value
        _log(task, outcome)
        return failure_of(outcome, provider)


def _limits(task: TaskDocument, deadline: dt.datetime) -> Limits:
    # A task that already carries a correction is the second round: no third one.
    corrected = any(rule.startswith("Correction: ") for rule in task.rules)
    left_s = max(0.0, (deadline - now()).total_seconds())
    return Limits(deadline_s=left_s, proposals=1 if corrected else 2)


class _StepHandlers:
    """Answers the run from the toolbox; the proposal is judged here and nowhere else."""

    def __init__(
        self, tools: Toolbox, schema: type[Proposal], on_event: OnEvent, *, withhold: bool
    ) -> None:
        self._tools = tools
        self._schema = schema
        self._on_event = on_event
        self._withhold = withhold
        self._watch = tools if isinstance(tools, Watch) else None

    def call(self, tool: str, args: Args, left_s: float) -> str:  # noqa: ARG002 - tools are bounded
        self._on_event(RunEvent(kind="tool", text=tool))
        return pi_tools.call(self._tools, tool, args, withhold=self._withhold)

    def propose(self, args: Args) -> Accept | Refuse:
        try:
            return Accept(validated(self._schema, args))
        except ValueError as error:
            return Refuse(str(error))

    def steering(self) -> list[str]:
        return self._watch.steering() if self._watch else []

    def cancelled(self) -> bool:
        return self._watch.cancelled() if self._watch else False

    def on_text(self, text: str) -> None:
        self._on_event(RunEvent(kind="text_delta", text=text))


def validated(schema: type[Proposal], args: Args) -> Proposal:
    """The proposal, strictly: Pi turns 5 into "5" where the schema says text, we turn nothing.

    Raises: ValueError whose message names fields and rules, never what stood there.
    """
    text = json.dumps(args)
    if "\\u0000" in text or _has_lone_surrogate(args):
        raise ValueError("the proposal contains a character that cannot be stored")
    try:
        return schema.model_validate_json(text, strict=True)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        reasons = [f"{'.'.join(map(str, e['loc'])) or 'proposal'}: {e['msg']}" for e in found]
        more = f" (and {len(reasons) - _REASONS_MAX} more)" if len(reasons) > _REASONS_MAX else ""
        raise ValueError("; ".join(reasons[:_REASONS_MAX]) + more) from None


def _has_lone_surrogate(args: Args) -> bool:
    try:
        json.dumps(args, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _usage(outcome: Outcome, model: str) -> dict[str, object]:
    return {
        "model": model,
        "tokens": dict(outcome.usage),
        "model_requests": outcome.model_requests,
        "tool_calls": outcome.tool_calls,
        "duration_s": outcome.duration_s,
        "outcome": outcome.code,
    }


def _log(task: TaskDocument, outcome: Outcome) -> None:
    seen = dataclasses.replace(outcome, text="", value=None)
    logger.warning("pi_step_failed session=%s step=%s %s", task.session_id, task.step, seen)
