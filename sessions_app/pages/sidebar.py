"""The right side: documents, Evidence receipts, decisions, model runs."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, F, Func, IntegerField, Q
from django.db.models.functions import Cast

from sessions_app.models import Artifact, Receipt, Run, Session
from sessions_app.pages.labels import sentence, step_label
from sessions_app.types import Row
from sessions_app.view import EffectiveView
from thoth.lib.errors import NotFound

BYTES_PER_TOKEN = 3  # of the task document's budget
RUNS_LIMIT = 50


@dataclass(frozen=True, slots=True)
class ArtifactLine:
    name: str
    stage: str
    created_at: dt.datetime


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    stage: str
    purpose: str
    generation: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """`effective` False: taken back or undone by going back."""

    seq: int
    text: str
    author: str
    at: dt.datetime | None
    effective: bool


@dataclass(frozen=True, slots=True)
class RunLine:
    """One attempt at a step. `tokens` estimates what the model was shown."""

    id: int
    step: str
    status: str
    failure_code: str
    seconds: float | None
    tokens: int
    tools: int


@dataclass(frozen=True, slots=True)
class Sidebar:
    artifacts: tuple[ArtifactLine, ...]
    receipts: tuple[ReceiptLine, ...]
    decisions: tuple[DecisionLine, ...]
    effective_count: int
    runs: tuple[RunLine, ...]
    ledger_count: int
    ledger_head: str


@dataclass(frozen=True, slots=True)
class RunDetail:
    """What the model saw, did and proposed in one run; JSON as indented text."""

    step: str
    status: str
    seconds: float | None
    tokens: int
    task: str
    tool_calls: tuple[dict[str, Any], ...]
    proposal: str
    failure: str
    usage: dict[str, Any]


def sidebar(session: Session, view: EffectiveView, rows: list[Row], runs: list[RunLine]) -> Sidebar:
    """The sidebar (two queries)."""
    decisions = _decisions(view, rows)
    return Sidebar(
        artifacts=_artifacts(session),
        receipts=_receipts(session),
        decisions=decisions,
        effective_count=sum(line.effective for line in decisions),
        runs=tuple(runs),
        ledger_count=session.ledger_count,
        ledger_head=session.ledger_head,
    )


def run_lines(session: Session) -> list[RunLine]:
    """The runs that asked the model or failed, newest first, without their documents (one query)."""
    sized = (
        Run.objects.filter(session=session)
        .filter(Q(task_document__isnull=False) | ~Q(failure_code=""))
        .annotate(
            size_bytes=Func(
                Cast("task_document", CharField()),
                function="octet_length",
                output_field=IntegerField(),
            ),
            calls=Func(F("tool_calls"), function="jsonb_array_length", output_field=IntegerField()),
        )
        .order_by("-id")
    )
    fields = (
        "id",
        "step",
        "status",
        "failure_code",
        "started_at",
        "finished_at",
        "size_bytes",
        "calls",
    )
    return [_run_line(values) for values in sized.values(*fields)[:RUNS_LIMIT]]


def run_detail(session: Session, run_id: int) -> RunDetail:
    """One run of the session in full. Raises: NotFound `run_not_found`."""
    run = Run.objects.filter(session=session, pk=run_id).first()
    if run is None:
        raise NotFound("run_not_found", "There is no such run in this session.")
    task = _json(run.task_document)
    return RunDetail(
        step=step_label(run.step),
        status=run.status,
        seconds=_seconds(run.started_at, run.finished_at),
        tokens=_tokens(len(task.encode())),
        task=task,
        tool_calls=tuple(run.tool_calls),
        proposal=_json(run.proposal),
        failure=" ".join(part for part in (run.failure_code, run.failure_message) if part),
        usage=run.usage,
    )


def _artifacts(session: Session) -> tuple[ArtifactLine, ...]:
    query = Artifact.objects.filter(session=session).order_by("name")
    return tuple(
        ArtifactLine(*values) for values in query.values_list("name", "stage", "created_at")
    )


def _receipts(session: Session) -> tuple[ReceiptLine, ...]:
    query = Receipt.objects.filter(session=session).order_by("id")
    fields = ("stage", "purpose", "vector_generation", "evidence_ids")
    return tuple(
        ReceiptLine(stage, purpose, generation, tuple(ids))
        for stage, purpose, generation, ids in query.values_list(*fields)
    )


def _decisions(view: EffectiveView, rows: list[Row]) -> tuple[DecisionLine, ...]:
    return tuple(
        DecisionLine(row.seq, sentence(row), row.author, row.created_at, row.seq in view.by_seq)
        for row in reversed(rows)
    )


def _run_line(values: dict[str, Any]) -> RunLine:
    return RunLine(
        id=values["id"],
        step=step_label(values["step"]),
        status=values["status"],
        failure_code=values["failure_code"],
        seconds=_seconds(values["started_at"], values["finished_at"]),
        tokens=_tokens(values["size_bytes"] or 0),
        tools=values["calls"] or 0,
    )


def _seconds(start: dt.datetime, end: dt.datetime | None) -> float | None:
    return round((end - start).total_seconds(), 1) if end else None


def _tokens(size_bytes: int) -> int:
    return -(-size_bytes // BYTES_PER_TOKEN)


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value is not None else ""
