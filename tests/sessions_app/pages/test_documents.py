"""Documents, model runs, the ledger: what can be opened from the side."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from sessions_app.models import Run
from tests.sessions_app.builders import make_session
from tests.sessions_app.kit import Reviewer
from tests.sessions_app.pages.conftest import HTMX, tamper, url

pytestmark = pytest.mark.django_db


def test_a_document_opens_in_a_dialog_or_as_a_page(owner: Client, approved: Reviewer) -> None:
    fragment = owner.get(url(approved, "artifacts/sql_final.sql"), headers=HTMX).content.decode()
    assert fragment.lstrip().startswith("<dialog")
    assert '<span class="k">SELECT</span>' in fragment
    assert "<html" in owner.get(url(approved, "artifacts/sql_final.sql")).content.decode()


def test_documents_in_folders_open(owner: Client, approved: Reviewer) -> None:
    names = [line.name for line in owner.get(url(approved)).context["session"].sidebar.artifacts]
    ctes = [name for name in names if name.startswith("ctes/")]
    assert ctes
    assert owner.get(url(approved, f"artifacts/{ctes[0]}")).status_code == 200


def test_the_schema_is_a_table_and_a_diagram(owner: Client, approved: Reviewer) -> None:
    page = owner.get(url(approved, "artifacts/schema_linking.json"), headers=HTMX).content.decode()
    assert "flowchart TD" in page
    assert "<code>dw.fact_ablazione</code>" in page


def test_what_the_model_saw_is_shown(owner: Client, approved: Reviewer) -> None:
    run = Run.objects.filter(session=approved.session, step="clarify").first()
    assert run is not None
    page = owner.get(url(approved, f"runs/{run.pk}"), headers=HTMX).content.decode()
    assert "Task document" in page
    assert "session_version" in page
    line = owner.get(url(approved)).context["session"].sidebar.runs[-1]
    assert line.tokens > 100
    assert line.seconds is not None


def test_the_ledger_can_be_taken_along(owner: Client, approved: Reviewer) -> None:
    response = owner.get(url(approved, "ledger"))
    lines = [json.loads(line) for line in response.content.decode().splitlines()]
    assert lines[0]["count"] == len(lines) - 1 == approved.session.ledger_count
    assert "attachment" in response["Content-Disposition"]


def test_a_changed_row_is_found_on_demand(owner: Client, approved: Reviewer) -> None:
    assert "chain verified" in owner.get(url(approved, "verify"), headers=HTMX).content.decode()
    tamper("UPDATE sessions_app_ledgerrow SET detail = 'x' WHERE seq = 1")
    page = owner.get(url(approved, "verify"), headers=HTMX).content.decode()
    assert "row_changed" in page


@pytest.mark.parametrize("rest", ["artifacts/none.md", "artifacts/../secret", "runs/999999"])
def test_what_is_not_there_is_not_found(owner: Client, waiting: Reviewer, rest: str) -> None:
    assert owner.get(url(waiting, rest)).status_code == 404


def test_another_session_s_run_is_not_found(owner: Client, approved: Reviewer) -> None:
    run = Run.objects.first()
    assert run is not None
    other = make_session()
    assert owner.get(f"/sessions/{other.public_id}/runs/{run.pk}").status_code == 404


@pytest.mark.parametrize("rest", ["artifacts/question.md", "ledger", "verify"])
def test_wrong_method_and_no_access(
    owner: Client, teammate: Client, stranger: Client, approved: Reviewer, rest: str
) -> None:
    assert owner.post(url(approved, rest)).status_code == 405
    assert teammate.get(url(approved, rest)).status_code == 200
    assert stranger.get(url(approved, rest)).status_code == 404
