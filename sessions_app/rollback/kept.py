""" "Keep these answers": what the reopened phase had decided, to be offered again.

The widget is built by the engine; chosen decisions are appended as new rows with `restored_from`, and
`artifacts.restore` brings the files of restored approvals back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sessions_app import ledger, workflow
from sessions_app.models import FreeText, Session
from sessions_app.types import Row
from sessions_app.view import closed_stage, effective
from thoth.contracts.decisions import Decision


@dataclass(frozen=True, slots=True)
class Reopening:
    """The latest reopening of a phase and the decisions of that phase that it removed.

    `with_text`: the reviewer said what should be different, so nothing is preselected.
    """

    seq: int
    phase: str
    with_text: bool
    removed: tuple[Row, ...]


def reopening_of(session: Session, phase: str) -> Reopening | None:
    """The latest reopening of the session if it reopened `phase`, else None.

    Decisions of later phases are not offered, nor are closings. After moving on to another phase,
    or when another phase was reopened since, there is none.
    """
    rows = ledger.rows(session)
    position = next(
        (i for i in reversed(range(len(rows))) if rows[i].type == "phase_reopened"), None
    )
    if position is None or rows[position].phase != phase:
        return None
    before = effective(workflow.of(session), rows[:position])
    removed = tuple(row for row in before.decisions if row.phase == phase)
    texts = FreeText.objects.filter(
        session=session, kind=FreeText.Kind.ROLLBACK, about=f"phase:{phase}"
    ).exclude(status=FreeText.Status.DROPPED)
    return Reopening(rows[position].seq, phase, texts.exists(), removed)


def removed_decisions(session: Session, phase: str) -> tuple[Row, ...]:
    """The decisions of `phase` that its latest reopening removed, oldest first."""
    reopening = reopening_of(session, phase)
    return reopening.removed if reopening else ()


def keep_decisions(rows: Iterable[Row]) -> list[Decision]:
    """The rows as new decisions that say in `restored_from` where they come from."""
    return [ledger.as_decision(row, restored=True) for row in rows if closed_stage(row) is None]
