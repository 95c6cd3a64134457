"""Where a rollback leads: `again`, `previous`, or the id of a phase, resolved for a session."""

from __future__ import annotations

from dataclasses import dataclass

from sessions_app import ledger
from sessions_app.errors import LedgerRefused
from sessions_app.models import Session, Widget
from sessions_app.types import Row
from sessions_app.view import EffectiveView, closed_stage, effective
from sessions_app.workflow import of
from thoth.lib.errors import Conflict


@dataclass(frozen=True)
class Scope:
    """What a rollback undoes: everything of `phases`, or (`again`) the answer to `widget`.

    `view` is the effective view before, `rows` all rows of the ledger. `repeats`: the phase was
    just reopened, so the ledger gets no second row.
    """

    view: EffectiveView
    rows: tuple[Row, ...]
    phase: str  # where the session will be
    phases: tuple[str, ...] = ()
    widget: Widget | None = None

    @property
    def repeats(self) -> bool:
        last = self.rows[-1] if self.rows else None
        return (
            self.widget is None
            and last is not None
            and last.type == "phase_reopened"
            and last.phase == self.phase
        )

    @property
    def removed(self) -> tuple[Row, ...]:
        """The effective rows that will leave the view, closings included."""
        if self.widget is not None:
            return self.view.of_widget(self.widget.uid)
        return tuple(row for row in self.view.rows if row.phase in self.phases)


def resolve(session: Session, target: str) -> Scope:
    """The scope of `again`, `previous` or a phase id.

    Raises: LedgerRefused `session_finalised`, `reopening_unknown_phase`, `reopening_later_phase`;
    Conflict `nothing_to_answer_again`, `answer_closed_its_stage`, `no_previous_phase`.
    """
    return _resolve(session, ledger.rows(session), target)


def available(session: Session) -> dict[str, str]:
    """The targets that can be offered now, each with the phase it leads to; empty when finalised.

    Keys: `again`, `previous` (when possible) and the id of every phase reached.
    """
    rows = ledger.rows(session)
    offered = {}
    for target in ("again", "previous", *of(session).phase_index):
        try:
            offered[target] = _resolve(session, rows, target).phase
        except Conflict:
            continue
    return offered


def _resolve(session: Session, rows: list[Row], target: str) -> Scope:
    view = effective(of(session), rows)
    if view.phase is None:
        raise LedgerRefused("session_finalised")
    if target == "again":
        return _again(session, view, tuple(rows), view.phase)
    phase = _previous(session, view, view.phase) if target == "previous" else target
    index = view.workflow.phase_index
    if phase not in index:
        raise LedgerRefused("reopening_unknown_phase", phase)
    if index[phase] > index[view.phase]:
        raise LedgerRefused("reopening_later_phase", f"{phase} comes after {view.phase}.")
    return Scope(view, tuple(rows), phase, view.workflow.phases_from(phase))


def _again(session: Session, view: EffectiveView, rows: tuple[Row, ...], phase: str) -> Scope:
    widget = ledger.last_answered(session)
    if widget is None or widget.phase != phase:
        raise Conflict("nothing_to_answer_again", "Nothing of this phase has been answered yet.")
    if any(closed_stage(row) for row in view.of_widget(widget.uid)):
        message = "The last answer closed its stage. Reopen the phase to answer it again."
        raise Conflict("answer_closed_its_stage", message)
    return Scope(view, rows, phase, widget=widget)


def _previous(session: Session, view: EffectiveView, phase: str) -> str:
    answered = Widget.objects.filter(session=session, status=Widget.Status.ANSWERED)
    index = view.workflow.phase_index
    earlier = {
        name for name in answered.values_list("phase", flat=True) if index[name] < index[phase]
    }
    if not earlier:
        raise Conflict("no_previous_phase", "Nothing has been answered in an earlier phase.")
    return max(earlier, key=index.__getitem__)
