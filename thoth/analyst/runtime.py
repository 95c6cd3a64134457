"""The embedded model runtime: deterministic, explainable, no network."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable

from pydantic import ValidationError

from thoth.analyst.steps import (
    clarify,
    formulas,
    ground_values,
    link_joins,
    link_schema,
    rewrite,
    sql,
)
from thoth.analyst.steps.base import Work, prepare
from thoth.contracts.steps import Proposal, StepName
from thoth.contracts.task import TaskDocument
from thoth.lib.errors import ThothError
from thoth.runtime.port import ModelFailure, OnEvent, RunEvent, Toolbox

_log = logging.getLogger(__name__)
_READERS: dict[StepName, Callable[[Work], Proposal]] = {
    "clarify": clarify.propose,
    "rewrite": rewrite.propose,
    "ground_values": ground_values.propose,
    "formulas": formulas.propose,
    "link_schema": link_schema.propose,
    "link_joins": link_joins.propose,
}
_COMPILERS: dict[StepName, Callable[[TaskDocument, Toolbox], Proposal]] = {
    "plan_ctes": sql.plan,
    "rewrite_cte": sql.rewrite_cte,
    "final_sql": sql.final,
}


class _DeadlinePassed(Exception):
    """Between two tool calls the step's time was found to be over."""


class AnalystRuntime:
    """Implements `thoth.runtime.port.Runtime` without a language model."""

    name = "analyst"

    def run(
        self,
        task: TaskDocument,
        tools: Toolbox,
        schema: type[Proposal],
        on_event: OnEvent,
        deadline: dt.datetime,
    ) -> Proposal | ModelFailure:
        """The step's proposal; a `cannot` inside it when the question has no reading.

        Technical trouble of a tool is a retryable `internal` failure with the tool's message.
        """
        try:
            on_event(RunEvent(kind="text_delta", text=f"{task.step}\n"))
            proposal = _proposal(task, tools, deadline)
        except _DeadlinePassed:
            return ModelFailure(code="timeout", message="The step's time was over.")
        except ThothError as error:
            return ModelFailure(code="internal", message=error.message)
        except (ValidationError, LookupError, ValueError, TypeError) as error:
            _log.exception("analyst step %s failed", task.step)
            return ModelFailure(
                code="internal", message=f"The analyst failed: {type(error).__name__}."
            )
        if not isinstance(proposal, schema):
            return ModelFailure(
                code="schema_invalid", message=f"{task.step} made another kind of proposal."
            )
        return proposal


def _proposal(task: TaskDocument, tools: Toolbox, deadline: dt.datetime) -> Proposal:
    def checkpoint() -> None:
        if dt.datetime.now(dt.UTC) >= deadline:
            raise _DeadlinePassed

    checkpoint()
    if task.step in _COMPILERS:
        return _COMPILERS[task.step](task, tools)
    work = prepare(task, tools, checkpoint)
    checkpoint()
    return _READERS[task.step](work)
