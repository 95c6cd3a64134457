"""Sessions with ledgers of any length, written by the product's own `ledger.append`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions_app.models import Session
    from thoth.contracts.decisions import Decision

AUTHOR = "local"
_BATCH = 1_000
_numbers = itertools.count(1)


def session_new(workspace: str = "bench", question: str = "Quante ablazioni per anno?") -> Session:
    """A session at the start of the workflow; its id says nothing of when it was made."""
    from sessions_app import workflow
    from sessions_app.models import Session
    from thoth.lib import clock

    flow = workflow.default()
    first = next(iter(flow.stages))
    return Session.objects.create(
        public_id=f"bench-{next(_numbers)}",
        workspace=workspace,
        question=question,
        language="it",
        author=AUTHOR,
        workflow=workflow.current_version(),
        phase=flow.phase_of(first).id,
        stage=first,
        today=clock.now().date(),
    )


def decide(session: Session, decisions: Iterable[Decision], *, widget: str = "") -> None:
    """The decisions, appended in batches; closing rows among them move the session on."""
    from django.db import transaction

    from sessions_app import ledger

    waiting = list(decisions)
    for start in range(0, len(waiting), _BATCH):
        with transaction.atomic():
            ledger.append(session, waiting[start : start + _BATCH], author=AUTHOR, widget=widget)
    session.refresh_from_db()


def clarifications(count: int, *, first: int = 1) -> list[Decision]:
    """Clarified concepts with definitions of an ordinary length (about 120 characters)."""
    from thoth.contracts.decisions import Decision

    return [
        Decision(
            type="concept_clarified",
            subject=f"concetto {number}",
            detail=f"concetto {number} come lo intende il reparto",
            payload={
                "definition": f"Il concetto numero {number}, inteso come la data della prima "
                "procedura registrata per il paziente nell'anno solare di riferimento.",
                "columns": [f"dw.t{number % 90 + 1}.c1"],
            },
        )
        for number in range(first, first + count)
    ]


def closed(*stages: str) -> Sequence[Decision]:
    """The rows that close these stages."""
    from sessions_app import ledger

    return [ledger.closing(stage) for stage in stages]
