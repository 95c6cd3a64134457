"""The runtime as the port sees it: deadlines, failures, events, and how often it reads."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from sessions_app.engine.context import stage_context
from sessions_app.models import Run
from sessions_app.phases.base import Ask as AskStep
from sessions_app.taskdoc import task_document
from sessions_app.toolbox import StageToolbox
from tests.analyst.kit import Ask, finished_sql
from thoth.analyst.runtime import AnalystRuntime
from thoth.analyst.steps.base import forget_readings
from thoth.contracts.steps import PROPOSALS, ClarifyProposal
from thoth.contracts.task import TaskDocument
from thoth.contracts.tools import EvidenceSearch
from thoth.lib.clock import now
from thoth.lib.errors import Upstream
from thoth.runtime.port import ModelFailure, RunEvent

QUESTION = "Quanti ricoveri in day hospital nel 2023?"


@pytest.fixture(autouse=True)
def nothing_read_before() -> None:
    forget_readings()


@pytest.fixture
def clarifying(ask: Ask) -> tuple[TaskDocument, StageToolbox]:
    """The task and tools of the first step of a session that nobody has driven yet."""
    ctx = stage_context(ask(QUESTION).session)
    assert ctx is not None
    tools = StageToolbox(
        ctx.warehouse,
        frozenset(ctx.stage.tools),
        lambda _query: EvidenceSearch(status="not_configured"),
    )
    return task_document(ctx, AskStep("clarify")), tools


def run(task: TaskDocument, tools: Any, *, seconds: float = 60, events: Any = None) -> Any:
    listen = events.append if events is not None else lambda _event: None
    deadline = now() + dt.timedelta(seconds=seconds)
    return AnalystRuntime().run(task, tools, PROPOSALS[task.step], listen, deadline)


def test_the_same_task_gives_the_same_proposal(clarifying: Any) -> None:
    task, tools = clarifying
    first = run(task, tools)
    again = run(task.model_copy(update={"session_id": "another"}), tools)
    assert isinstance(first, ClarifyProposal)
    assert first == again


def test_every_tool_call_is_announced(clarifying: Any) -> None:
    task, tools = clarifying
    events: list[RunEvent] = []
    run(task, tools, events=events)
    assert [e.text for e in events if e.kind == "tool"] == [c["name"] for c in tools.calls]
    assert tools.calls


def test_past_the_deadline_nothing_is_asked(clarifying: Any) -> None:
    task, tools = clarifying
    failure = run(task, tools, seconds=-1)
    assert isinstance(failure, ModelFailure)
    assert (failure.code, failure.retryable, tools.calls) == ("timeout", True, [])


class Broken:
    """Tools that fail with what they are given."""

    def __init__(self, tools: StageToolbox, error: Exception) -> None:
        self.names, self.error = tools.names, error

    def __getattr__(self, name: str) -> Any:
        def fail(*_args: object) -> None:
            raise self.error

        return fail


def test_a_bug_is_a_failure_without_its_trace(clarifying: Any) -> None:
    task, tools = clarifying
    failure = run(task, Broken(tools, RuntimeError("secret detail")))
    assert isinstance(failure, ModelFailure)
    assert failure.code == "internal"
    assert "secret detail" not in failure.message


def test_an_unavailable_source_is_left_to_the_engine(clarifying: Any) -> None:
    task, tools = clarifying
    with pytest.raises(Upstream):
        run(task, Broken(tools, Upstream("warehouse_unreachable", "gone", transient=True)))


def test_one_session_reads_its_question_once(ask: Ask) -> None:
    reviewer = ask(QUESTION)
    finished_sql(reviewer)
    called = Counter(
        (r.step, c["name"]) for r in Run.objects.filter(session=reviewer.session) for c in r.tool_calls
    )  # fmt: skip
    assert called["clarify", "search_values"] == 1
    later = [step for (step, name) in called if name == "search_values" and step != "clarify"]
    assert later == []
