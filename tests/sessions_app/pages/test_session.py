"""The session page and its live part."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions_app import services
from sessions_app.models import Session
from tests.sessions_app.kit import ADA, Reviewer
from tests.sessions_app.pages.conftest import HTMX, tamper, url

pytestmark = pytest.mark.django_db


def test_a_waiting_session_shows_its_question_with_numbers(
    owner: Client, waiting: Reviewer
) -> None:
    page = owner.get(url(waiting)).content.decode()
    assert waiting.widget["title"] in page
    assert f"/widgets/{waiting.widget['id']}/answer" in page
    assert '<div class="n">7' in page  # the option says how many rows it keeps
    assert page.count('type="radio"') == len(waiting.widget["options"])
    assert not re.search(r'type="radio"[^>]* checked', page), "recommending is not approving"


def test_what_was_decided_is_a_conversation(owner: Client, waiting: Reviewer) -> None:
    waiting.choose("calendar")
    page = owner.get(url(waiting)).context["session"]
    entry = page.entries[0]
    assert (entry.kind, entry.tag, entry.who) == ("answer", "F1 · 1", "ada")
    assert waiting.session.ledger.get(seq=1).subject in entry.headline
    assert entry.over, "the readings that were passed over are named"


def test_the_bar_says_done_now_and_to_come(owner: Client, approved: Reviewer) -> None:
    states = [s.state for s in owner.get(url(approved)).context["session"].stations]
    assert states == ["done"] * 7 + ["now"]
    approved.send(control="back", target="F4")
    states = [s.state for s in owner.get(url(approved)).context["session"].stations]
    assert states == ["done"] * 3 + ["now"] + ["reopened"] * 3 + ["todo"]


def test_going_back_is_an_entry_and_what_it_undid_is_not(owner: Client, approved: Reviewer) -> None:
    before = owner.get(url(approved)).context["session"].entries
    approved.send(control="back", target="F1")
    after = owner.get(url(approved)).context["session"].entries
    assert [entry.kind for entry in after] == ["went_back"]
    assert len(before) > 5


def test_a_running_session_shows_its_step(owner: Client, fresh: Reviewer) -> None:
    page = owner.get(url(fresh)).content.decode()
    assert 'id="progress"' in page
    assert "data-events" in page


@pytest.mark.parametrize(
    ("status", "words", "action"),
    [("failed", "This step failed", "retry"), ("blocked", "is not available", "retry")],
)
def test_a_stopped_step_shows_why_and_how_to_go_on(
    owner: Client, fresh: Reviewer, status: str, words: str, action: str
) -> None:
    Session.objects.update(status=status, failure_code="timeout", failure_message="Too slow.")
    page = owner.get(url(fresh)).content.decode()
    assert words in page
    assert "Too slow." in page
    assert "timeout" in page
    assert url(fresh, action) in page


def test_a_proposal_that_words_did_not_change_says_what_to_do(
    owner: Client, fresh: Reviewer
) -> None:
    Session.objects.update(
        status="failed", failure_code="unchanged_after_text", failure_message="The proposal is ..."
    )
    page = owner.get(url(fresh)).content.decode()
    assert "Say it in other words below" in page
    assert "The proposal is" not in page


def test_a_paused_session_can_be_resumed(owner: Client, waiting: Reviewer) -> None:
    services.pause(waiting.public_id, actor=ADA)
    page = owner.get(url(waiting)).content.decode()
    assert url(waiting, "resume") in page
    assert "/answer" not in page


def test_a_finalised_session_is_read_only_and_ends_its_stream(
    owner: Client, approved: Reviewer
) -> None:
    approved.finish()
    page = owner.get(url(approved)).content.decode()
    assert "data-events" not in page
    assert url(approved, "back") not in page
    assert url(approved, "result/panel") in page


def test_the_live_part_is_a_fragment_for_htmx_and_a_page_otherwise(
    owner: Client, waiting: Reviewer
) -> None:
    fragment = owner.get(url(waiting, "live"), headers=HTMX)
    assert "<html" not in fragment.content.decode()
    assert fragment.content.decode().lstrip().startswith('<div id="live"')
    assert "HX-Request" in fragment["Vary"]
    page = owner.get(url(waiting, "live"))
    assert "<html" in page.content.decode()
    assert "HX-Request" in page["Vary"]
    restored = owner.get(
        url(waiting, "live"), headers={**HTMX, "HX-History-Restore-Request": "true"}
    )
    assert "<html" in restored.content.decode()


def test_the_state_changes_with_every_event(owner: Client, waiting: Reviewer) -> None:
    def state() -> str:
        return owner.get(url(waiting, "live"), headers=HTMX).context["session"].state

    first = state()
    assert first == state()
    services.steer(waiting.public_id, text="only 2023", actor=ADA)
    assert state() != first


def test_others_read_without_controls(teammate: Client, waiting: Reviewer) -> None:
    page = teammate.get(url(waiting)).content.decode()
    assert waiting.widget["title"] in page
    assert "belongs to ada" in page
    assert "/answer" not in page
    assert "take-over" not in page
    assert 'id="steer"' in page
    assert re.search(r'id="steer"[^>]* hidden', page)


def test_a_curator_may_take_over(curator: Client, waiting: Reviewer) -> None:
    assert url(waiting, "take-over") in curator.get(url(waiting)).content.decode()


def test_an_unknown_kind_shows_its_json_and_takes_words(owner: Client, waiting: Reviewer) -> None:
    tamper(
        'UPDATE sessions_app_widget SET request = request || \'{"widget": "hologram", "options": []}\''
    )
    page = owner.get(url(waiting)).content.decode()
    assert "unsupported widget (kind: hologram)" in page
    assert '<textarea name="text"' in page


def test_the_number_of_queries_does_not_grow_with_the_session(
    owner: Client, waiting: Reviewer
) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            owner.get(url(waiting))
        return len(queries)

    first = count()
    waiting.until("closure")
    assert count() == first


def test_wrong_method_and_missing_session(owner: Client, waiting: Reviewer) -> None:
    assert owner.post(url(waiting)).status_code == 405
    assert owner.get("/sessions/nowhere/").status_code == 404
    assert owner.get("/sessions/nowhere/live", headers=HTMX).status_code == 404
