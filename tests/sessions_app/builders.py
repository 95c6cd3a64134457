"""Typed builders for sessions: what tests of this app start from."""

from __future__ import annotations

import datetime as dt
import itertools

from sessions_app import workflow
from sessions_app.models import Session
from thoth.contracts.decisions import Decision

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
