"""One step outside any transaction: task document, model, gate's rules, widget."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.utils.translation import override

from sessions_app import taskdoc
from sessions_app.engine import evidence
from sessions_app.engine.rules import check_proposal
from sessions_app.phases import conduct
from sessions_app.phases.base import Ask, Present, Presented, ProposalRefused, StageContext
from sessions_app.toolbox import StageToolbox
from thoth.contracts.steps import PROPOSALS, Proposal
from thoth.contracts.task import TaskDocument
from thoth.lib.clock import now
from thoth.runtime.port import ModelFailure, RunEvent, Runtime, Watch
from thoth.runtime.registry import runtime_for


@dataclass(slots=True)
class Result:
    """What a step came to: one of `presented` and `failure`; and its records."""

    presented: Presented | None = None
    failure: ModelFailure | None = None
    proposal: Proposal | None = None
    task: TaskDocument | None = None
    tool_calls: list[dict[str, object]] = field(default_factory=list)
    usage: dict[str, object] = field(default_factory=dict)
    receipt: evidence.Shown | None = None
    code: str = ""  # of the error that failed the step, when it was not the model's
    blocked: str = ""  # of what is unavailable, when the stage has to wait for it


def build(ctx: StageContext, step: Present) -> Result:
    """A widget that needs no model."""
    with override(ctx.session.language):
        return Result(presented=step.build(ctx))


def ask(
    ctx: StageContext,
    step: Ask,
    *,
    taken_back: Sequence[dict[str, object]],
    on_event: Callable[[RunEvent], None],
    watch: Watch | None = None,
) -> Result:
    """The model's proposal as a widget, after at most one corrective round.

    Raises: what the warehouse and Evidence raise (Upstream): the caller blocks the stage.
    """
    searched = evidence.search(ctx)
    result = Result(receipt=searched)
    tools = StageToolbox(ctx.warehouse, frozenset(ctx.stage.tools), searched.search_more, watch)
    runtime = runtime_for(ctx.session.workspace)
    corrections: list[str] = []
    with override(ctx.session.language):
        for _round in range(2):
            task = taskdoc.task_document(
                ctx,
                step,
                evidence=searched.found.hits,
                taken_back=taken_back,
                corrections=corrections,
            )
            result.task = task
            refused = _attempt(ctx, task, runtime, tools, on_event, result)
            if refused is None:
                break
            corrections.append(f"{refused.code}: {refused.message}")
            result.failure = ModelFailure(code="rule_invalid", message=refused.message)
            result.code = refused.code
    result.tool_calls = tools.calls
    result.usage = {
        **getattr(runtime, "usage", {}),
        "runtime": runtime.name,
        "rounds": len(corrections) + (result.failure is None),
    }
    return result


def _attempt(
    ctx: StageContext,
    task: TaskDocument,
    runtime: Runtime,
    tools: StageToolbox,
    on_event: Callable[[RunEvent], None],
    result: Result,
) -> ProposalRefused | None:
    """One call. Fills `result`; returns why the gate refuses the proposal, if it does."""
    deadline = now() + dt.timedelta(seconds=settings.THOTH_STEP_DEADLINE_S)
    answer = runtime.run(task, tools, PROPOSALS[task.step], on_event, deadline)
    if isinstance(answer, ModelFailure):
        if answer.code == "schema_invalid" and not answer.corrected:
            return ProposalRefused("schema_invalid", answer.message)
        result.failure, result.code = answer, ""
        return None
    result.proposal = answer
    try:
        result.presented = _presented(ctx, task, answer)
    except ProposalRefused as refused:
        return refused
    result.failure, result.code = None, ""
    return None


def _presented(ctx: StageContext, task: TaskDocument, proposal: Proposal) -> Presented:
    schema = PROPOSALS[task.step]
    if not isinstance(proposal, schema):
        raise ProposalRefused("schema_invalid", f"The step needs a {schema.__name__}.")
    check_proposal(task, proposal)
    return conduct(ctx.stage.stage).present(ctx, task.step, proposal)
