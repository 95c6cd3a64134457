"""Starting, pausing, trying again, taking over: each with its refusals and nothing half-written."""

from __future__ import annotations

import pytest

from sessions_app import ledger, services
from sessions_app.check import check
from sessions_app.models import Event, FreeText, Session, Widget
from sessions_app.phases import rewriting
from sessions_app.services import Actor
from tests.sessions_app.kit import ADA, QUESTION, Reviewer
from thoth.accounts.services import user_ensure
from thoth.lib.errors import Conflict, Forbidden, NotFound, Stale, ThothError

pytestmark = pytest.mark.django_db(transaction=True)
CURATOR_ROLES = frozenset({"curator"})


@pytest.mark.parametrize(
    ("question", "workspace", "code"),
    [
        ("", "cardio", "text_empty"),
        ("  \n ", "cardio", "text_empty"),
        ("x" * 2001, "cardio", "text_too_long"),
        ("a\x00b", "cardio", "text_nul"),
        ("a\ud800", "cardio", "text_surrogate"),
        (QUESTION, "nowhere", "workspace_unknown"),
        (QUESTION, "../../etc", "workspace_unknown"),
    ],
    ids=["empty", "blank", "long", "nul", "surrogate", "workspace", "path"],
)
def test_bad_input_makes_no_session(cardio: str, question: str, workspace: str, code: str) -> None:
    with pytest.raises(ThothError) as refused:
        services.session_create(workspace=workspace, question=question, actor=ADA)
    assert refused.value.code == code
    assert not Session.objects.exists()


def test_the_longest_question_is_taken(cardio: str) -> None:
    session = services.session_create(workspace=cardio, question="è" * 2000, actor=ADA)
    assert session.question == "è" * 2000


def test_ids_tell_the_day_and_the_question_and_differ(cardio: str) -> None:
    first, second = (
        services.session_create(workspace=cardio, question=QUESTION, actor=ADA) for _ in range(2)
    )
    assert first.public_id.endswith("-ablazioni-transcatetere-eseguite-anno") or (
        "ablazioni-transcatetere" in first.public_id
    )
    assert first.public_id != second.public_id


def test_the_key_of_a_creation_belongs_to_its_author(cardio: str) -> None:
    mine = services.session_create(workspace=cardio, question=QUESTION, actor=ADA, key="k")
    again = services.session_create(workspace=cardio, question=QUESTION, actor=ADA, key="k")
    other = services.session_create(workspace=cardio, question="other", actor=Actor("bob"), key="k")
    assert mine.pk == again.pk != other.pk


def test_a_key_is_not_used_for_something_else(cardio: str, reviewer: Reviewer) -> None:
    services.session_create(workspace=cardio, question=QUESTION, actor=ADA, key="k")
    with pytest.raises(Conflict) as refused:
        services.session_create(workspace=cardio, question="other", actor=ADA, key="k")
    assert refused.value.code == "idempotency_key_reused"
    text = services.steer(reviewer.public_id, text="only 2023", actor=ADA, key="s")
    assert services.steer(reviewer.public_id, text=" only 2023 ", actor=ADA, key="s") == text
    with pytest.raises(Conflict) as refused:
        services.steer(reviewer.public_id, text="only 2022", actor=ADA, key="s")
    assert refused.value.code == "idempotency_key_reused"
    assert FreeText.objects.filter(session=reviewer.session).count() == 1


def test_somebody_without_a_role_starts_nothing(cardio: str) -> None:
    with pytest.raises(Forbidden) as refused:
        services.session_create(
            workspace=cardio, question=QUESTION, actor=Actor("eve", frozenset())
        )
    assert refused.value.code == "role_required"


def test_only_the_owner_answers_and_a_curator_takes_over(reviewer: Reviewer) -> None:
    widget = reviewer.widget
    stranger = Reviewer(reviewer.public_id, Actor("bob"))
    with pytest.raises(Forbidden) as refused:
        stranger.choose("calendar")
    assert refused.value.code == "not_your_session"
    with pytest.raises(Forbidden) as refused:
        services.take_over(reviewer.public_id, actor=stranger.actor)
    assert refused.value.code == "role_required"
    user = user_ensure(username="carla", roles=["curator"])
    curator = Reviewer(reviewer.public_id, services.actor_of(user))
    services.take_over(reviewer.public_id, actor=curator.actor)
    services.take_over(reviewer.public_id, actor=curator.actor)
    assert Event.objects.filter(payload__event="taken_over").count() == 1
    curator.choose("calendar")
    row = ledger.rows(reviewer.session)[0]
    assert (row.author, row.widget) == ("carla", widget["id"])
    assert reviewer.session.author == "ada"
    with pytest.raises(Forbidden):
        reviewer.choose("confirm")


def test_going_back_from_an_old_page_is_refused(reviewer: Reviewer) -> None:
    reviewer.choose("calendar")
    with pytest.raises(Stale) as refused:
        services.rollback(reviewer.public_id, target="F1", actor=ADA, expected_version=1)
    assert refused.value.code == "session_version_stale"


def test_going_back_by_the_widgets_control_twice_is_harmless(reviewer: Reviewer) -> None:
    reviewer.choose("calendar")
    body: dict[str, object] = {
        "type": "ui_response",
        "id": reviewer.widget["id"],
        "control": "back",
        "target": "again",
    }
    assert services.answer(reviewer.public_id, body, actor=ADA).again is False
    assert services.answer(reviewer.public_id, body, actor=ADA).again is True
    assert ledger.view(reviewer.session).rows == ()
    assert reviewer.widget["title"] == "What does “per anno” mean?"
    assert check(reviewer.session) == []


def test_another_answer_to_an_answered_question_is_a_conflict_with_the_current_one(
    reviewer: Reviewer,
) -> None:
    first = reviewer.widget["id"]
    reviewer.choose("calendar")
    assert reviewer.send(id=first, kind="select", choice="calendar").again is True
    with pytest.raises(Conflict) as refused:
        reviewer.send(id=first, kind="select", choice="fiscal")
    assert refused.value.code == "widget_already_answered"
    assert refused.value.extra["widget"] == reviewer.widget


def test_pausing_twice_leaves_the_same_question(reviewer: Reviewer) -> None:
    widget = reviewer.widget
    for _ in range(2):
        reviewer.send(control="exit", id=widget["id"])
    assert reviewer.session.status == "paused"
    services.resume(reviewer.public_id, actor=ADA)
    assert reviewer.widget == widget
    assert Widget.objects.count() == 1


def test_an_unknown_session_or_question_is_not_found(reviewer: Reviewer) -> None:
    with pytest.raises(NotFound) as refused:
        services.advance("nobody-knows-it")
    assert refused.value.code == "session_not_found"
    assert reviewer.widget
    with pytest.raises(NotFound) as refused:
        reviewer.send(id="u99", kind="select", choice="calendar")
    assert refused.value.code == "widget_not_found"


def test_a_bug_in_a_stage_shows_as_a_failed_step(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewer.until("clarification", "clarify")
    reviewer.choose("calendar")

    def broken(ctx: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(rewriting, "next_step", broken)
    reviewer.choose("confirm")
    session = reviewer.session
    assert (session.status, session.failure_code) == ("failed", "internal")
    assert "ZeroDivisionError" not in session.failure_message
    monkeypatch.undo()
    services.retry(reviewer.public_id, actor=ADA)
    assert reviewer.widget["stage"] == "rewriting"


def test_a_finalised_session_takes_nothing_any_more(reviewer: Reviewer) -> None:
    session = reviewer.finish()
    rows = len(ledger.rows(session))
    for action in (
        lambda: services.steer(session.public_id, text="x", actor=ADA),
        lambda: services.retry(session.public_id, actor=ADA),
        lambda: services.resume(session.public_id, actor=ADA),
        lambda: services.rollback(
            session.public_id, target="F1", actor=ADA, expected_version=session.version
        ),
    ):
        with pytest.raises(Conflict) as refused:
            action()
        assert refused.value.code == "session_finalised"
    assert services.advance(session.public_id) == "stopped"
    assert len(ledger.rows(session)) == rows
