from __future__ import annotations

import pytest

from tests.sessions_app.builders import make_session


@pytest.mark.django_db
def test_a_session_starts_at_the_first_stage():
    session = make_session()
    assert (session.phase, session.stage) == ("F1", "clarification")
