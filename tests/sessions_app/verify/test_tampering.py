"""What the owner of the database can do with triggers disabled, and what finds it."""

from __future__ import annotations

import contextlib
import json

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.test import override_settings

from sessions_app import chain, ledger, ledger_export
from sessions_app.models import LedgerRow, Session
from sessions_app.models.session import GENESIS
from sessions_app.verify import verify
from tests.sessions_app.builders import NOW, clarified, decide, make_session, walk
from thoth.lib.errors import Invalid

pytestmark = pytest.mark.django_db


@contextlib.contextmanager
def as_owner():
    """The table's owner, with the triggers out of the way."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE sessions_app_ledgerrow DISABLE TRIGGER ALL")
        yield cursor
        cursor.execute("ALTER TABLE sessions_app_ledgerrow ENABLE TRIGGER ALL")


@pytest.fixture
def session():
    session = make_session()
    decide(session, *(clarified(f"concept {i}", "ragione") for i in range(5)))
    return session


def codes(findings):
    return {finding.code for finding in findings}


def test_an_untouched_ledger_is_intact_against_its_own_export(session):
    assert verify(session, against=ledger_export.export_text(session)) == []


def test_a_whole_walk_is_intact():
    assert verify(walk(make_session(), "end")) == []


@pytest.mark.parametrize(
    "change",
    [
        "detail = 'X'",
        "rationale = ' '",
        "subject = 'concept 9'",
        "author = 'eve'",
        "widget = 'u9'",
        "type = 'ambiguity_open'",
        "phase = 'F2'",
        "stage = 'memory'",
        "created_at = created_at + interval '1 microsecond'",
        "payload = jsonb_set(payload, '{definition}', '\"ragionE\"')",
        "payload = payload || '{\"restored_from\": 1}'",
    ],
)
def test_a_changed_byte_is_found_and_named(session, change):
    with as_owner() as cursor:
        cursor.execute(f"UPDATE sessions_app_ledgerrow SET {change} WHERE seq = 3")
    (finding,) = verify(session)
    assert finding.code == "row_changed"
    assert "Row 3" in finding.message


def test_a_removed_tail_is_found_by_the_session(session):
    with as_owner() as cursor:
        cursor.execute("DELETE FROM sessions_app_ledgerrow WHERE seq > 3")
    assert codes(verify(session)) == {"tail_removed", "head_differs"}


def test_a_row_removed_from_the_middle_is_found(session):
    with as_owner() as cursor:
        cursor.execute("DELETE FROM sessions_app_ledgerrow WHERE seq = 3")
    assert codes(verify(session)) >= {"row_missing", "chain_broken", "tail_removed"}


def remove_tail_thoroughly(session, keep):
    """Delete the tail and make the session agree with what is left."""
    with as_owner() as cursor:
        cursor.execute("DELETE FROM sessions_app_ledgerrow WHERE seq > %s", [keep])
        head = LedgerRow.objects.get(session=session, seq=keep).hash if keep else GENESIS
        Session.objects.filter(pk=session.pk).update(ledger_count=keep, ledger_head=head)


@pytest.mark.parametrize("keep", [3, 0])
def test_a_tail_removed_with_count_and_head_is_found_by_an_export(session, keep):
    export = ledger_export.export_text(session)
    remove_tail_thoroughly(session, keep)
    assert verify(session) == []  # the session alone cannot tell
    assert codes(verify(session, against=export)) == {"tail_removed"}


def test_a_tail_removed_with_count_and_head_is_found_by_the_log(
    caplog, django_capture_on_commit_callbacks
):
    session = make_session()
    with (
        caplog.at_level("INFO", logger="sessions_app.ledger"),
        django_capture_on_commit_callbacks(execute=True),
    ):
        decide(session, clarified("a"))
        decide(session, clarified("b"))
    lines = [f"INFO web {message}" for message in caplog.messages]
    assert verify(session, log_lines=lines) == []
    remove_tail_thoroughly(session, 1)
    assert codes(verify(session, log_lines=lines)) == {"tail_removed"}
    decide(session, clarified("c"))  # written over what was removed
    assert codes(verify(session, log_lines=lines)) == {"differs_from_log"}


def rehash(session, from_seq):
    """Sign the chain anew from a row on, with whatever key the settings have."""
    rows = list(LedgerRow.objects.filter(session=session).order_by("seq"))
    head = rows[from_seq - 2].hash if from_seq > 1 else GENESIS
    with as_owner() as cursor:
        for row in rows[from_seq - 1 :]:
            hash_ = chain.row_hash(session.public_id, ledger_export.as_row(row), head)
            cursor.execute(
                "UPDATE sessions_app_ledgerrow SET prev_hash = %s, hash = %s WHERE id = %s",
                [f"{row.pk:064x}", hash_, row.pk],
            )
            cursor.execute(
                "UPDATE sessions_app_ledgerrow SET prev_hash = %s WHERE id = %s", [head, row.pk]
            )
            head = hash_
        Session.objects.filter(pk=session.pk).update(ledger_head=head)


def test_a_chain_rehashed_without_the_key_is_found(session):
    with as_owner() as cursor:
        cursor.execute("UPDATE sessions_app_ledgerrow SET detail = 'X' WHERE seq = 2")
    with override_settings(THOTH_LEDGER_KEY="a guess"):
        rehash(session, 2)
        assert verify(session)[0].message.startswith("Row 1 ")  # the guess does not fit row 1
    findings = verify(session)
    assert codes(findings) == {"row_changed"}
    assert len(findings) == 4  # rows 2 to 5: everything signed with another key


def test_a_chain_rehashed_with_the_key_is_still_found_by_an_export(session):
    export = ledger_export.export_text(session)
    with as_owner() as cursor:
        cursor.execute("UPDATE sessions_app_ledgerrow SET detail = 'X' WHERE seq = 2")
    rehash(session, 2)
    assert verify(session) == []
    assert codes(verify(session, against=export)) == {"differs_from_export"}


def test_a_forged_row_at_the_end_is_found(session):
    LedgerRow.objects.create(
        session=session, seq=6, type="concept_clarified", phase="F1", stage="clarification",
        subject="x", payload={"definition": "y"}, author="ada", created_at=NOW,
        prev_hash=session.ledger_head, hash="f" * 64,
    )  # fmt: skip
    assert codes(verify(session)) == {"row_changed", "rows_added", "head_differs"}


def test_rows_of_another_session_do_not_fit(session):
    other = make_session()
    decide(other, clarified("concept 0", "ragione"))
    with as_owner() as cursor:
        cursor.execute(
            "UPDATE sessions_app_ledgerrow AS mine SET hash = theirs.hash"
            " FROM sessions_app_ledgerrow AS theirs"
            " WHERE mine.session_id = %s AND mine.seq = 1 AND theirs.session_id = %s",
            [session.pk, other.pk],
        )
    assert "row_changed" in codes(verify(session))


def test_an_export_stays_true_while_the_ledger_grows(session):
    export = ledger_export.export_text(session)
    decide(session, clarified("later"))
    assert verify(session, against=export) == []


def test_a_changed_export_is_found(session):
    lines = ledger_export.export_text(session).splitlines()
    row = json.loads(lines[2])
    row["detail"] = "changed"
    lines[2] = json.dumps(row)
    assert "export_changed" in codes(verify(session, against="\n".join(lines)))
    assert "export_incomplete" in codes(verify(session, against="\n".join(lines[:-1])))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "{}",
        "[1]",
        '{"record":"ledger"}',
        '{"record":"ledger","session":"x","count":"y","head":""}',
    ],
)
def test_what_is_no_export_is_refused_by_name(session, text):
    with pytest.raises(Invalid) as caught:
        verify(session, against=text)
    assert caught.value.code == "export_unreadable"


def test_an_export_of_another_session_is_refused(session):
    other = make_session()
    with pytest.raises(Invalid) as caught:
        verify(session, against=ledger_export.export_text(other))
    assert caught.value.code == "export_of_other_session"


def test_without_a_key_nothing_is_recorded():
    session = make_session()
    with (
        override_settings(THOTH_LEDGER_KEY=""),
        pytest.raises(ImproperlyConfigured, match="THOTH_LEDGER_KEY"),
        transaction.atomic(),
    ):
        ledger.append(session, [clarified("x")], author="ada")
    assert LedgerRow.objects.count() == 0


def test_an_export_that_quotes_line_separators_is_read_back(session):
    decide(session, clarified("concept x", "one\u2028two\x85three\x1c"))
    assert verify(session, against=ledger_export.export_text(session)) == []
    assert verify(session, against=ledger_export.export_text(session).replace("\n", "\r\n")) == []


def test_an_export_nested_beyond_reason_is_unreadable(session):
    with pytest.raises(Invalid) as refused:
        verify(session, against="[" * 200_000)
    assert refused.value.code == "export_unreadable"
