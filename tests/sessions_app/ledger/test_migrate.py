from __future__ import annotations

import pytest
from django.core.management import call_command

from tests.sessions_app.builders import make_session


@pytest.mark.django_db
def test_models_and_migrations_agree():
    call_command("makemigrations", "sessions_app", check=True, dry_run=True, verbosity=0)


@pytest.mark.django_db
def test_a_session_starts_at_the_first_stage():
    session = make_session()
    assert (session.phase, session.stage) == ("F1", "clarification")
