"""The state table: every cell, against the running engine and against its page in the docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sessions_app import ledger, services
from sessions_app.engine import advance as stepping
from sessions_app.engine import states, work
from sessions_app.engine.states import EVENTS, STATUSES, TABLE, Cell, Event, Refused, Status
from sessions_app.models import FreeText, Run, Session, Widget
from sessions_app.phases.base import AutoAdvance
from tests.sessions_app.kit import Reviewer, start
from thoth.lib.errors import ThothError
from thoth.runtime.port import ModelFailure

DOCS = Path(__file__).parents[3] / "docs" / "developers" / "step-loop.md"
OUTCOMES: dict[str, Callable[[], work.Result]] = {
    "close_silently": lambda: work.Result(presented=AutoAdvance("nothing to do")),
    "fail": lambda: work.Result(failure=ModelFailure(code="crashed", message="It crashed.")),
    "block": lambda: work.Result(
        failure=ModelFailure(code="internal", message="No Evidence."),
        blocked="evidence_unavailable",
    ),
}
MACHINE = ("present", *OUTCOMES)


@dataclass
class Scene:
    """A session in some status; `claimed` is the machine's step that will end in it."""

    reviewer: Reviewer
    claimed: object = None


def in_status(cardio: str, status: Status, event: Event) -> Scene:
    """A session in the status, for this event to happen to."""
    reviewer = start(cardio)
    if event not in MACHINE:
        put_into(reviewer, status, event)
        return Scene(reviewer)
    if event == "close_silently":
        # Only a stage that may close by itself: memory.
        reviewer.choose("calendar")
        services.answer(reviewer.public_id, confirm(reviewer), actor=reviewer.actor)
    claimed = stepping._begin(reviewer.public_id)
    place = {"phase": "", "stage": ""} if status == "finalised" else {}
    Session.objects.filter(public_id=reviewer.public_id).update(status=status, **place)
    return Scene(reviewer, claimed)


def confirm(reviewer: Reviewer) -> dict[str, object]:
    widget = reviewer.widget
    return {"type": "ui_response", "id": widget["id"], "kind": "select", "choice": "confirm"}


def put_into(reviewer: Reviewer, status: Status, event: Event) -> None:
    """Take the session there by what really leads there."""
    if status == "running":
        return
    if status == "finalised":
        reviewer.finish()
        return
    if event == "answer_last":
        reviewer.until("closure")
    if event == "not_meant":
        services.steer(reviewer.public_id, text="only 2023", actor=reviewer.actor)
    reviewer.drive()
    if status == "paused":
        services.pause(reviewer.public_id, actor=reviewer.actor)
    elif status in ("failed", "blocked"):
        Widget.objects.filter(status="pending").update(status="superseded")
        Session.objects.filter(public_id=reviewer.public_id).update(
            status=status, failure_code="crashed", failure_message="It crashed."
        )


def answer_with(reviewer: Reviewer, **fields: object) -> object:
    widget = Widget.objects.filter(session=reviewer.session).order_by("-number").first()
    uid = widget.uid if widget else "u1"
    body: dict[str, object] = {"type": "ui_response", "id": uid, **fields}
    return services.answer(reviewer.public_id, body, actor=reviewer.actor)


def fire(reviewer: Reviewer, event: Event, claimed: object) -> object:
    """Let the event happen. Raises what the engine raises."""
    session, actor = reviewer.session, reviewer.actor
    if event in MACHINE:
        assert isinstance(claimed, stepping._Claimed)
        outcome = OUTCOMES.get(event)
        stepping._settle(claimed, outcome() if outcome else stepping._work(claimed))
        run = Run.objects.get(pk=claimed.lease.run_id)
        if run.status == Run.Status.SUPERSEDED:
            raise ThothError("run_superseded", "")
        return None
    actions: dict[str, Callable[[], object]] = {
        "answer_decisions": lambda: answer_with(reviewer, kind="select", choice="calendar"),
        "answer_text": lambda: answer_with(reviewer, control="other", text="by quarter"),
        "answer_last": lambda: answer_with(reviewer, kind="select", choice="csv"),
        "not_meant": lambda: services.not_meant(session.public_id, text_id="t1", actor=actor),
        "exit": lambda: services.pause(session.public_id, actor=actor),
        "resume": lambda: services.resume(session.public_id, actor=actor),
        "retry": lambda: services.retry(session.public_id, actor=actor),
        "steer": lambda: services.steer(session.public_id, text="only 2023", actor=actor),
        "rollback": lambda: services.rollback(
            session.public_id, target="F1", actor=actor, expected_version=session.version
        ),
    }
    return actions[event]()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("status", STATUSES)
def test_every_cell_of_the_table(cardio: str, steered_transcript: None, status: Status) -> None:
    ended: Scene | None = None  # what is refused changes nothing: one finalised session is enough
    for event in EVENTS:
        scene = ended if ended and event not in MACHINE else in_status(cardio, status, event)
        if status == "finalised" and event not in MACHINE:
            ended = scene
        cell = TABLE[status, event]
        if isinstance(cell, Refused):
            assert_refused(scene, event, cell)
        else:
            assert_happens(scene, event, cell)


def assert_happens(scene: Scene, event: Event, cell: Cell) -> None:
    rows = len(ledger.rows(scene.reviewer.session))
    fire(scene.reviewer, event, scene.claimed)
    assert scene.reviewer.session.status == cell.status, event
    written = ledger.rows(scene.reviewer.session)[rows:]
    assert [row.type for row in written] == expected_rows(cell, event)


def assert_refused(scene: Scene, event: Event, cell: Refused) -> None:
    before = scene.reviewer.session.status
    rows = len(ledger.rows(scene.reviewer.session))
    with pytest.raises(ThothError) as refused:
        fire(scene.reviewer, event, scene.claimed)
    # Without a pending question an answer names one that is gone or was never there.
    gone = {"widget_not_found", "widget_superseded", "widget_already_answered"}
    allowed = {cell.code} | (gone if event.startswith("answer") else set())
    assert refused.value.code in allowed, event
    assert scene.reviewer.session.status == before
    assert len(ledger.rows(scene.reviewer.session)) == rows


def expected_rows(cell: Cell, event: Event) -> list[str]:
    """The types that the words of the cell mean in this scenario."""
    if not cell.row:
        return []
    return {
        "answer_decisions": ["concept_clarified"],
        "answer_last": ["datamart_requested", "phase_approved"],
        "close_silently": ["phase_auto_approved"],
        "rollback": ["phase_reopened"],
    }[event]


def test_the_table_is_complete() -> None:
    assert set(TABLE) == {(status, event) for status in STATUSES for event in EVENTS}
    codes = {cell.code for cell in TABLE.values() if isinstance(cell, Refused)}
    assert codes == set(states.REFUSALS)


def test_the_docs_show_the_same_table() -> None:
    assert states.markdown() in DOCS.read_text(encoding="utf-8")


@pytest.mark.django_db(transaction=True)
def test_steering_a_paused_session_is_taken_up_when_it_goes_on(
    cardio: str, steered_transcript: None
) -> None:
    reviewer = start(cardio)
    first = reviewer.widget
    services.pause(reviewer.public_id, actor=reviewer.actor)
    services.steer(reviewer.public_id, text="only 2023", actor=reviewer.actor)
    services.resume(reviewer.public_id, actor=reviewer.actor)
    assert reviewer.widget["id"] != first["id"]
    assert FreeText.objects.get().status == FreeText.Status.ADDRESSED
