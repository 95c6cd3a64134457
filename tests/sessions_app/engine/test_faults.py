"""kill -9 at every named point: nothing is lost, nothing doubled, the session goes on."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connections
from pytest_django.fixtures import Settings

from sessions_app import ledger, services
from sessions_app.check import check
from sessions_app.engine.faults import POINTS
from sessions_app.models import Session, Widget
from sessions_app.verify import verify
from tests.sessions_app.engine.test_whole_way import rows_of
from tests.sessions_app.kit import EXPECTED_ROWS, Reviewer

pytestmark = pytest.mark.django_db(transaction=True)


def killed_at(point: str, settings: Settings, action: Callable[[], object]) -> bool:
    """Run `action` in a child process that dies at `point`; whether it died there."""
    connections.close_all()  # a child must not share the parent's socket
    child = os.fork()
    if child == 0:
        try:
            settings.THOTH_FAULT = point
            action()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def swept(session: Session) -> None:
    """What beat does, until the session waits or is at its end."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for public_id in services.sessions_to_advance():
            services.drive(public_id)
        session.refresh_from_db()
        if session.status != Session.Status.RUNNING:
            return
        time.sleep(0.05)
    raise AssertionError("the session did not go on")


def scenario(point: str, reviewer: Reviewer) -> Callable[[], object]:
    """What is going on when the process dies, and what the reviewer would send."""
    place, _, _ = point.partition(".")
    if place == "advance":
        return reviewer.drive
    if place == "rollback":
        reviewer.until("schema_linking", "link_schema")
        session = reviewer.session
        return lambda: services.rollback(
            session.public_id, target="F1", actor=reviewer.actor, expected_version=session.version
        )
    if place == "finalise":
        reviewer.until("closure")
        widget = reviewer.widget["id"]
        return lambda: answer_once(reviewer, widget, "decline")
    widget = reviewer.widget["id"]
    return lambda: answer_once(reviewer, widget, "calendar")


def answer_once(reviewer: Reviewer, widget: str, choice: str) -> object:
    body: dict[str, object] = {
        "type": "ui_response",
        "id": widget,
        "kind": "select",
        "choice": choice,
    }
    return services.answer(reviewer.public_id, body, actor=reviewer.actor)


@pytest.mark.parametrize("point", POINTS)
def test_a_process_killed_at_a_point_loses_and_doubles_nothing(
    point: str, reviewer: Reviewer, settings: Settings
) -> None:
    settings.THOTH_LEASE_S = 0.5
    action = scenario(point, reviewer)
    assert killed_at(point, settings, action), f"{point} was never reached"
    session = reviewer.session
    assert verify(session) == []
    swept(session)
    assert check(session) == []
    place = point.partition(".")[0]
    if place in ("answer", "finalise"):
        action()  # the client's retry: harmless when the first one got through
        swept(session)
    elif place == "rollback" and session.phase != "F1":
        action()
        swept(session)
    if place in ("rollback", "finalise"):
        assert rows_of(reviewer.finish()) == EXPECTED_ROWS
    else:
        reviewer.until("rewriting")
    assert check(session) == []
    view = ledger.view(session)
    doubled = [k for k, n in Counter((r.type, r.subject) for r in view.rows).items() if n > 1]
    assert doubled == []
    shown = Widget.objects.filter(session=session).exclude(status="superseded")
    titles = Counter(shown.exclude(status="undone").values_list("activity", "phase"))
    assert titles["clarify", "F1"] <= 2  # the ambiguity, and that none is left
    if place == "rollback":
        reopened = [r for r in ledger.rows(session) if r.type == "phase_reopened"]
        assert len(reopened) == 1


def test_every_point_is_named_in_the_code() -> None:
    root = Path(__file__).parents[3] / "sessions_app" / "engine"
    code = "".join(file.read_text() for file in root.glob("*.py") if file.name != "faults.py")
    assert [name for name in POINTS if f'point("{name}")' not in code] == []
