from __future__ import annotations

import pytest
from django.db import transaction

from sessions_app import ledger
from tests.sessions_app.builders import clarified, make_session

pytestmark = pytest.mark.django_db


def test_rows_are_numbered_and_the_session_keeps_count_and_head():
    session = make_session()
    with transaction.atomic():
        rows = ledger.append(session, [clarified("ablazione"), clarified("anno")], author="ada")
    assert [row.seq for row in rows] == [1, 2]
    session.refresh_from_db()
    assert session.ledger_count == 2
    assert session.ledger_head == session.ledger.get(seq=2).hash


def test_closing_moves_the_session_and_its_cache():
    session = make_session()
    with transaction.atomic():
        ledger.append(session, [clarified("anno"), ledger.closing("clarification")], author="ada")
    assert (session.phase, session.stage) == ("F2", "memory")
    assert ledger.view(session).stage == "memory"
