"""Each refusal of the ledger, by its code; and that nothing of a refused batch is written."""

from __future__ import annotations

import pytest

from sessions_app import ledger
from sessions_app.errors import REFUSALS, LedgerRefused
from sessions_app.models import LedgerRow, Session
from tests.sessions_app.builders import (
    answer,
    clarified,
    decide,
    make_session,
    promoted,
    rewritten,
    sql_approved,
    walk,
)
from thoth.contracts.decisions import Decision
from thoth.lib.errors import Invalid

pytestmark = pytest.mark.django_db


def meta(type_: str, subject: str) -> Decision:
    return Decision(type=type_, subject=subject)


def retract(seq: object) -> Decision:
    return meta("decision_retracted", f"seq:{seq}")


def reopen(phase: str) -> Decision:
    return meta("phase_reopened", f"phase:{phase}")


def _two_widgets(session: Session) -> None:
    answer(session, clarified("ablazione"))
    answer(session, clarified("anno"))


def _closed_f1_by_widget(session: Session) -> None:
    answer(session, clarified("ablazione"), ledger.closing("clarification"))


# code -> how far the session is, and the decision that is refused there
CASES = [
    ("session_finalised", "end", clarified("x")),
    ("session_finalised", "end", reopen("F1")),
    ("session_finalised", "end", retract(1)),
    ("decision_unknown_type", "", meta("concept_guessed", "x")),
    ("decision_legacy_type", "", meta("memory_rejected", "mem-0001")),
    ("decision_legacy_type", "cte", meta("cte_corrected", "x")),
    ("decision_payload_invalid", "", meta("concept_clarified", "x")),
    ("decision_payload_invalid", "", clarified("y", surprise=1)),
    ("decision_subject_invalid", "final_sql", meta("sql_approved", "SELECT 1")),
    ("decision_subject_invalid", "schema_linking", promoted("fact_ablazione")),
    ("decision_subject_invalid", "schema_linking", meta("column_promoted", "dw.fact_ablazione")),
    ("decision_subject_invalid", "schema_linking", meta("join_approved", "b.b.b=a.a.a")),
    (
        "decision_subject_invalid",
        "schema_linking",
        meta("join_approved", "a.a.a=b.b.b&a.a.a=a.b.b"),
    ),
    ("decision_subject_invalid", "", meta("phase_approved", "clarification")),
    ("decision_subject_invalid", "", retract("last")),
    ("decision_subject_invalid", "cte", meta("phase_skipped", "phase:F7")),
    ("decision_not_allowed_here", "", rewritten()),
    ("decision_not_allowed_here", "", sql_approved()),
    ("decision_not_allowed_here", "rewriting", clarified("x")),
    ("decision_not_allowed_here", "synthesis", promoted()),
    ("stage_not_current", "", ledger.closing("rewriting")),
    ("stage_not_current", "", meta("phase_approved", "stage:no_such_stage")),
    ("stage_already_closed", "rewriting", ledger.closing("clarification")),
    ("stage_already_closed", "rewriting", ledger.closing("memory", auto=True)),
    ("auto_approval_not_allowed", "", ledger.closing("clarification", auto=True)),
    ("prerequisites_not_met", "rewriting", ledger.closing("rewriting")),
    ("prerequisites_not_met", "synthesis", ledger.closing("synthesis")),
    ("prerequisites_not_met", "cte", ledger.closing("cte")),
    ("prerequisites_not_met", "closure", ledger.closing("closure")),
    ("retraction_not_in_view", "", retract(1)),
    ("retraction_not_in_view", "rewriting", retract(99)),
    ("retraction_of_closing_row", _closed_f1_by_widget, retract(2)),
    ("retraction_other_phase", _closed_f1_by_widget, retract(1)),
    ("retraction_not_last_widget", _two_widgets, retract(1)),
    ("reopening_unknown_phase", "", reopen("F9")),
    ("reopening_later_phase", "rewriting", reopen("F4")),
]


@pytest.mark.parametrize(
    ("code", "state", "refused"), CASES, ids=[f"{c[0]}-{c[2].type}-{c[2].subject}" for c in CASES]
)
def test_the_ledger_refuses(code, state, refused):
    session = make_session()
    if callable(state):
        state(session)
    elif state:
        walk(session, state)
    before = LedgerRow.objects.count()
    with pytest.raises(LedgerRefused) as caught:
        decide(session, refused)
    assert caught.value.code == code
    assert LedgerRow.objects.count() == before


def test_every_refusal_has_a_case():
    assert {case[0] for case in CASES} == set(REFUSALS)


def test_a_batch_is_written_whole_or_not_at_all():
    session = make_session()
    with pytest.raises(LedgerRefused):
        decide(session, clarified("ablazione"), rewritten())
    session.refresh_from_db()
    assert (session.ledger_count, LedgerRow.objects.count()) == (0, 0)


def test_each_decision_is_judged_by_what_the_ones_before_it_leave():
    session = make_session()
    with pytest.raises(LedgerRefused) as caught:
        decide(session, ledger.closing("clarification"), ledger.closing("clarification"))
    assert caught.value.code == "stage_already_closed"
    with pytest.raises(LedgerRefused) as caught:
        decide(
            session,
            ledger.closing("clarification"),
            Decision(type="ambiguity_open", subject="x", payload={"undetermined": "y"}),
        )
    assert caught.value.code == "decision_not_allowed_here"


def test_a_caller_of_another_stage_is_refused():
    session = make_session()
    with pytest.raises(LedgerRefused) as caught:
        ledger.append(session, [clarified("x")], author="ada", stage="memory")
    assert caught.value.code == "stage_not_current"


def test_the_last_closing_needs_the_prerequisites_of_all_stages():
    session = walk(make_session(), "closure")
    session.artifacts.filter(name="schema_linking.json").delete()
    with pytest.raises(LedgerRefused) as caught:
        decide(session, meta("datamart_declined", "datamart"), ledger.closing("closure"))
    assert caught.value.extra["unmet"] == [
        "synthesis: artifact_validates schema_linking.json SchemaLinking"
    ]


def test_a_cte_whose_file_is_not_the_approved_text_keeps_the_stage_open():
    session = walk(make_session(), "cte")
    from sessions_app import artifacts
    from tests.sessions_app.builders import cte_approved, plan_json

    artifacts.put(session, "cte_plan.json", plan_json("per_anno"), stage="cte")
    artifacts.put(session, "ctes/per_anno.sql", "SELECT 2", stage="cte")
    decide(session, cte_approved("per_anno", "SELECT 1"))
    with pytest.raises(LedgerRefused) as caught:
        decide(session, ledger.closing("cte"))
    assert caught.value.code == "prerequisites_not_met"


@pytest.mark.parametrize(("plan", "skipped"), [(True, False), (False, True)])
def test_an_empty_plan_or_a_skip_lets_the_engine_close_the_cte_stage(plan, skipped):
    session = walk(make_session(), "cte")
    from sessions_app import artifacts
    from tests.sessions_app.builders import plan_json

    if plan:
        artifacts.put(session, "cte_plan.json", plan_json(), stage="cte")
    if skipped:
        decide(session, meta("phase_skipped", "phase:F6"))
        assert session.stage == "cte"  # skipping closes nothing
    decide(session, ledger.closing("cte", auto=True))
    assert session.stage == "final_sql"


def test_reopening_twice_with_nothing_between_adds_one_row():
    session = walk(make_session(), "schema_linking")
    assert len(decide(session, reopen("F3"))) == 1
    assert decide(session, reopen("F3")) == []
    decide(session, rewritten())
    assert len(decide(session, reopen("F3"))) == 1


def test_reopening_the_current_phase_is_allowed_and_has_its_phase():
    session = walk(make_session(), "schema_linking")
    (row,) = decide(session, reopen("F4"))
    assert (row.phase, row.stage) == ("F4", "schema_linking")


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("detail", "a\x00b", "text_nul"),
        ("rationale", "\ud800", "text_surrogate"),
        ("subject", "a\x00", "text_nul"),
        ("payload", {"definition": "a\x00b"}, "text_nul"),
    ],
)
def test_unstorable_characters_are_refused(field, value, code):
    session = make_session()
    with pytest.raises(Invalid) as caught:
        decide(session, clarified("x").model_copy(update={field: value}))
    assert caught.value.code == code
