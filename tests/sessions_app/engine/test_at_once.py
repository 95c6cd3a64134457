"""Two at once: two browsers, two workers, a late worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from sessions_app import ledger, services
from sessions_app.check import check
from sessions_app.engine import advance as stepping
from sessions_app.engine import create
from sessions_app.models import Run, Session, Widget
from tests.sessions_app.kit import QUESTION, Reviewer
from thoth.lib import clock
from thoth.lib.errors import Conflict, ThothError

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Results (or ThothErrors) of calls that start together, each on its own connection."""
    barrier = threading.Barrier(len(calls))

    def one(call: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return call()
        except ThothError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


@pytest.fixture
def frozen_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions are created in one and the same second: their ids begin alike."""
    moment = clock.now()
    monkeypatch.setattr(create, "now", lambda: moment)


def body(widget: dict[str, Any], choice: str) -> dict[str, object]:
    return {"type": "ui_response", "id": widget["id"], "kind": "select", "choice": choice}


def test_two_browsers_answering_at_once_make_one_decision(reviewer: Reviewer) -> None:
    widget = reviewer.widget
    results = at_once(
        [
            lambda choice=choice: services.answer(
                reviewer.public_id, body(widget, choice), actor=reviewer.actor
            )
            for choice in ("calendar", "fiscal")
        ]
    )
    refused = [r for r in results if isinstance(r, ThothError)]
    assert len(refused) == 1
    assert isinstance(refused[0], Conflict)
    assert refused[0].code == "widget_already_answered"
    assert len(ledger.view(reviewer.session).of_type("concept_clarified")) == 1
    assert check(reviewer.session) == []


def test_the_same_answer_sent_twice_at_once_is_accepted_twice_and_written_once(
    reviewer: Reviewer,
) -> None:
    widget = reviewer.widget
    calls = [
        lambda: services.answer(reviewer.public_id, body(widget, "calendar"), actor=reviewer.actor)
    ] * 3
    results = at_once(calls)
    assert sorted(result.again for result in results) == [False, True, True]
    assert len(ledger.rows(reviewer.session)) == 1


def test_two_workers_at_once_run_a_step_once(reviewer: Reviewer) -> None:
    results = at_once([lambda: services.advance(reviewer.public_id)] * 4)
    assert "waiting" in results
    assert Run.objects.count() == 1
    assert Widget.objects.count() == 1


def test_a_repeated_creation_at_once_makes_one_session(cardio: str) -> None:
    actor = services.Actor("ada")
    calls = [
        lambda: services.session_create(workspace=cardio, question=QUESTION, actor=actor, key="k1")
    ] * 3
    results = at_once(calls)
    assert len({session.public_id for session in results}) == 1
    assert Session.objects.count() == 1


def test_the_same_question_asked_by_many_in_one_second_makes_as_many_sessions(
    cardio: str, frozen_second: None
) -> None:
    calls = [
        lambda number=number: services.session_create(
            workspace=cardio,
            question=QUESTION,
            actor=services.Actor(f"user{number}"),
            key="k" if number % 2 else "",
        )
        for number in range(12)
    ]
    results = at_once(calls)
    assert len({session.public_id for session in results}) == 12
    assert Session.objects.count() == 12


def test_a_worker_whose_lease_was_taken_over_presents_nothing(
    reviewer: Reviewer, settings: Settings
) -> None:
    settings.THOTH_LEASE_S = 0.0  # ends at once: the next worker may take over
    first = stepping._begin(reviewer.public_id)
    second = stepping._begin(reviewer.public_id)
    assert isinstance(first, stepping._Claimed)
    assert isinstance(second, stepping._Claimed)
    assert first.lease.run_id == second.lease.run_id
    stepping._settle(second, stepping._work(second))
    stepping._settle(first, stepping._work(first))
    assert Widget.objects.count() == 1
    assert Run.objects.get().attempts == 2


def test_a_proposal_that_comes_after_the_reviewer_moved_on_is_dropped(reviewer: Reviewer) -> None:
    reviewer.choose("calendar")
    reviewer.choose("confirm")
    reviewer.choose("approve")  # F3; the ground_values widget is pending now
    services.steer(reviewer.public_id, text="only 2023, please", actor=reviewer.actor)
    late = stepping._begin(reviewer.public_id)
    assert isinstance(late, stepping._Claimed)
    session = reviewer.session
    services.rollback(
        session.public_id, target="F3", actor=reviewer.actor, expected_version=session.version
    )
    stepping._settle(late, stepping._work(late))
    assert Run.objects.get(pk=late.lease.run_id).status == Run.Status.SUPERSEDED
    assert not Widget.objects.filter(session=session, status="pending").exists()
    assert check(session) == []


def test_a_lease_is_renewed_while_the_work_goes_on(reviewer: Reviewer, settings: Settings) -> None:
    settings.THOTH_LEASE_S, settings.THOTH_LEASE_RENEW_S = 0.3, 0.05
    claimed = stepping._begin(reviewer.public_id)
    assert isinstance(claimed, stepping._Claimed)
    before = Run.objects.get().lease_until
    with stepping.LeaseKeeper(claimed.lease) as keeper:
        threading.Event().wait(0.5)
        assert services.advance(reviewer.public_id) == "busy"
    after = Run.objects.get().lease_until
    assert before is not None
    assert after is not None
    assert after > before
    assert keeper.lost is False
