"""Going back: what the ledger gets, what is torn down, what stays."""

from __future__ import annotations

import datetime as dt

import pytest

from sessions_app import artifacts, events, ledger
from sessions_app.check import check
from sessions_app.dialogue import Written, text_record
from sessions_app.errors import Inconsistent, LedgerRefused
from sessions_app.models import (
    Content,
    FreeText,
    LedgerRow,
    OutboxRow,
    Receipt,
    ResultFile,
    Run,
    Session,
)
from sessions_app.rollback import rollback, rollback_losses
from sessions_app.rollback.targets import available
from tests.sessions_app.builders import (
    NOW,
    answer,
    clarified,
    decide,
    make_session,
    make_widget,
    promoted,
    walk,
)
from thoth.contracts.decisions import Decision
from thoth.lib.errors import Conflict, Invalid, NotFound, Stale

pytestmark = pytest.mark.django_db


def back(session, target, **more):
    """A rollback by somebody who sees the session as it is."""
    session.refresh_from_db()
    version = more.pop("expected_version", session.version)
    done = rollback(session.public_id, target, author="ada", expected_version=version, **more)
    session.refresh_from_db()
    return done


def names(session):
    return [artifact.name for artifact in artifacts.listing(session)]


def types(session, after=0):
    return [(row.type, row.subject) for row in ledger.rows(session) if row.seq > after]


def receipt(session, phase, stage):
    Receipt.objects.create(
        session=session, phase=phase, stage=stage, purpose="rewriting",
        vector_generation="g1", created_at=NOW,
    )  # fmt: skip


def running(session, step="final_sql"):
    return Run.objects.create(
        session=session, session_version=session.version, step=step, phase=session.phase,
        stage=session.stage, lease_token="mine", lease_until=NOW, started_at=NOW,
    )  # fmt: skip


# --- to a phase


def test_reopening_writes_one_row_and_tears_down_from_there_on():
    session = walk(make_session(), "closure")
    for phase, stage in (("F1", "clarification"), ("F4", "schema_linking"), ("F7", "final_sql")):
        receipt(session, phase, stage)
    before, count = session.version, session.ledger_count
    done = back(session, "F4")
    assert types(session, count) == [("phase_reopened", "phase:F4")]
    assert (session.phase, session.stage, session.status) == ("F4", "schema_linking", "running")
    assert session.version == before + 1
    assert names(session) == ["question.md"]  # an earlier artifact is left untouched
    assert list(Receipt.objects.values_list("stage", flat=True)) == ["clarification"]
    assert done.phase == "F4"
    assert check(session) == []


def test_nothing_leaves_the_ledger_nor_the_content_store():
    session = walk(make_session(), "closure")
    rows, contents = LedgerRow.objects.count(), Content.objects.count()
    back(session, "F1")
    assert LedgerRow.objects.count() == rows + 1
    assert Content.objects.count() == contents
    assert names(session) == []


def test_answers_of_the_phase_and_later_are_undone_and_the_pending_widget_superseded():
    session = walk(make_session(), "cte")
    pending = make_widget(session)
    back(session, "F4")
    statuses = dict(session.widgets.values_list("uid", "status"))
    assert [statuses[u] for u in ("u1", "u2", "u3")] == ["answered"] * 3  # F1, F3
    assert [statuses[u] for u in ("u4", "u5", "u6", "u7")] == ["undone"] * 4  # F4, F5
    assert statuses[pending.uid] == "superseded"
    told = [e.payload for e in events.read(session) if e.kind == "ui_superseded"]
    assert told == [{"id": pending.uid}]


def test_texts_of_the_phases_are_dropped_but_not_the_one_given_with_the_rollback():
    session = make_session()
    early = text_record(session, Written("il solo 2024", FreeText.Kind.STEERING, "ada"), now=NOW)
    walk(session, "schema_linking")
    late = text_record(session, Written("altro", FreeText.Kind.OTHER, "ada"), now=NOW)
    count = session.ledger_count
    done = back(session, "F3", text=" anche il 2023 ")
    texts = dict(session.texts.values_list("uid", "status"))
    assert texts == {early.uid: "open", late.uid: "dropped", done.text_id: "open"}
    given = session.texts.get(uid=done.text_id)
    assert (given.text, given.kind, given.stage) == ("anche il 2023", "rollback", "rewriting")
    row = session.ledger.get(seq=count + 1)
    assert row.payload == {"text_ids": [done.text_id], "reason": " anche il 2023 "}


def test_what_an_undone_widget_had_addressed_is_unaddressed_again():
    session = make_session()
    text = text_record(session, Written("il solo 2024", FreeText.Kind.STEERING, "ada"), now=NOW)
    walk(session, "rewriting")
    widget = make_widget(session)
    FreeText.objects.filter(pk=text.pk).update(
        status="addressed", reading="period = 2024", addressed_by_widget=widget
    )
    back(session, "F3")
    text.refresh_from_db()
    assert (text.status, text.reading, text.addressed_by_widget) == ("open", "", None)


def test_running_runs_lose_their_lease():
    session = walk(make_session(), "final_sql")
    run = running(session)
    back(session, "F6")
    run.refresh_from_db()
    assert (run.status, run.lease_token, run.lease_until) == ("superseded", "", None)


def test_results_are_deleted_with_their_files(
    settings, tmp_path, django_capture_on_commit_callbacks
):
    settings.THOTH_HOME = tmp_path
    (tmp_path / "results").mkdir()
    file = tmp_path / "results" / "r1.gz"
    file.write_bytes(b"rows")
    session = walk(make_session(), "closure")
    ResultFile.objects.create(
        session=session, phase="F7", stage="final_sql", sql_sha256="a" * 64, path="r1.gz",
        file_sha256="b" * 64, size_bytes=4, row_count=1, created_at=NOW,
        expires_at=NOW + dt.timedelta(hours=24),
    )  # fmt: skip
    assert rollback_losses(session, "F7").results == 1
    with django_capture_on_commit_callbacks(execute=True):
        back(session, "F7")
        assert file.exists()  # not before the commit
    assert not file.exists()
    assert ResultFile.objects.count() == 0


def test_memory_that_left_the_view_is_retired_once():
    session = walk(make_session(), "closure")
    promotion = Decision(type="memory_promoted", subject="seq:1", payload={"memory_id": "mem-0007"})
    decide(session, promotion)
    assert rollback_losses(session, "F7").memory == ("mem-0007",)
    back(session, "F7")
    (row,) = OutboxRow.objects.all()
    assert (row.kind, row.payload["memory_id"], row.status) == (
        "memory_retire", "mem-0007", "pending",
    )  # fmt: skip


def test_a_failed_or_paused_session_runs_again():
    session = walk(make_session(), "rewriting")
    Session.objects.filter(pk=session.pk).update(
        status="failed", failure_code="model_failed", failure_message="it broke"
    )
    back(session, "F1")
    assert (session.status, session.failure_code, session.failure_message) == ("running", "", "")


def test_watchers_are_told_of_the_rollback_and_the_phase():
    session = walk(make_session(), "schema_linking")
    back(session, "F1")
    told = [e.payload for e in events.read(session) if e.kind == "system_event"]
    assert told == [
        {"event": "rollback", "target": "F1", "phase": "F1", "stage": "clarification"},
        {"event": "phase_changed", "phase": "F1", "stage": "clarification"},
    ]


def test_reopening_the_current_phase_starts_it_anew():
    session = walk(make_session(), "schema_linking")
    answer(session, promoted())
    back(session, "F4")
    assert session.stage == "schema_linking"
    assert ledger.view(session).of_type("table_promoted") == ()


# --- twice


def test_reopening_twice_with_nothing_between_changes_nothing():
    session = walk(make_session(), "schema_linking")
    back(session, "F3")
    pending = make_widget(session)
    version, count = session.version, session.ledger_count
    done = back(session, "F3")
    assert done.changed is False
    assert (session.version, session.ledger_count) == (version, count)
    pending.refresh_from_db()
    assert pending.status == "pending"


def test_reopening_again_with_a_text_adds_no_row_but_asks_anew():
    session = walk(make_session(), "schema_linking")
    first = back(session, "F3", text="solo il 2024")
    pending = make_widget(session)
    count = session.ledger_count
    second = back(session, "F3", text="e solo Milano")
    assert second.changed is True
    assert session.ledger_count == count
    pending.refresh_from_db()
    assert pending.status == "superseded"
    # Both texts were given with this reopening: both must be addressed.
    assert dict(session.texts.values_list("uid", "status")) == {
        first.text_id: "open", second.text_id: "open",
    }  # fmt: skip


# --- to the previous phase


def test_previous_is_the_nearest_earlier_phase_in_which_something_was_answered():
    session = walk(make_session(), "rewriting")  # F2 closed itself: nothing was answered there
    assert back(session, "previous").phase == "F1"


def test_previous_counts_only_answers_that_stand():
    session = walk(make_session(), "synthesis")
    assert back(session, "previous").phase == "F4"
    assert back(session, "previous").phase == "F3"
    assert back(session, "previous").phase == "F1"
    with pytest.raises(Conflict) as caught:
        back(session, "previous")
    assert caught.value.code == "no_previous_phase"


# --- one answer


def test_answering_again_retracts_the_decisions_of_the_last_answer():
    session = walk(make_session(), "schema_linking")
    answer(session, promoted("dw.a"))
    widget = answer(session, promoted("dw.b"), promoted("dw.c"))
    pending = make_widget(session)
    count = session.ledger_count
    done = back(session, "again")
    assert types(session, count) == [
        ("decision_retracted", f"seq:{count - 1}"),
        ("decision_retracted", f"seq:{count}"),
    ]
    assert (session.phase, done.phase) == ("F4", "F4")
    assert [r.subject for r in ledger.view(session).of_type("table_promoted")] == ["dw.a"]
    widget.refresh_from_db()
    pending.refresh_from_db()
    assert (widget.status, pending.status) == ("undone", "superseded")
    assert check(session) == []


def test_answering_again_twice_takes_back_the_answer_before():
    session = walk(make_session(), "schema_linking")
    answer(session, promoted("dw.a"))
    answer(session, promoted("dw.b"))
    back(session, "again")
    back(session, "again")
    assert ledger.view(session).of_type("table_promoted") == ()
    with pytest.raises(Conflict) as caught:
        back(session, "again")
    assert caught.value.code == "nothing_to_answer_again"


def test_answering_again_deletes_what_that_answer_or_a_later_widget_produced():
    session = walk(make_session(), "cte")
    moment = NOW + dt.timedelta(minutes=1)
    artifacts.put(session, "cte_plan.json", '{"ctes": []}', stage="cte", widget="u7", now=NOW)
    widget = answer(session, Decision(type="cte_rejected", subject="a"))
    artifacts.put(session, "ctes/a.sql", "SELECT 1", stage="cte", widget=widget.uid, now=moment)
    artifacts.put(session, "cte_tests.json", "{}", stage="cte", now=moment)  # of a later step
    artifacts.put(session, "ctes/b.sql", "SELECT 1", stage="cte", widget=make_widget(session).uid)
    lost = rollback_losses(session, "again")
    assert lost.artifacts == ("cte_tests.json", "ctes/a.sql", "ctes/b.sql")
    back(session, "again")
    assert [n for n in names(session) if n.startswith("cte")] == ["cte_plan.json"]


def test_answering_again_drops_the_texts_of_that_answer_only():
    session = make_session()
    first = answer(session)
    kept = text_record(session, Written("uno", FreeText.Kind.OTHER, "ada"), now=NOW, widget=first)
    second = answer(session)
    gone = text_record(session, Written("due", FreeText.Kind.OTHER, "ada"), now=NOW, widget=second)
    back(session, "again")
    assert dict(session.texts.values_list("uid", "status")) == {
        kept.uid: "open",
        gone.uid: "dropped",
    }


def test_answering_again_is_not_offered_for_an_answer_of_another_phase():
    session = walk(make_session(), "memory")
    with pytest.raises(Conflict) as caught:
        back(session, "again")
    assert caught.value.code == "nothing_to_answer_again"
    assert "again" not in available(session)


# --- refusals


def test_a_stale_version_is_refused_and_nothing_changes():
    session = walk(make_session(), "schema_linking")
    with pytest.raises(Stale) as caught:
        back(session, "F1", expected_version=session.version - 1)
    assert (caught.value.code, caught.value.status) == ("session_version_stale", 412)
    assert session.phase == "F4"


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("F9", "reopening_unknown_phase"),
        ("F5", "reopening_later_phase"),
        ("", "reopening_unknown_phase"),
    ],
)
def test_where_nobody_can_go_back_to(target, code):
    session = walk(make_session(), "schema_linking")
    for action in (lambda: back(session, target), lambda: rollback_losses(session, target)):
        with pytest.raises(LedgerRefused) as caught:
            action()
        assert caught.value.code == code


@pytest.mark.parametrize("target", ["again", "previous", "F1"])
def test_a_finalised_session_stays_as_it_is(target):
    session = walk(make_session(), "end")
    with pytest.raises(LedgerRefused) as caught:
        back(session, target)
    assert caught.value.code == "session_finalised"
    assert available(session) == {}


def test_an_unknown_session():
    with pytest.raises(NotFound) as caught:
        rollback("no-such-session", "F1", author="ada", expected_version=1)
    assert caught.value.code == "session_not_found"


def test_a_text_that_cannot_be_stored_undoes_everything():
    session = walk(make_session(), "schema_linking")
    count = session.ledger_count
    with pytest.raises(Invalid):
        back(session, "F1", text="x" * 4001)
    session.refresh_from_db()
    assert (session.phase, session.ledger_count) == ("F4", count)


def test_a_rollback_that_would_leave_a_contradiction_is_undone():
    session = walk(make_session(), "final_sql")
    # Approved elsewhere, its file is gone: going back to F7 does not heal that.
    session.artifacts.filter(name="ctes/per_anno.sql").delete()
    before = (session.version, session.ledger_count)
    with pytest.raises(Inconsistent) as caught:
        back(session, "F7")
    assert caught.value.extra["findings"][0]["code"] == "approved_text_missing"
    session.refresh_from_db()
    assert (session.version, session.ledger_count) == before


# --- what is lost


def test_the_losses_name_everything_and_change_nothing():
    session = walk(make_session(), "cte")
    text = text_record(session, Written("solo Milano", FreeText.Kind.OTHER, "ada"), now=NOW)
    receipt(session, "F4", "schema_linking")
    pending = make_widget(session)
    lost = rollback_losses(session, "F4")
    assert [(d.subject, d.offered) for d in lost.decisions] == [
        ("dw.fact_ablazione", True), ("dw.dim_tempo", True),
    ]  # fmt: skip
    assert lost.artifacts == ("schema_linking.json",)
    assert [(t.uid, t.text) for t in lost.texts] == [(text.uid, "solo Milano")]
    assert lost.answers == ("u4", "u5", "u6", "u7")
    assert (lost.pending, lost.receipts, lost.results, lost.memory) == (pending.uid, 1, 0, ())
    session.refresh_from_db()
    assert (session.phase, session.artifacts.count()) == ("F6", 2)


def test_decisions_of_later_phases_are_lost_for_good():
    session = walk(make_session(), "cte")
    offered = {d.subject: d.offered for d in rollback_losses(session, "F3").decisions}
    assert offered == {"question": True, "dw.fact_ablazione": False, "dw.dim_tempo": False}


def test_the_losses_foretell_what_the_rollback_does():
    session = walk(make_session(), "closure")
    lost = rollback_losses(session, "F3")
    done = back(session, "F3")
    assert done.losses == lost
    assert set(lost.artifacts).isdisjoint(names(session))


def test_the_targets_on_offer():
    session = walk(make_session(), "rewriting")
    assert available(session) == {"previous": "F1", "F1": "F1", "F2": "F2", "F3": "F3"}
    answer(session)
    assert available(session)["again"] == "F3"


def test_a_clarification_before_survives_a_reopening_of_f2():
    session = walk(make_session(), "schema_linking")
    back(session, "F2")
    assert [r.subject for r in ledger.view(session).of_type("concept_clarified")] == ["ablazione"]
    decide(session, clarified("x"))
    assert session.phase == "F2"
