"""Every address of the pages, walked as each kind of visitor: a new one cannot be forgotten."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from sessions_app import urls
from sessions_app.models import Event, FreeText, Run, Session, Widget
from tests.sessions_app.kit import Reviewer

pytestmark = pytest.mark.django_db

READS = {
    "index", "session", "live", "events", "artifact", "run", "ledger", "verify", "result",
    "result-panel", "result-csv",
}  # fmt: skip
OWNERS_READS = {"back"}
ACTS = {
    "answer", "other", "not-meant", "steer", "pause", "resume", "retry", "take-over", "rollback",
}  # fmt: skip
ASKS = {"create"}


def patterns() -> list[URLPattern]:
    return [pattern for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)]


def test_every_address_is_sorted_into_one_kind() -> None:
    names = [pattern.name for pattern in patterns()]
    assert sorted(names) == sorted(READS | OWNERS_READS | ACTS | ASKS)


def address(name: str, reviewer: Reviewer) -> str:
    session = reviewer.session
    run = Run.objects.filter(session=session).first()
    widget = Widget.objects.filter(session=session, status="pending").first()
    values = {
        "public_id": session.public_id,
        "widget_id": widget.uid if widget else "u1",
        "text_id": "t1",
        "name": "question.md",
        "run_id": run.pk if run else 1,
    }
    wanted = next(p for p in patterns() if p.name == name).pattern.converters
    return reverse(f"sessions:{name}", kwargs={key: values[key] for key in wanted})


def call(client: Client, name: str, reviewer: Reviewer) -> int:
    target = address(name, reviewer)
    if name in READS | OWNERS_READS:
        return client.get(target).status_code
    return client.post(target, {"choices": "decline", "target": "F1", "version": "1"}).status_code


def state() -> tuple[object, ...]:
    session = Session.objects.order_by("-pk").first()
    assert session is not None
    counts = (Session, Widget, FreeText, Event)
    return (session.version, session.status, session.owner, *[m.objects.count() for m in counts])


@pytest.mark.parametrize("name", sorted(READS | OWNERS_READS | ACTS | ASKS))
def test_nobody_gets_in_unnamed(approved: Reviewer, name: str) -> None:
    before = state()
    target = address(name, approved)
    client = Client()
    method = client.get if name in READS | OWNERS_READS else client.post
    response = method(target)
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/sign-in/")
    assert state() == before


@pytest.mark.parametrize("name", sorted(READS | OWNERS_READS | ACTS | ASKS))
def test_without_a_role_nothing_is_there(stranger: Client, approved: Reviewer, name: str) -> None:
    before = state()
    assert call(stranger, name, approved) == 404
    assert state() == before


@pytest.mark.parametrize("name", sorted(ACTS | OWNERS_READS))
def test_a_teammate_reads_and_does_not_act(teammate: Client, approved: Reviewer, name: str) -> None:
    before = state()
    assert call(teammate, name, approved) == 403
    assert state() == before


@pytest.mark.parametrize("name", sorted((ACTS | OWNERS_READS) - {"take-over"}))
def test_a_curator_acts_only_after_taking_over(
    curator: Client, approved: Reviewer, name: str
) -> None:
    before = state()
    assert call(curator, name, approved) == 403
    assert state() == before
    assert call(curator, "take-over", approved) == 302
    assert call(curator, name, approved) != 403


@pytest.mark.parametrize("name", sorted(READS - {"events"}))
def test_every_reviewer_reads(teammate: Client, approved: Reviewer, name: str) -> None:
    assert call(teammate, name, approved) == 200


@pytest.mark.parametrize("name", sorted((READS | ACTS | OWNERS_READS) - {"index"}))
def test_a_session_that_is_not_there_is_not_found(
    owner: Client, approved: Reviewer, name: str
) -> None:
    target = address(name, approved).replace(approved.public_id, "nowhere")
    method = owner.get if name in READS | OWNERS_READS else owner.post
    assert method(target).status_code == 404
