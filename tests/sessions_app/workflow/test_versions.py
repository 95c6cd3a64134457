"""A session keeps the workflow it began with."""

from __future__ import annotations

import io
import json

import pytest
from django.core import checks
from django.core.management import CommandError, call_command
from django.test import override_settings

from sessions_app import ledger, workflow
from sessions_app.errors import LedgerRefused, WorkflowChanged
from sessions_app.models import WorkflowVersion
from tests.sessions_app.builders import DATA, clarified, decide, make_session, rewritten

pytestmark = pytest.mark.django_db
GOOD = workflow.DEFAULT_FILE.read_text(encoding="utf-8")


@pytest.fixture
def installed(tmp_path):
    """`installed(text)`: that text is the installed workflow until the test ends."""
    overrides = []

    def install(text):
        file = tmp_path / f"workflow{len(overrides)}.yaml"
        file.write_text(text)
        override = override_settings(THOTH_WORKFLOW_FILE=str(file))
        override.enable()
        overrides.append(override)

    yield install
    for override in reversed(overrides):
        override.disable()


CHANGED = GOOD.replace("emits: [question_rewritten]", "emits: [question_rewritten, ambiguity_open]")


def database_errors():
    return {m.id for m in checks.run_checks(databases=["default"], tags=[checks.Tags.database])}


def test_the_workflow_is_stored_once():
    first, second = workflow.current_version(), workflow.current_version()
    assert first == second
    assert workflow.parse(first.yaml).sha256 == first.sha256


def test_another_content_under_a_used_version_stops_the_start(installed):
    make_session()
    assert "sessions_app.E001" not in database_errors()
    installed(CHANGED)
    assert "sessions_app.E001" in database_errors()
    with pytest.raises(Exception, match="Raise `version`"):
        call_command("migrate", skip_checks=False, verbosity=0, stdout=io.StringIO())
    with pytest.raises(WorkflowChanged) as caught:
        workflow.current_version()
    assert caught.value.code == "workflow_version_changed"


def test_a_content_that_no_session_uses_is_replaced(installed):
    workflow.current_version()
    installed(CHANGED)
    assert "sessions_app.E001" not in database_errors()
    assert workflow.current_version().sha256 == workflow.parse(CHANGED).sha256
    assert WorkflowVersion.objects.count() == 1


def test_a_session_is_interpreted_by_the_version_it_began_with(installed):
    old = make_session()
    installed((DATA / "workflow" / "five_phases.yaml").read_text())
    new = make_session()
    decide(new, rewritten())  # F1 of five phases may rewrite
    with pytest.raises(LedgerRefused):
        decide(old, rewritten())
    decide(old, clarified("x"), ledger.closing("clarification"))
    assert (old.phase, ledger.view(old).phase) == ("F2", "F2")
    decide(new, ledger.closing("clarification"))
    assert (new.phase, new.stage) == ("F1", "memory")


def test_phase_meta_prints_json_and_nothing_else():
    out = io.StringIO()
    call_command("phase", "meta", "--json", stdout=out)
    meta = json.loads(out.getvalue())
    assert (meta["max_phase"], meta["schema_linking_phase"]) == ("F8", "F4")
    assert meta["phases"][5]["artifacts_out"] == ["cte_plan.json", "ctes/*.sql", "cte_tests.json"]
    assert meta["decision_min_phase"]["concept_clarified"] == "F1"
    assert meta["decision_min_phase"]["sql_approved"] == "F7"
    assert set(meta["phases"][0]) == {"id", "stages", "name", "advance", "emits", "artifacts_out"}


def test_phase_meta_derives_everything_from_the_file(installed):
    installed((DATA / "workflow" / "five_phases.yaml").read_text())
    meta = workflow.meta(workflow.default())
    assert (meta["max_phase"], meta["schema_linking_phase"]) == ("F5", "F2")
    assert meta["decision_min_phase"]["sql_approved"] == "F4"


def test_an_unknown_action_is_misuse():
    with pytest.raises(CommandError):
        call_command("phase", "guess")
