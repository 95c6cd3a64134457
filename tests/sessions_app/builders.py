"""Typed builders for sessions: what tests of this app start from."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from collections.abc import Iterable
from pathlib import Path

from django.db import transaction

from sessions_app import artifacts, ledger, workflow
from sessions_app.documents import Candidate, CtePlan, SchemaLinking
from sessions_app.models import Session, Widget
from sessions_app.types import Row
from thoth.contracts.decisions import Decision, TablePromoted
from thoth.contracts.steps import CteDraft

DATA = Path(__file__).parents[1] / "data"
_numbers = itertools.count(1)
NOW = dt.datetime(2026, 6, 25, 10, 15, tzinfo=dt.UTC)


def make_session(**fields: object) -> Session:
    """A new session at the start of the installed workflow."""
    version = workflow.current_version()
    first = next(iter(workflow.default().stages))
    values: dict[str, object] = {
        "public_id": f"2026-06-25-101500-question-{next(_numbers)}",
        "workspace": "cardiologia",
        "question": "Quante ablazioni per anno?",
        "language": "it",
        "author": "ada",
        "workflow": version,
        "phase": workflow.default().phase_of(first).id,
        "stage": first,
        "today": NOW.date(),
        "created_at": NOW,
    }
    return Session.objects.create(**(values | fields))


def clarified(concept: str, definition: str = "as written", **more: object) -> Decision:
    """A clarification of a concept, as F1 and F2 emit it."""
    payload = {"definition": definition} | more
    return Decision(type="concept_clarified", subject=concept, payload=payload)


def rewritten(text: str = "Numero di ablazioni per anno") -> Decision:
    """An approved rewriting."""
    payload: dict[str, object] = {"text": text, "intent": {"population": "ablazione"}}
    return Decision(type="question_rewritten", subject="question", payload=payload)


def promoted(table: str = "dw.fact_ablazione") -> Decision:
    """A promoted table."""
    return Decision(type="table_promoted", subject=table)


def cte_approved(name: str, text: str) -> Decision:
    """The approval of a CTE's text."""
    payload: dict[str, object] = {"sha256": artifacts.sha256_of(text)}
    return Decision(type="cte_approved", subject=name, payload=payload)


def sql_approved(text: str = "SELECT 1") -> Decision:
    """The approval of the final SQL."""
    payload: dict[str, object] = {"sha256": artifacts.sha256_of(text)}
    return Decision(type="sql_approved", subject="sql_final", payload=payload)


def make_widget(session: Session, *, status: str = "pending", kind: str = "select") -> Widget:
    """The session's next widget, at its current stage."""
    session.refresh_from_db()
    number = session.widget_count + 1
    Session.objects.filter(pk=session.pk).update(widget_count=number)
    answered = status in {"answered", "undone"}
    return Widget.objects.create(
        session=session,
        uid=f"u{number}",
        number=number,
        phase=session.phase,
        stage=session.stage,
        kind=kind,
        request={"title": f"widget {number}"},
        status=status,
        shown_version=session.version,
        answer={"kind": kind} if answered else None,
        answer_hash="0" * 64 if answered else "",
        answered_by="ada" if answered else "",
        answered_at=NOW if answered else None,
        created_at=NOW,
    )


def answer(session: Session, *decisions: Decision, files: Iterable[tuple[str, str]] = ()) -> Widget:
    """An answered widget with the documents and decisions that its answer made."""
    widget = make_widget(session, status="answered")
    with transaction.atomic():
        for name, text in files:
            artifacts.put(session, name, text, stage=session.stage, widget=widget.uid, now=NOW)
        ledger.append(session, decisions, author="ada", widget=widget.uid, now=NOW)
    session.refresh_from_db()
    return widget


def decide(session: Session, *decisions: Decision, widget: str = "") -> list[Row]:
    """Append decisions as the engine does."""
    with transaction.atomic():
        return ledger.append(session, decisions, author="ada", widget=widget, now=NOW)


def linking_json() -> str:
    """A valid schema_linking.json."""
    candidate = Candidate(table="dw.fact_ablazione", decision=TablePromoted())
    return SchemaLinking(candidates=(candidate,)).model_dump_json()


def plan_json(*names: str) -> str:
    """A CTE plan with these names."""
    drafts = tuple(CteDraft(name=name, purpose="p", sql="SELECT 1") for name in names)
    return CtePlan(ctes=drafts).model_dump_json()


def walk(session: Session, until: str) -> Session:
    """Answer every stage before `until` (a stage's name, or "end") as a reviewer would."""
    steps = {
        "clarification": lambda: (
            answer(session, clarified("ablazione")),
            answer(session, ledger.closing("clarification")),
        ),
        "memory": lambda: decide(session, ledger.closing("memory", auto=True)),
        "rewriting": lambda: answer(
            session, rewritten(), ledger.closing("rewriting"), files=[("question.md", "# Q")]
        ),
        "schema_linking": lambda: (
            answer(session, promoted()),
            answer(session, promoted("dw.dim_tempo")),
            answer(session, ledger.closing("schema_linking")),
        ),
        "synthesis": lambda: answer(
            session,
            ledger.closing("synthesis"),
            files=[("schema_linking.json", linking_json())],
        ),
        "cte": lambda: (
            answer(
                session,
                cte_approved("per_anno", "SELECT 1"),
                files=[("cte_plan.json", plan_json("per_anno")), ("ctes/per_anno.sql", "SELECT 1")],
            ),
            answer(session, ledger.closing("cte")),
        ),
        "final_sql": lambda: answer(
            session,
            sql_approved("SELECT 2"),
            ledger.closing("final_sql"),
            files=[("sql_final.sql", "SELECT 2"), ("validation_report.md", "fine")],
        ),
        "closure": lambda: answer(
            session, Decision(type="datamart_declined", subject="datamart"), _end()
        ),
    }
    while session.stage not in {until, ""}:
        steps[session.stage]()
        session.refresh_from_db()
    if until == "end":
        Session.objects.filter(pk=session.pk).update(status=Session.Status.FINALISED)
        session.refresh_from_db()
    return session


def examples() -> list[Decision]:
    """One decision of every type that a ledger may hold."""
    text = (DATA / "ledger" / "decisions.jsonl").read_text(encoding="utf-8")
    return [Decision(**json.loads(line)) for line in text.splitlines()]


def _end() -> Decision:
    return ledger.closing("closure")
