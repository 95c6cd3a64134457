"""The first page: asking, and finding what waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from sessions_app.models import Session
from tests.sessions_app.builders import make_session
from tests.sessions_app.kit import QUESTION, Reviewer

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(sign_in: Callable[..., Client]) -> Client:
    """Eva, who has not asked anything yet."""
    return sign_in("eva", "reviewer")


def mine() -> QuerySet[Session]:
    return Session.objects.filter(author="eva")


def ask(client: Client, **fields: str) -> object:
    return client.post("/sessions/", {"workspace": "cardio", "question": QUESTION, **fields})


def test_the_empty_page_shows_how_it_goes(owner: Client) -> None:
    page = owner.get("/").content.decode()
    assert 'name="question"' in page
    assert "<option selected>cardio</option>" in page
    assert "How it goes" in page


def test_without_a_workspace_the_page_says_how_to_make_one(
    owner: Client, settings: Settings, tmp_path: object
) -> None:
    settings.THOTH_HOME = tmp_path
    page = owner.get("/").content.decode()
    assert "tht workspace new" in page
    assert 'name="question"' not in page


def test_asking_makes_a_session_of_the_asker_and_leads_to_it(owner: Client) -> None:
    response = ask(owner, key="k1")
    session = mine().get()
    assert response["Location"] == f"/sessions/{session.public_id}/"
    assert (session.author, session.question, session.workspace) == ("eva", QUESTION, "cardio")


def test_the_same_form_sent_twice_makes_one_session(owner: Client) -> None:
    first, second = ask(owner, key="k1"), ask(owner, key="k1")
    assert first["Location"] == second["Location"]
    assert mine().count() == 1
    ask(owner, key="k2")
    assert mine().count() == 2


@pytest.mark.parametrize(
    ("question", "workspace", "words"),
    [
        ("", "cardio", "Write something first."),
        ("x" * 2001, "cardio", "at most 2000"),
        ("a\x00b", "cardio", "NUL"),
        ("quante?", "nowhere", "no workspace"),
    ],
)
def test_a_refused_question_stays_in_the_form_with_the_reason(
    owner: Client, question: str, workspace: str, words: str
) -> None:
    response = ask(owner, question=question, workspace=workspace)
    page = response.content.decode()
    assert response.status_code == 422
    assert words in page
    assert f"{question[:50]}" in page
    assert not mine().exists()


def test_programs_get_the_problem(owner: Client) -> None:
    response = owner.post("/sessions/", {"question": ""}, headers={"Accept": "application/json"})
    assert response.status_code == 422
    assert response.json()["code"] == "text_empty"


def test_sessions_are_grouped_by_what_they_wait_for(owner: Client) -> None:
    for status in ("waiting", "failed", "running"):
        make_session(author="eva", title=f"a {status} one", status=status)
    make_session(author="eva", title="a done one", status="finalised", phase="", stage="")
    sessions = owner.get("/").context["sessions"]
    assert {line.title for line in sessions.waiting} == {"a waiting one", "a failed one"}
    assert [line.title for line in sessions.running] == ["a running one"]
    assert [line.title for line in sessions.done] == ["a done one"]


def test_other_people_s_sessions_are_shown_on_demand(owner: Client, waiting: Reviewer) -> None:
    assert owner.get("/").context["sessions"].empty
    everybody = owner.get("/?all=1").context["sessions"]
    assert {line.author for line in everybody.waiting} == {"ada"}
    assert not everybody.waiting[0].mine


def test_the_number_of_queries_does_not_grow_with_the_sessions(owner: Client) -> None:
    counts = []
    for number in (1, 30):
        for _ in range(number):
            make_session(author="eva")
        with CaptureQueriesContext(connection) as queries:
            owner.get("/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_wrong_methods_are_refused(owner: Client) -> None:
    assert owner.post("/").status_code == 405
    assert owner.get("/sessions/").status_code == 405


def test_back_and_another_question_is_another_session(owner: Client) -> None:
    first, second = ask(owner, key="k1"), ask(owner, key="k1", question="Quanti pazienti?")
    assert first["Location"] != second["Location"]
    assert mine().count() == 2


def test_a_program_s_key_is_not_used_for_another_question(owner: Client) -> None:
    headers = {"Idempotency-Key": "k" * 300, "Accept": "application/json"}
    asked = {"workspace": "cardio", "question": QUESTION}
    first, again = (owner.post("/sessions/", asked, headers=headers) for _ in range(2))
    assert first["Location"] == again["Location"]
    other = owner.post("/sessions/", asked | {"question": "Altro?"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    longer = owner.post("/sessions/", asked, headers=headers | {"Idempotency-Key": "k" * 301})
    assert longer["Location"] != first["Location"]
