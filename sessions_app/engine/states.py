"""The step loop as one table: in which status what happens, which row it writes, where it leads.

docs/developers/step-loop.md shows the same table; a test compares them and walks every cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thoth.lib.errors import Conflict

Status = Literal["running", "waiting", "blocked", "failed", "paused", "finalised"]
Event = Literal[
    "present",
    "close_silently",
    "fail",
    "block",
    "answer_decisions",
    "answer_text",
    "answer_last",
    "not_meant",
    "exit",
    "resume",
    "retry",
    "steer",
    "rollback",
]
STATUSES: tuple[Status, ...] = ("running", "waiting", "blocked", "failed", "paused", "finalised")
EVENTS: dict[Event, str] = {
    "present": "a finished step presents its widget",
    "close_silently": "a stage with nothing to decide closes by itself",
    "fail": "a step fails",
    "block": "something that a step needs is unavailable",
    "answer_decisions": "an answer chooses options",
    "answer_text": "an answer is in the reviewer's own words",
    "answer_last": "an answer closes the last stage",
    "not_meant": "a reading of the reviewer's words is refused",
    "exit": "the reviewer leaves",
    "resume": "the reviewer comes back",
    "retry": "the reviewer has a failed step tried again",
    "steer": "the reviewer says something unasked",
    "rollback": "the reviewer goes back",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """What happens: the ledger row that is written (empty: none) and the status afterwards."""

    row: str
    status: Status


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing happens; the code says why."""

    code: str


REFUSALS: dict[str, str] = {
    "run_superseded": "The step's result came too late and is dropped.",
    "no_pending_widget": "No question is waiting for an answer. Look again.",
    "session_paused": "The session is paused. Resume it first.",
    "session_finalised": "The session is finalised and can only be read.",
    "nothing_to_retry": "No step has failed.",
    "not_paused": "The session is not paused.",
}
_ROWS: dict[Event, str] = {
    "close_silently": "phase_auto_approved",
    "answer_decisions": "the options' decisions",
    "answer_last": "the options' decisions, phase_approved",
    "rollback": "phase_reopened or decision_retracted",
}
_ANSWERS: tuple[Event, ...] = (
    "answer_decisions",
    "answer_text",
    "answer_last",
    "not_meant",
    "exit",
)
_MACHINE: tuple[Event, ...] = ("present", "close_silently", "fail", "block")


def _column(status: Status) -> dict[Event, Cell | Refused]:
    """The table's column of a status, from the general rules; exceptions follow below."""
    final = status == "finalised"
    no_answer = {"paused": "session_paused", "finalised": "session_finalised"}
    cells: dict[Event, Cell | Refused] = {}
    for event in _MACHINE:
        cells[event] = Refused("run_superseded")
    for event in _ANSWERS:
        cells[event] = Refused(no_answer.get(status, "no_pending_widget"))
    cells["resume"] = Refused("session_finalised" if final else "not_paused")
    cells["retry"] = Refused("session_finalised" if final else "nothing_to_retry")
    cells["steer"] = Refused("session_finalised") if final else Cell("", status)
    back = Cell(_ROWS["rollback"], "running")
    cells["rollback"] = Refused("session_finalised") if final else back
    return cells


TABLE: dict[tuple[Status, Event], Cell | Refused] = {
    (status, event): cell for status in STATUSES for event, cell in _column(status).items()
} | {
    ("running", "present"): Cell("", "waiting"),
    ("running", "close_silently"): Cell(_ROWS["close_silently"], "running"),
    ("running", "fail"): Cell("", "failed"),
    ("running", "block"): Cell("", "blocked"),
    ("waiting", "answer_decisions"): Cell(_ROWS["answer_decisions"], "running"),
    ("waiting", "answer_text"): Cell("", "running"),
    ("waiting", "answer_last"): Cell(_ROWS["answer_last"], "finalised"),
    ("waiting", "not_meant"): Cell("", "running"),
    ("waiting", "exit"): Cell("", "paused"),
    # The pending question is asked anew, with the words in its task document.
    ("waiting", "steer"): Cell("", "running"),
    ("paused", "exit"): Cell("", "paused"),
    ("paused", "resume"): Cell("", "running"),
    ("blocked", "retry"): Cell("", "running"),
    ("failed", "retry"): Cell("", "running"),
}


def after(status: str, event: Event) -> Status:
    """The status that the event leads to. Raises: Conflict with the cell's code."""
    cell = TABLE[_known(status), event]
    if isinstance(cell, Refused):
        raise Conflict(cell.code, REFUSALS[cell.code], status=status)
    return cell.status


def allowed(status: str, event: Event) -> bool:
    """Does the event do anything in this status?"""
    return isinstance(TABLE[_known(status), event], Cell)


def markdown() -> str:
    """The table as docs/developers/step-loop.md shows it."""
    lines = ["| event | " + " | ".join(STATUSES) + " |", "|---" * (len(STATUSES) + 1) + "|"]
    for event, words in EVENTS.items():
        cells = " | ".join(_shown(TABLE[status, event]) for status in STATUSES)
        lines.append(f"| `{event}`: {words} | {cells} |")
    return "\n".join(lines) + "\n"


def _shown(cell: Cell | Refused) -> str:
    if isinstance(cell, Refused):
        return f"refused `{cell.code}`"
    return f"{cell.row or 'no row'} → {cell.status}"


def _known(status: str) -> Status:
    return next(known for known in STATUSES if known == status)
