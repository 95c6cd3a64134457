"""Answering by the form."""

from __future__ import annotations

import pytest
from django.test import Client

from sessions_app import ledger
from sessions_app.models import FreeText, Session
from tests.sessions_app.kit import Reviewer
from tests.sessions_app.pages.conftest import HTMX, url

pytestmark = pytest.mark.django_db


def answer_url(reviewer: Reviewer, action: str = "answer") -> str:
    return url(reviewer, f"widgets/{reviewer.widget['id']}/{action}")


def test_an_answer_becomes_a_decision_and_the_page_shows_it(
    owner: Client, waiting: Reviewer
) -> None:
    response = owner.post(answer_url(waiting), {"choices": "calendar"}, headers=HTMX)
    assert response.status_code == 200
    assert response.context["session"].entries[0].who == "ada"
    assert [row.type for row in ledger.rows(waiting.session)] == ["concept_clarified"]


def test_a_plain_form_is_redirected_to_the_session(owner: Client, waiting: Reviewer) -> None:
    response = owner.post(answer_url(waiting), {"choices": "calendar"})
    assert (response.status_code, response["Location"]) == (302, url(waiting))


def test_the_same_answer_again_is_harmless_another_one_is_a_conflict(
    owner: Client, waiting: Reviewer
) -> None:
    target = answer_url(waiting)
    owner.post(target, {"choices": "calendar"}, headers=HTMX)
    assert owner.post(target, {"choices": "calendar"}, headers=HTMX).status_code == 200
    waiting.drive()
    response = owner.post(target, {"choices": "fiscal"}, headers=HTMX)
    assert response.status_code == 409
    page = response.content.decode()
    assert "widget_already_answered" in page
    assert waiting.widget["title"] in page, "what is pending now is shown with the refusal"
    assert len(ledger.rows(waiting.session)) == 1


def test_without_a_choice_nothing_is_decided(owner: Client, waiting: Reviewer) -> None:
    response = owner.post(answer_url(waiting), {}, headers=HTMX)
    assert response.status_code == 422
    assert "Choose an option first." in response.content.decode()
    assert not ledger.rows(waiting.session)


def test_a_refused_answer_keeps_what_was_filled_in(owner: Client, waiting: Reviewer) -> None:
    form = {"choices": "look_further", "child-look_further": "x" * 4001}
    response = owner.post(answer_url(waiting), form, headers=HTMX)
    page = response.content.decode()
    assert response.status_code == 422
    assert "at most 4000" in page
    assert "x" * 4001 in page
    assert 'value="look_further" checked' in page
    assert "data-stays" not in page.split('id="pending-')[1].split(">")[0]


def test_an_option_nobody_offered_is_refused(owner: Client, waiting: Reviewer) -> None:
    response = owner.post(answer_url(waiting), {"choices": "mine"}, headers=HTMX)
    assert response.status_code == 422
    assert not ledger.rows(waiting.session)


def test_other_is_recorded_as_a_text_with_the_ticks(owner: Client, waiting: Reviewer) -> None:
    form = {"choices": "calendar", "other_text": "only\r\n2023"}
    response = owner.post(answer_url(waiting, "other"), form, headers=HTMX)
    assert response.status_code == 200
    text = FreeText.objects.get()
    assert (text.kind, text.text, text.status) == ("other", "only\n2023", "open")
    assert "only<br>2023" in response.content.decode()
    assert not ledger.rows(waiting.session)


def test_an_empty_other_is_refused_in_place(owner: Client, waiting: Reviewer) -> None:
    response = owner.post(answer_url(waiting, "other"), {"other_text": " "}, headers=HTMX)
    assert response.status_code == 422
    assert "Write something first." in response.content.decode()


def test_a_multiselect_writes_what_was_ticked_and_what_was_not(
    owner: Client, fresh: Reviewer
) -> None:
    widget = fresh.until("schema_linking", "link_schema")
    displayed = [option["id"] for option in widget["options"]]
    ticked = [option["id"] for option in widget["options"] if option["selected"]]
    form = {"choices": ticked, "displayed": displayed}
    assert owner.post(answer_url(fresh), form, headers=HTMX).status_code == 200
    types = {row.type for row in ledger.rows(fresh.session)}
    assert {"table_promoted", "table_excluded", "column_promoted"} <= types


def test_a_revised_sql_keeps_its_line_ends(owner: Client, fresh: Reviewer) -> None:
    fresh.until("final_sql")
    widget = fresh.widget
    sql = widget["artifact"]["text"] + "\n-- read twice"
    form = {"choices": "revise", "child-revise": sql.replace("\n", "\r\n")}
    assert owner.post(answer_url(fresh), form, headers=HTMX).status_code == 200
    assert fresh.until("final_sql")["artifact"]["text"] == sql


def test_programs_get_problems_not_pages(owner: Client, waiting: Reviewer) -> None:
    response = owner.post(answer_url(waiting), {}, headers={"Accept": "application/json"})
    assert response.status_code == 422
    assert response.json()["code"] == "answer_choice_missing"


def test_who_may_not_answer(teammate: Client, stranger: Client, waiting: Reviewer) -> None:
    form = {"choices": "calendar"}
    assert teammate.post(answer_url(waiting), form, headers=HTMX).status_code == 403
    assert stranger.post(answer_url(waiting), form, headers=HTMX).status_code == 404
    assert not ledger.rows(waiting.session)


def test_wrong_method_missing_widget_and_session(owner: Client, waiting: Reviewer) -> None:
    assert owner.get(answer_url(waiting)).status_code == 405
    assert owner.post(url(waiting, "widgets/u99/answer"), {"choices": "a"}).status_code == 404
    assert owner.post("/sessions/nowhere/widgets/u1/answer").status_code == 404


def test_a_finalised_session_takes_no_answer(owner: Client, approved: Reviewer) -> None:
    target = answer_url(approved)
    approved.finish()
    count = len(ledger.rows(approved.session))
    assert owner.post(target, {"choices": "decline-2"}, headers=HTMX).status_code in {409, 422}
    assert len(ledger.rows(approved.session)) == count
    assert approved.session.status == Session.Status.FINALISED


def test_posting_needs_the_csrf_token(waiting: Reviewer, owner: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = owner.cookies
    response = strict.post(answer_url(waiting), {"choices": "calendar"})
    assert response.status_code == 403
    assert not ledger.rows(waiting.session)
