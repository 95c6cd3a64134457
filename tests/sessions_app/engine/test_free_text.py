"""What a reviewer says in their own words is taken up, or the step fails visibly; it is never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sessions_app import ledger, services
from sessions_app.check import check
from sessions_app.models import FreeText, Run, Session, Widget
from tests.sessions_app.kit import Reviewer, takes_up, transcript
from thoth.lib.errors import Conflict, Invalid

pytestmark = pytest.mark.django_db(transaction=True)
Scripted = Callable[..., None]


def clarify_about(concept: str, title: str) -> dict[str, Any]:
    """An ambiguity of two readings."""
    return {
        "concept": concept,
        "title": title,
        "options": [
            {
                "id": "one",
                "label": "First reading",
                "recommended": True,
                "clarification": {"definition": "one"},
            },
            {"id": "two", "label": "Second reading", "clarification": {"definition": "two"}},
        ],
    }


QUARTER = clarify_about("periodo", "Which quarters?")


def texts() -> dict[str, str]:
    return dict(FreeText.objects.values_list("uid", "status"))


def test_own_words_write_nothing_and_are_in_the_next_task(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(takes_up("clarify", "by quarter", "t1", "group by quarter", ambiguity=QUARTER))
    first = reviewer.widget
    reviewer.send(control="other", text="by quarter")
    assert ledger.rows(reviewer.session) == []
    second = reviewer.widget
    assert (second["title"], second["id"] != first["id"]) == ("Which quarters?", True)
    text = FreeText.objects.get()
    assert (text.status, text.reading) == ("addressed", "group by quarter")
    task = Run.objects.order_by("-pk")[0].task_document
    assert task is not None
    assert [t["text"] for t in task["texts"]] == ["by quarter"]


def test_a_decision_quotes_the_words_that_led_to_it(reviewer: Reviewer, scripted: Scripted) -> None:
    scripted(takes_up("clarify", "by quarter", "t1", "group by quarter", ambiguity=QUARTER))
    reviewer.send(control="other", text="by quarter")
    reviewer.choose("one")
    row = ledger.view(reviewer.session).of_type("concept_clarified")[0]
    assert row.payload["text_ids"] == ["t1"]
    assert "by quarter" in row.rationale


def test_a_proposal_that_ignores_the_words_fails_after_one_correction(reviewer: Reviewer) -> None:
    reviewer.send(control="other", text="by quarter")
    session = reviewer.session
    assert (session.status, session.failure_code) == ("failed", "text_unaddressed")
    run = Run.objects.order_by("-pk")[0]
    assert run.usage["rounds"] == 2
    assert run.task_document is not None
    assert any(rule.startswith("Correction: ") for rule in run.task_document["rules"])
    assert ledger.rows(session) == []
    assert texts() == {"t1": "open"}


def test_a_failed_step_can_be_tried_again(reviewer: Reviewer, scripted: Scripted) -> None:
    reviewer.send(control="other", text="by quarter")
    scripted(takes_up("clarify", "by quarter", "t1", "group by quarter", ambiguity=QUARTER))
    services.retry(reviewer.public_id, actor=reviewer.actor)
    assert reviewer.widget["title"] == "Which quarters?"


def test_the_correction_may_succeed(reviewer: Reviewer, scripted: Scripted) -> None:
    good = takes_up("clarify", "by quarter", "t1", "group by quarter", ambiguity=QUARTER)
    good["when"]["corrected"] = True
    scripted(good)
    reviewer.send(control="other", text="by quarter")
    assert reviewer.widget["title"] == "Which quarters?"
    assert Run.objects.order_by("-pk")[0].usage["rounds"] == 2


def test_the_refused_proposal_is_not_accepted_again(reviewer: Reviewer, scripted: Scripted) -> None:
    same = transcript()[0]["proposal"]
    scripted(takes_up("clarify", "by quarter", "t1", "understood", **same))
    reviewer.send(control="other", text="by quarter")
    session = reviewer.session
    assert (session.status, session.failure_code) == ("failed", "unchanged_after_text")


def test_a_reading_that_was_not_meant_makes_the_words_open_again(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    wrong = takes_up("clarify", "by quarter", "t1", "only one quarter", ambiguity=QUARTER)
    right = takes_up(
        "clarify",
        "by quarter",
        "t1",
        "every quarter",
        ambiguity=clarify_about("q", "Each quarter?"),
    )
    right["when"]["rejected"] = True
    wrong["when"]["rejected"] = False
    # The first proposal was refused by "Other" as well: tell the two apart by what was shown.
    scripted(wrong, right)
    services.steer(reviewer.public_id, text="by quarter", actor=reviewer.actor)
    first = reviewer.widget
    assert first["title"] == "Which quarters?"
    services.not_meant(reviewer.public_id, text_id="t1", actor=reviewer.actor)
    assert texts() == {"t1": "open"}
    assert reviewer.widget["title"] == "Each quarter?"
    assert FreeText.objects.get().reading == "every quarter"


def test_not_meant_needs_a_text_that_the_pending_question_rests_on(reviewer: Reviewer) -> None:
    services.steer(reviewer.public_id, text="x", actor=reviewer.actor)
    FreeText.objects.update(status="addressed", reading="read by an earlier question")
    assert reviewer.widget
    with pytest.raises(Conflict) as refused:
        services.not_meant(reviewer.public_id, text_id="t1", actor=reviewer.actor)
    assert refused.value.code == "text_not_addressed"


def test_look_further_runs_the_step_again(reviewer: Reviewer, scripted: Scripted) -> None:
    scripted(takes_up("clarify", "lunar", "t1", "lunar years", ambiguity=QUARTER))
    child = {"kind": "freetext", "text": "lunar years"}
    reviewer.choose("look_further", look_further=child)
    assert FreeText.objects.get().kind == "look_further"
    assert reviewer.widget["title"] == "Which quarters?"


def test_words_of_a_multiselect_keep_what_was_ticked(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    tables = transcript()[4]["proposal"]["tables"]
    scripted(takes_up("link_schema", "visits", "t1", "with visits", tables=tables[:1]))
    reviewer.until("schema_linking", "link_schema")
    kept = ["t:dw.fact_ablazione"]
    reviewer.send(control="other", text="visits too", choices=kept)
    selected = [o["id"] for o in reviewer.widget["options"] if o["selected"]]
    assert selected == kept


def test_steering_supersedes_the_pending_question(
    reviewer: Reviewer, steered_transcript: None
) -> None:
    first = reviewer.widget
    version = reviewer.session.version
    assert services.steer(reviewer.public_id, text="only 2023", actor=reviewer.actor) == "t1"
    assert reviewer.session.version == version + 1
    second = reviewer.widget
    assert second["title"] == "Which date is in 2023?"
    assert Widget.objects.get(uid=first["id"]).status == Widget.Status.SUPERSEDED
    body = {"type": "ui_response", "id": first["id"], "kind": "select", "choice": "calendar"}
    with pytest.raises(Conflict) as refused:
        services.answer(reviewer.public_id, body, actor=reviewer.actor)
    assert refused.value.code == "widget_superseded"
    assert refused.value.extra["widget"] == second


def test_steering_sent_twice_with_one_key_is_recorded_once(reviewer: Reviewer) -> None:
    assert reviewer.widget
    ids = [
        services.steer(reviewer.public_id, text="x", actor=reviewer.actor, key="k")
        for _ in range(2)
    ]
    assert ids == ["t1", "t1"]
    assert FreeText.objects.count() == 1


@pytest.mark.parametrize(("text", "code"), [(" ", "text_empty"), ("x" * 4001, "text_too_long")])
def test_steering_that_says_nothing_or_too_much_is_refused(
    reviewer: Reviewer, text: str, code: str
) -> None:
    with pytest.raises(Invalid) as refused:
        services.steer(reviewer.public_id, text=text, actor=reviewer.actor)
    assert refused.value.code == code
    assert FreeText.objects.count() == 0


def test_a_rejected_step_is_written_again_by_its_reason(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    draft = transcript()[5]["proposal"]["ctes"][0]
    better = draft | {"sql": draft["sql"] + " AND data_procedura >= DATE '2017-01-01'"}
    scripted(takes_up("rewrite_cte", "since 2017", "t1", "from 2017", cte=better))
    reviewer.until("cte")
    reason = {"kind": "freetext", "text": "since 2017 only"}
    reviewer.choose("reject", reject=reason)
    widget = reviewer.widget
    assert "2017" in widget["artifact"]["text"]
    task = Run.objects.order_by("-pk")[0].task_document
    assert task is not None
    assert task["rewrite_target"] == "transcatetere"
    row = ledger.view(reviewer.session).of_type("cte_rejected")[0]
    assert row.payload["text_ids"] == ["t1"]
    reviewer.choose("approve")
    approved = ledger.view(reviewer.session).of_type("cte_approved")[0]
    assert "since 2017 only" in approved.rationale
    assert check(reviewer.session) == []


def test_a_rejected_step_may_not_come_back_unchanged(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    draft = transcript()[5]["proposal"]["ctes"][0]
    scripted(takes_up("rewrite_cte", "since 2017", "t1", "from 2017", cte=draft))
    reviewer.until("cte")
    reviewer.choose("reject", reject={"kind": "freetext", "text": "since 2017 only"})
    session = reviewer.session
    assert (session.status, session.failure_code) == ("failed", "unchanged_after_text")


def test_words_that_nobody_takes_up_are_listed_and_marked_at_the_end(reviewer: Reviewer) -> None:
    reviewer.until("closure")
    reviewer.send(control="other", text="call it quits")
    widget = reviewer.widget
    assert "call it quits" in widget["intro"]
    reviewer.choose("decline")
    assert reviewer.session.status == Session.Status.FINALISED
    assert texts() == {"t1": "left_unaddressed"}


def test_rejecting_the_rewriting_steers_the_next_one(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    proposal = transcript()[2]["proposal"]
    better = proposal | {"text": "Number of patients with an ablation by year."}
    scripted(takes_up("rewrite", "patients", "t1", "count patients", **better))
    reviewer.until("rewriting")
    reviewer.choose("reject", reject={"kind": "freetext", "text": "I want patients"})
    assert "Number of patients" in reviewer.widget["artifact"]["text"]
    assert ledger.view(reviewer.session).of_type("question_rewritten") == ()
    reviewer.choose("approve")
    row = ledger.view(reviewer.session).of_type("question_rewritten")[0]
    assert "I want patients" in row.rationale
