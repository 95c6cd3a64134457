"""The workflow bar: every phase with its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sessions_app.pages.labels import phase_label
from sessions_app.types import Row
from sessions_app.view import EffectiveView, closed_stage

State = Literal["done", "now", "reopened", "todo"]


@dataclass(frozen=True, slots=True)
class Station:
    """A phase. `reachable`: the reviewer can go back to it."""

    id: str
    label: str
    state: State
    reachable: bool


def stations(view: EffectiveView, rows: Sequence[Row], *, may_go_back: bool) -> tuple[Station, ...]:
    """The phases in order. `reopened` were closed once and are not closed now."""
    once = {row.phase for row in rows if closed_stage(row) is not None}
    return tuple(
        Station(
            id=phase.id,
            label=phase_label(phase),
            state=_state(phase.id, view, once),
            reachable=may_go_back and view.reached(phase.id),
        )
        for phase in view.workflow.phases
    )


def _state(phase: str, view: EffectiveView, once: set[str]) -> State:
    if phase == view.phase:
        return "now"
    if view.reached(phase):
        return "done"
    return "reopened" if phase in once else "todo"
