"""The effective view: what the ledger says *now*. One pure function, read by everybody.

`phase_reopened` and `decision_retracted` never enter the view; a retraction removes its target; a
reopening of a phase removes every row of that phase and of later ones. The current stage is the
first in workflow order without a closing row in the view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sessions_app.types import Row
from sessions_app.workflow import Workflow
from thoth.lib.text import whole_number

CLOSING_TYPES = frozenset({"phase_approved", "phase_auto_approved"})
_NEVER_IN_VIEW = frozenset({"phase_reopened", "decision_retracted"})


@dataclass(frozen=True)
class EffectiveView:
    """The surviving rows in order of `seq` and what follows from them.

    `stage` and `phase` are None when every stage is closed: the session is finalised.
    """

    workflow: Workflow
    rows: tuple[Row, ...]
    closed: frozenset[str]  # names of stages
    stage: str | None
    phase: str | None

    @property
    def finalised(self) -> bool:
        return self.stage is None

    @cached_property
    def by_seq(self) -> dict[int, Row]:
        return {row.seq: row for row in self.rows}

    @cached_property
    def decisions(self) -> tuple[Row, ...]:
        """The rows without the closing ones."""
        return tuple(row for row in self.rows if closed_stage(row) is None)

    def of_type(self, *types: str) -> tuple[Row, ...]:
        """Effective rows of these types, oldest first."""
        return tuple(row for row in self.rows if row.type in types)

    def latest(self, *types: str, subject: str | None = None) -> Row | None:
        """The newest effective row of these types (about this subject)."""
        found = (r for r in self._backwards(types) if subject is None or r.subject == subject)
        return next(found, None)

    def latest_by_subject(self, *types: str) -> dict[str, Row]:
        """For each subject the newest row of these types: the last word on each thing."""
        return {row.subject: row for row in self.of_type(*types)}

    def of_widget(self, uid: str) -> tuple[Row, ...]:
        """Effective rows that came from the answer to this widget."""
        return tuple(row for row in self.rows if row.widget == uid)

    def reached(self, phase: str) -> bool:
        """Has the session got to this phase?"""
        if self.phase is None:
            return True
        index = self.workflow.phase_index
        return index[phase] <= index[self.phase]

    def _backwards(self, types: tuple[str, ...]) -> Iterator[Row]:
        return (row for row in reversed(self.rows) if row.type in types)


def closed_stage(row: Row) -> str | None:
    """The name of the stage that this row closes, or None."""
    if row.type in CLOSING_TYPES and row.subject.startswith("stage:"):
        return row.subject.removeprefix("stage:")
    return None


def named_seq(subject: str) -> int | None:
    """N of a subject `seq:N`; None when it is not one."""
    return whole_number(subject.removeprefix("seq:"))


def effective(workflow: Workflow, rows: Iterable[Row]) -> EffectiveView:
    """Fold rows (in order of `seq`) into the view. Linear: rows are kept by phase, so that a
    reopening drops whole phases and every row is dropped at most once.

    Raises KeyError when a row names a phase that the workflow does not have.
    """
    index = workflow.phase_index
    kept: list[dict[int, Row]] = [{} for _ in workflow.phases]
    for row in rows:
        if row.type not in _NEVER_IN_VIEW:
            kept[index[row.phase]][row.seq] = row
        elif row.type == "phase_reopened":
            for phase in kept[index[row.subject.removeprefix("phase:")] :]:
                phase.clear()
        else:
            target = named_seq(row.subject)
            for phase in kept:
                phase.pop(-1 if target is None else target, None)
    return _view(workflow, sorted((r for p in kept for r in p.values()), key=lambda r: r.seq))


def _view(workflow: Workflow, rows: list[Row]) -> EffectiveView:
    closed = frozenset(name for row in rows if (name := closed_stage(row)) is not None)
    stage = next((name for name in workflow.stages if name not in closed), None)
    phase = workflow.phase_of(stage).id if stage is not None else None
    return EffectiveView(workflow, tuple(rows), closed, stage, phase)
