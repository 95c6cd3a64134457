"""Leaving, coming back, trying again, speaking up, refusing a reading, taking over."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from sessions_app.models import Event, FreeText, Session
from tests.sessions_app.kit import ONLY_2023, Reviewer, takes_up
from tests.sessions_app.pages.conftest import HTMX, url

pytestmark = pytest.mark.django_db


def post(client: Client, reviewer: Reviewer, rest: str, **form: str) -> object:
    return client.post(url(reviewer, rest), form, headers=HTMX)


def test_leaving_and_coming_back_keep_the_question(owner: Client, waiting: Reviewer) -> None:
    title = waiting.widget["title"]
    assert post(owner, waiting, "pause").status_code == 200
    assert waiting.session.status == Session.Status.PAUSED
    assert post(owner, waiting, "pause").status_code == 200, "leaving twice is harmless"
    assert post(owner, waiting, "resume").status_code == 200
    assert waiting.widget["title"] == title
    assert post(owner, waiting, "resume").status_code == 409


def test_a_failed_step_is_tried_again(owner: Client, fresh: Reviewer) -> None:
    Session.objects.update(status="failed", failure_code="timeout", failure_message="Too slow.")
    assert post(owner, fresh, "retry").status_code == 200
    assert fresh.widget["stage"] == "clarification"
    response = post(owner, fresh, "retry")
    assert response.status_code == 409
    assert "nothing_to_retry" in response.content.decode()


def test_steering_is_recorded_once_and_gives_a_fresh_box(owner: Client, waiting: Reviewer) -> None:
    response = post(owner, waiting, "steer", text=ONLY_2023, key="k1")
    assert response.status_code == 200
    assert response.content.decode().count('id="steer"') == 1
    assert "k1" not in response.content.decode(), "what is said next is something else"
    assert "thoth:refresh" in response["HX-Trigger"]
    post(owner, waiting, "steer", text=ONLY_2023, key="k1")
    assert [text.text for text in FreeText.objects.all()] == [ONLY_2023]


def test_steering_that_is_refused_stays_in_the_box(owner: Client, waiting: Reviewer) -> None:
    response = post(owner, waiting, "steer", text="x" * 4001, key="k1")
    assert response.status_code == 422
    assert "x" * 4001 in response.content.decode()
    assert not FreeText.objects.exists()


def test_a_reading_can_be_refused(
    owner: Client, fresh: Reviewer, scripted: Callable[..., None]
) -> None:
    options = [
        {"id": name, "label": name, "clarification": {"definition": name}} for name in ("a", "b")
    ]
    ambiguity = {"concept": "2023", "title": "Which date?", "options": options}
    scripted(takes_up("clarify", ONLY_2023, "t1", "restrict to 2023", ambiguity=ambiguity))
    post(owner, fresh, "steer", text=ONLY_2023, key="k1")
    fresh.drive()
    page = owner.get(url(fresh)).content.decode()
    assert "restrict to 2023" in page
    assert page.count(url(fresh, "texts/t1/not-meant")) == 2  # beside the text, in the widget
    assert post(owner, fresh, "texts/t1/not-meant").status_code == 200
    assert FreeText.objects.get().status == FreeText.Status.OPEN
    assert post(owner, fresh, "texts/t1/not-meant").status_code == 409
    assert post(owner, fresh, "texts/t9/not-meant").status_code in {404, 409}


def test_a_curator_takes_over_and_the_event_says_so(
    curator: Client, owner: Client, teammate: Client, waiting: Reviewer
) -> None:
    assert post(teammate, waiting, "take-over").status_code == 403
    assert post(curator, waiting, "take-over").status_code == 200
    assert waiting.session.owner is not None
    assert waiting.session.owner.username == "carla"
    assert post(curator, waiting, "take-over").status_code == 200
    assert Event.objects.filter(payload__event="taken_over").count() == 1
    widget = waiting.widget["id"]
    assert post(owner, waiting, f"widgets/{widget}/answer", choices="calendar").status_code == 403
    taken = post(curator, waiting, f"widgets/{widget}/answer", choices="calendar")
    assert taken.status_code == 200
    assert waiting.session.ledger.get().author == "carla"


@pytest.mark.parametrize("rest", ["pause", "resume", "retry", "steer", "texts/t1/not-meant"])
def test_only_the_owner_acts_and_only_by_post(
    owner: Client, teammate: Client, stranger: Client, waiting: Reviewer, rest: str
) -> None:
    version = waiting.session.version
    assert owner.get(url(waiting, rest)).status_code == 405
    assert post(teammate, waiting, rest, text="x").status_code == 403
    assert post(stranger, waiting, rest, text="x").status_code == 404
    assert owner.post(f"/sessions/nowhere/{rest}").status_code == 404
    assert waiting.session.version == version
