"""What a step may use: the stage's tools, Evidence, Memory; what it records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sessions_app import services
from sessions_app.check import check
from sessions_app.models import Event, Receipt, Run, Session
from sessions_app.phases import memory
from sessions_app.phases.base import AutoAdvance, Present, Shown
from sessions_app.toolbox import StageToolbox
from sessions_app.warehouse import SessionWarehouse
from tests.sessions_app.kit import ADA, Reviewer, describe_workspace, transcript
from tests.sessions_app.taskdoc.test_task_document import context
from thoth.contracts.tools import EvidenceSearch, MemoryHit
from thoth.lib.errors import Forbidden, Invalid
from thoth.workspaces.facade import workspace_get, workspace_write

Scripted = Callable[..., None]


@pytest.mark.django_db(transaction=True)
def test_a_run_records_what_the_model_saw_called_and_said(reviewer: Reviewer) -> None:
    reviewer.drive()
    run = Run.objects.get()
    assert run.status == Run.Status.DONE
    assert run.task_document is not None
    assert run.task_document["step"] == "clarify"
    assert [(c["name"], c["argument"]) for c in run.tool_calls] == [
        ("search_values", "transcatetere")
    ]
    assert run.proposal is not None
    assert run.proposal["ambiguity"]["concept"] == "per anno"
    assert run.text_so_far == "Looking at the years…"
    assert run.usage == {"runtime": "scripted", "rounds": 1}
    kinds = list(Event.objects.values_list("kind", flat=True))
    assert kinds == ["model_started", "model_finished", "ui_request"]


@pytest.mark.django_db(transaction=True)
def test_a_tool_of_another_stage_fails_the_step(reviewer: Reviewer, scripted: Scripted) -> None:
    scripted(transcript()[0] | {"tools": [["explain_sql", "SELECT 1"]]})
    session = reviewer.drive()
    assert (session.status, session.failure_code) == ("failed", "tool_not_in_stage")


def toolbox(*names: str) -> StageToolbox:
    def no_evidence(query: str) -> EvidenceSearch:
        return EvidenceSearch(status="not_configured", message=query)

    return StageToolbox(SessionWarehouse("cardio"), frozenset(names), no_evidence)


def test_tools_are_bounded_and_named() -> None:
    tools = toolbox("render_schema", "search_evidence")
    with pytest.raises(Invalid) as refused:
        tools.render_schema(tuple(f"dw.t{n}" for n in range(9)))
    assert refused.value.code == "too_many_tables"
    with pytest.raises(Forbidden):
        tools.search_values("x")
    assert tools.search_evidence("q" * 600).status == "not_configured"
    assert [(c["name"], len(str(c["argument"]))) for c in tools.calls] == [("search_evidence", 500)]


@pytest.mark.django_db(transaction=True)
def test_unavailable_evidence_blocks_the_stage_until_a_retry(reviewer: Reviewer) -> None:
    described = workspace_get("cardio").model_dump(mode="json")
    dsn = workspace_get("cardio").database.dsn.get_secret_value()
    workspace_write(
        document=described
        | {"database": described["database"] | {"dsn": dsn}}
        | {"evidence": {"layout_version": 2, "repository": "repository.git"}},
        overwrite=True,
    )
    session = reviewer.drive()
    assert (session.status, session.failure_code) == ("blocked", "evidence_unavailable")
    assert "no_active_generation" in session.failure_message
    assert Event.objects.filter(kind="model_failed").count() == 1
    assert not Receipt.objects.exists()
    assert check(session) == []
    describe_workspace(dsn)
    services.retry(session.public_id, actor=ADA)
    assert reviewer.drive().status == Session.Status.WAITING


class Remembering(SessionWarehouse):
    """A workspace whose Memory has something to say."""

    def memory(self, query: str) -> tuple[MemoryHit, ...]:
        assert query
        return (
            MemoryHit(
                id="mem-0007", subject="ablazione", detail="counts", rationale="said", score=0.9
            ),
            MemoryHit(id="mem-0008", subject="anno", detail="calendar", rationale="", score=0.8),
        )


def built(warehouse: SessionWarehouse, **more: Any) -> Shown | AutoAdvance:
    ctx = context(stage="memory", **more)
    ctx = type(ctx)(**{**ctx.__dict__, "warehouse": warehouse})
    step = memory.next_step(ctx)
    assert isinstance(step, Present)
    return step.build(ctx)


def test_remembered_clarifications_are_offered_and_none_is_ticked() -> None:
    shown = built(Remembering("cardio"))
    assert isinstance(shown, Shown)
    assert [(o.id, o.selected) for o in shown.draft.options] == [
        ("mem-0007", False),
        ("mem-0008", False),
    ]
    chosen = shown.draft.options[0].decision
    assert chosen is not None
    assert chosen.payload == {"definition": "counts", "memory_id": "mem-0007"}
    assert chosen.rationale.startswith("mem-0007")
    assert shown.draft.allow_empty
