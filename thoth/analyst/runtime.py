"""The embedded model runtime: deterministic, explainable, no network."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable

from thoth.analyst.steps import (
    clarify,
    formulas,
    ground_values,
    link_joins,
    link_schema,
    rewrite,
    sql,
)
from thoth.analyst.steps.base import Work
from thoth.analyst.steps.tools import DeadlinePassed, WatchedTools
from thoth.contracts.steps import Proposal, StepName
from thoth.contracts.task import TaskDocument
from thoth.lib.errors import ThothError, Upstream
from thoth.runtime.port import ModelFailure, OnEvent, Toolbox

logger = logging.getLogger(__name__)

_STEPS: dict[StepName, Callable[[Work], Proposal]] = {
    "clarify": clarify.propose,
    "rewrite": rewrite.propose,
    "ground_values": ground_values.propose,
    "formulas": formulas.propose,
    "link_schema": link_schema.propose,
    "link_joins": link_joins.propose,
    "plan_ctes": sql.plan,
    "rewrite_cte": sql.rewrite_cte,
    "final_sql": sql.final,
}


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

        Technical trouble is a retryable failure: `timeout` past the deadline (looked at first and
        before every tool call), `internal` otherwise. Raises: Upstream when a tool's source is unavailable; that
        is for the caller to wait for, not for the reviewer to retry.
        """
        watched = WatchedTools(tools, deadline, on_event)
        try:
            watched.checkpoint()  # a reading from the cache asks no tool
            proposal = _STEPS[task.step](Work(task, watched, watched.checkpoint))
        except DeadlinePassed:
            return ModelFailure(code="timeout", message="The step's time was over.")
        except Upstream:
            raise
        except ThothError as error:
            return ModelFailure(code="internal", message=error.message)
        except Exception:  # the port's boundary: a bug is a failure that can be retried
            logger.exception("analyst_step_failed session=%s step=%s", task.session_id, task.step)
            message = "The analyst could not finish this step. The error has been logged."
            return ModelFailure(code="internal", message=message)
        if not isinstance(proposal, schema):
            message = f"{task.step} made another kind of proposal."
            return ModelFailure(code="schema_invalid", message=message)
        return proposal
