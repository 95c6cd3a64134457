"""The rollback dialog and the step back."""

from __future__ import annotations

import pytest
from django.test import Client

from sessions_app.models import FreeText
from tests.sessions_app.kit import Reviewer
from tests.sessions_app.pages.conftest import HTMX, url

pytestmark = pytest.mark.django_db


def back(client: Client, reviewer: Reviewer, target: str, **form: str) -> object:
    form = {"target": target, "version": str(reviewer.session.version), **form}
    return client.post(url(reviewer, "rollback"), form, headers=HTMX)


def test_the_dialog_offers_the_phases_that_were_reached(owner: Client, approved: Reviewer) -> None:
    page = owner.get(url(approved, "back"), headers=HTMX).content.decode()
    assert page.lstrip().startswith("<dialog")
    assert "?target=F4" in page
    assert "?target=previous" in page


def test_the_dialog_names_what_will_be_lost(owner: Client, approved: Reviewer) -> None:
    response = owner.get(url(approved, "back") + "?target=F4", headers=HTMX)
    page = response.content.decode()
    for name in ("sql_final.sql", "schema_linking.json", "dw.fact_ablazione", "can be kept"):
        assert name in page
    kept = {line.text for line in response.context["back"].decisions if line.offered}
    assert "The SQL is approved" not in kept


def test_without_htmx_the_dialog_is_a_page(owner: Client, approved: Reviewer) -> None:
    page = owner.get(url(approved, "back") + "?target=F4").content.decode()
    assert "<html" in page
    assert 'name="version"' in page


def test_going_back_reopens_the_phase_and_closes_the_dialog(
    owner: Client, approved: Reviewer
) -> None:
    response = back(owner, approved, "F4")
    assert response.status_code == 200
    assert "thoth:close-dialog" in response["HX-Trigger"]
    assert approved.session.phase == "F4"
    assert "Went back to Schema" in response.content.decode()


def test_if_match_counts_before_the_form(owner: Client, approved: Reviewer) -> None:
    version = approved.session.version
    stale = owner.post(
        url(approved, "rollback"),
        {"target": "F4", "version": str(version)},
        headers={**HTMX, "If-Match": f'"{version - 1}"'},
    )
    assert stale.status_code == 412
    assert "session_version_stale" in stale.content.decode()
    assert approved.session.phase == "F8"


@pytest.mark.parametrize("version", ["", "x", "-1", "²"])
def test_a_version_that_is_none_is_stale(owner: Client, approved: Reviewer, version: str) -> None:
    assert back(owner, approved, "F4", version=version).status_code == 412
    assert approved.session.phase == "F8"


def test_the_reason_is_recorded_and_a_refused_one_stays_in_the_dialog(
    owner: Client, approved: Reviewer
) -> None:
    response = back(owner, approved, "F4", text="x" * 4001)
    assert response.status_code == 422
    assert response["HX-Retarget"] == "#dialog-host"
    assert "x" * 4001 in response.content.decode()
    assert approved.session.phase == "F8"
    back(owner, approved, "F4", text="another table")
    assert FreeText.objects.get().text == "another table"


@pytest.mark.parametrize("target", ["F9", "", "F99", "<script>"])
def test_a_target_that_does_not_exist_is_refused(
    owner: Client, approved: Reviewer, target: str
) -> None:
    assert back(owner, approved, target).status_code == 409
    assert approved.session.phase == "F8"


def test_the_last_answer_can_be_taken_back(owner: Client, waiting: Reviewer) -> None:
    waiting.choose("calendar")
    page = owner.get(url(waiting)).content.decode()
    assert "?target=again" in page
    dialog = owner.get(url(waiting, "back") + "?target=again", headers=HTMX).content.decode()
    assert "Answer this again?" in dialog
    assert back(owner, waiting, "again").status_code == 200
    assert waiting.widget["options"][0]["id"] == "calendar"


def test_a_later_phase_has_no_dialog(owner: Client, waiting: Reviewer) -> None:
    assert owner.get(url(waiting, "back") + "?target=F5", headers=HTMX).status_code == 409


def test_who_may_not_and_how_not(
    owner: Client, teammate: Client, stranger: Client, approved: Reviewer
) -> None:
    assert owner.get(url(approved, "rollback")).status_code == 405
    assert owner.post(url(approved, "back")).status_code == 405
    assert teammate.get(url(approved, "back")).status_code == 403
    assert back(teammate, approved, "F4").status_code == 403
    assert back(stranger, approved, "F4").status_code == 404
    assert approved.session.phase == "F8"
