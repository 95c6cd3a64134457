"""The ablation question from F1 to F8, proposed by the real Pi with fixed golden proposals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connections
from pytest_django import Settings

from sessions_app import ledger, services
from sessions_app.check import check
from sessions_app.models import FreeText, Run, Session
from tests.runtime.endpoint import Body, Call, Endpoint, Say, Script, endpoint, propose, unused_url
from tests.runtime.golden import golden
from tests.sessions_app.engine.test_whole_way import rows_of
from tests.sessions_app.kit import (
    EXPECTED_ROWS,
    Reviewer,
    cardio,
    reviewer,
    start,
    takes_up,
    transcript,
)
from thoth.runtime.pi.installation import Installation

__all__ = ["cardio", "reviewer"]
pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def asked_by_pi(settings: Settings, script: Script) -> Iterator[Endpoint]:
    settings.THOTH_MODEL_RUNTIME = "pi"
    settings.THOTH_MODEL_PROVIDER, settings.THOTH_MODEL_NAME = "local", "org/qwen2.5:7b"
    settings.THOTH_MODEL_API_KEY = "sk-secret-1"
    with endpoint(script) as server:
        settings.THOTH_MODEL_BASE_URL = server.url
        yield server


def test_the_question_reaches_its_number(
    pi: Installation, cardio: str, transactional_db: None, settings: Settings
) -> None:
    """With words of the reviewer that change a proposal, and a step rejected for a reason."""
    draft = transcript()[5]["proposal"]["ctes"][0]
    better = draft | {"sql": draft["sql"] + " IS TRUE"}
    per_anno = transcript()[0]["proposal"]["ambiguity"]
    final = transcript()[-1]["proposal"]
    lines = [
        takes_up(
            "clarify",
            "of the year",
            "t1",
            "which year",
            ambiguity=per_anno | {"title": "Which year then?"},
        ),
        takes_up("rewrite_cte", "IS TRUE", "t2", "compared with IS TRUE", cte=better),
        {
            "step": "final_sql",
            "proposal": final | {"sql": final["sql"].replace(draft["sql"], better["sql"])},
        },
        *transcript(),
    ]
    with asked_by_pi(settings, golden(lines)) as server:
        reviewer = start(cardio)
        reviewer.send(control="other", text="what of the year?")
        assert reviewer.widget["title"] == "Which year then?"
        reviewer.until("cte")
        reviewer.choose("reject", reject={"kind": "freetext", "text": "say IS TRUE"})
        assert "IS TRUE" in reviewer.widget["artifact"]["text"]
        session = reviewer.finish()
    assert session.status == Session.Status.FINALISED
    assert rows_of(session) == EXPECTED_ROWS
    assert check(session) == []

    approved = ledger.view(session).of_type("cte_approved")[0]
    assert "say IS TRUE" in approved.rationale
    runs = Run.objects.exclude(task_document=None)
    assert {run.usage["runtime"] for run in runs} == {"pi"}
    assert all(run.usage["model"] == "org/qwen2.5:7b" for run in runs)
    assert all(run.usage["tokens"]["input"] >= 100 for run in runs)
    assert runs[0].tool_calls[0]["name"] == "search_values"
    assert runs[0].text_so_far == "Looking it up."
    assert {body["model"] for body in server.requests} == {"org/qwen2.5:7b"}
    for body in server.requests:  # each stage has its own tools; where it runs is not told
        assert body["tools"][-1]["function"]["name"] == "propose"
        assert str(settings.THOTH_HOME) not in str(body)
    last = server.requests[-1]
    assert {tool["function"]["name"] for tool in last["tools"]} == {
        *("search_evidence", "render_schema", "join_paths", "explain_sql", "propose")
    }
    assert "# Step: final_sql" in last["messages"][0]["content"]


@pytest.mark.parametrize(
    ("say", "code", "says"),
    [
        (Say(status=401, error="bad sk-secret-1"), "auth", "THOTH_MODEL_API_KEY"),
        (propose({"ambiguity": {"concept": 5}}), "schema_invalid", "ambiguity.title"),
        (propose({"decision": "sql_approved"}), "schema_invalid", "decision"),
        (propose({"addressed": [{"text_id": "t9", "reading": "x"}]}), "text_unknown", "t9"),
    ],
)
def test_a_step_that_fails_says_what_to_do_and_writes_nothing(
    pi: Installation, reviewer: Reviewer, settings: Settings, say: Say, code: str, says: str
) -> None:
    with asked_by_pi(settings, [say]) as server:
        session = reviewer.drive()
    assert (session.status, session.failure_code) == ("failed", code)
    assert says in session.failure_message
    assert "sk-secret-1" not in session.failure_message
    assert ledger.rows(session) == []
    # Returned once with the reasons; then the step fails.
    corrected = code in ("schema_invalid", "text_unknown")
    assert len(server.requests) == 1 + corrected


def test_no_server_no_model_no_pi(reviewer: Reviewer, settings: Settings, pi: Installation) -> None:
    settings.THOTH_MODEL_RUNTIME = "pi"
    settings.THOTH_MODEL_PROVIDER = ""
    assert _failure(reviewer) == ("no_provider", "No language model is configured")
    settings.THOTH_MODEL_PROVIDER, settings.THOTH_MODEL_NAME = "local", "m"
    settings.THOTH_MODEL_BASE_URL = unused_url()
    assert _failure(reviewer) == ("refused", f"Nothing answers at {settings.THOTH_MODEL_BASE_URL}")
    settings.BASE_DIR = settings.THOTH_HOME / "elsewhere"
    (settings.BASE_DIR / "agent/prompts").mkdir(parents=True)
    for name in ("common", "clarify"):
        (settings.BASE_DIR / f"agent/prompts/{name}.md").write_text("x")
    assert _failure(reviewer) == ("not_installed", "Pi is not installed")


def _failure(reviewer: Reviewer) -> tuple[str, str]:
    """The code and the first sentence's beginning; the session is ready for another try."""
    session = reviewer.drive()
    if session.status == "failed" and session.failure_code:
        code, message = session.failure_code, session.failure_message
        services.retry(reviewer.public_id, actor=reviewer.actor)
        return code, message.split(". ")[0].split(": ")[0].removesuffix(".")
    raise AssertionError(session.status)


def test_words_and_a_stop_reach_the_running_step(
    pi: Installation, cardio: str, transactional_db: None, settings: Settings
) -> None:
    reviewer = start(cardio)
    search = Say(calls=(Call("search_values", {"text": "x"}),))

    def script(body: Body) -> Say:
        """In another thread, as the reviewer's requests are."""
        said = [m["content"][0]["text"] for m in body["messages"] if m["role"] == "user"]
        try:
            if len(body["messages"]) < 3:
                services.steer(reviewer.public_id, text="only 2023", actor=reviewer.actor)
            if any("only 2023" in text for text in said):
                services.cancel_run(reviewer.public_id, actor=reviewer.actor)
                return Say(silent=True)
        finally:
            connections.close_all()
        time.sleep(0.3)
        return search

    with asked_by_pi(settings, script) as server:
        session = reviewer.drive()
    assert (session.status, session.failure_code) == ("failed", "cancelled")
    assert 2 <= len(server.requests) < 8
    assert ledger.rows(session) == []
    assert FreeText.objects.get().status == FreeText.Status.OPEN
