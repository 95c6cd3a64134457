"""Steps that cannot end: shown as failed, with Retry, instead of being tried for ever unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DataError, OperationalError
from pytest_django.fixtures import Settings

from sessions_app import services
from sessions_app.check import check
from sessions_app.engine import advance as stepping
from sessions_app.engine import runs, work
from sessions_app.models import Run, Widget
from sessions_app.phases import clarification
from tests.sessions_app.kit import ADA, Reviewer, transcript
from thoth.lib.errors import Invalid, ThothError, Upstream

pytestmark = pytest.mark.django_db(transaction=True)


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail


def requires_retry(reviewer: Reviewer, status: str, code: str) -> None:
    session = reviewer.session
    assert (session.status, session.failure_code) == (status, code)
    assert not Run.objects.filter(status=Run.Status.RUNNING).exists()
    assert not Widget.objects.exists()
    assert services.sessions_to_advance() == []
    services.retry(reviewer.public_id, actor=ADA)
    assert check(reviewer.session) == []


def test_a_proposal_that_cannot_be_stored_fails_the_step(
    reviewer: Reviewer, scripted: Callable[..., None]
) -> None:
    ambiguity = transcript()[0]["proposal"]["ambiguity"] | {"title": "Which\x00one?"}
    proposal = transcript()[0]["proposal"] | {"ambiguity": ambiguity}
    scripted(transcript()[0] | {"proposal": proposal})
    assert services.advance(reviewer.public_id) == "stopped"
    requires_retry(reviewer, "failed", "internal")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Invalid("workspace_invalid", "It is broken."), "failed", "workspace_invalid"),
        (Upstream("warehouse_unreachable", "It is gone."), "blocked", "warehouse_unreachable"),
        (DataError("unstorable"), "failed", "internal"),
        (ZeroDivisionError(), "failed", "internal"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_a_step_that_cannot_begin_shows_why(
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: str,
    code: str,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(clarification, "next_step", raising(error))
        assert services.advance(reviewer.public_id) == "stopped"
    if isinstance(error, ThothError):
        assert reviewer.session.failure_message == error.message
    requires_retry(reviewer, status, code)
    assert reviewer.widget["stage"] == "clarification"


def test_a_lost_database_is_not_the_step_s_failure(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """The lease ends and the sweep has the step done by somebody else."""
    settings.THOTH_LEASE_S = 0.0
    for module, name in ((stepping, "_begin"), (work, "ask"), (stepping, "_settle")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, raising(OperationalError("the connection is lost")))
            with pytest.raises(OperationalError):
                services.advance(reviewer.public_id)
        assert reviewer.session.status == "running"
        assert services.sessions_to_advance() == [reviewer.public_id]
    settings.THOTH_LEASE_S = 15.0
    assert reviewer.widget["stage"] == "clarification"


def test_a_step_from_which_no_worker_comes_back_is_given_up(
    reviewer: Reviewer, settings: Settings
) -> None:
    settings.THOTH_LEASE_S = 0.0  # whoever claims it is lost at once
    for _ in range(runs.ATTEMPTS_MAX):
        assert isinstance(stepping._begin(reviewer.public_id), stepping._Claimed)
    assert services.advance(reviewer.public_id) == "stopped"
    settings.THOTH_LEASE_S = 15.0
    requires_retry(reviewer, "failed", "step_keeps_dying")
    assert reviewer.widget["stage"] == "clarification"
