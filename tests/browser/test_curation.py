"""A curator who never used a command line: from a rough note to committed units, in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect
from pytest_django import DjangoDbBlocker

from tests.browser.conftest import empty_database
from tests.browser.stack import served, settings_of
from tests.evidence_app.curation_kit import UTIC, WORKSPACE, make_workspace
from thoth.workspaces.repository import (
    repository_file,
    repository_head,
    repository_log,
    repository_open,
)

LIST = "/admin/evidence_app/evidenceunit/"
WORK = f"{LIST}workspace/{WORKSPACE}/"


@pytest.fixture(scope="module")
def curation_url(
    browser: Browser,
    valkey: str,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[str]:
    """The product where people sign in by name, over one workspace with a little Evidence."""
    home = tmp_path_factory.mktemp("curation")
    with django_db_blocker.unblock(), settings_of(home):
        call_command("flush", verbosity=0, interactive=False)
        make_workspace()
        with served(home, {"THOTH_AUTH": "mock"}) as url:
            yield url
        empty_database()


@pytest.fixture
def as_person(curation_url: str, open_page: Callable[..., Page]) -> Callable[..., Page]:
    """`as_person(name, path, role=…)`: a page of a browser in which this person is signed in."""

    def make(name: str, path: str, role: str = "curator", **more: Any) -> Page:
        return open_page(f"{curation_url}{path}?as={name}&role={role}", **more)

    return make


def _review(page: Page) -> None:
    page.get_by_role("button", name="Review the change").click()
    expect(page.locator("#changes .diff")).to_be_visible()


def _commit(page: Page) -> None:
    page.get_by_role("button", name=re.compile("Commit as|commit as")).click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def _open_unit(page: Page, title: str) -> None:
    page.get_by_role("link", name=title, exact=True).click()
    expect(page.locator("#unit-form")).to_be_visible()


@pytest.mark.usefixtures("curation_url")
def test_an_open_question_is_settled_by_an_edit(as_person: Callable[..., Page]) -> None:
    page = as_person("anna", "/")
    page.locator(".nav").get_by_role("link", name="Evidence").click()
    page.get_by_role("link", name="Yes", exact=True).click()  # blocks publication
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    _open_unit(page, "Utic")
    page.get_by_label("Definition").fill("Unità di terapia intensiva cardiologica (UTIC).")
    page.get_by_label("UTIC o terapia intensiva?").check()
    _review(page)
    expect(page.locator("#changes .add", has_text="cardiologica (UTIC)")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("cardiologica (UTIC)")
    page.get_by_label("What you did, for the history").fill("UTIC è la terapia intensiva")
    _commit(page)
    expect(page.locator(".head .pill.good")).to_have_text("publishable")
    newest = repository_log(repository_open(WORKSPACE), UTIC)[0]
    assert (newest.author, newest.subject) == ("anna", "UTIC è la terapia intensiva")


def test_two_curators_in_conflict_lose_nothing(as_person: Callable[..., Page]) -> None:
    anna, bruno = as_person("anna", LIST), as_person("bruno", LIST)
    for page, text in ((bruno, "Le parole di Bruno."), (anna, "Le parole di Anna.")):
        _open_unit(page, "Utic")
        page.get_by_label("Definition").fill(text)
    _review(bruno)
    _commit(bruno)
    anna.get_by_role("button", name="Review the change").click()
    conflict = anna.locator("#conflict")
    expect(conflict).to_contain_text("bruno changed this in the meantime")
    expect(conflict.locator(".add", has_text="Le parole di Bruno.")).to_be_visible()
    expect(conflict.locator(".add", has_text="Le parole di Anna.")).to_be_visible()
    expect(anna.get_by_label("Definition")).to_have_value("Le parole di Anna.")
    anna.get_by_label("Definition").fill("Le parole di Anna e di Bruno.")
    anna.get_by_role("button", name="Look again").click()
    _commit(anna)
    repository = repository_open(WORKSPACE)
    stored = repository_file(repository, repository_head(repository), UTIC) or b""
    assert b"Le parole di Anna e di Bruno." in stored
    assert [e.author for e in repository_log(repository, UTIC)][:2] == ["anna", "bruno"]


def test_without_the_role_every_page_is_refused(
    as_person: Callable[..., Page], curation_url: str
) -> None:
    page = as_person("rita", "/", role="reviewer")
    expect(page.locator(".nav").get_by_role("link", name="Evidence")).to_have_count(0)
    for path in (LIST, WORK, f"{WORK}source/", "/admin/evidence_app/proposal/"):
        answer = page.request.get(curation_url + path)
        assert answer.status == 403, path
        assert "role_required" in answer.text()


NOTE = """# Appunti presi in riunione

Parole che si usano:

- **Scompenso**: insufficienza del cuore, acuta o cronica
- **Redo**: seconda ablazione sullo stesso paziente

esito dell'ablazione (dw.ablazione.esito)

| valore | significato |
|---|---|
| S | successo acuto |
| N | insuccesso |

poi vedere https://www.escardio.org/Guidelines per le linee guida, e forse parlare dei costi?
"""


def test_from_a_rough_note_to_publishable_units(as_person: Callable[..., Page]) -> None:
    page = as_person("carla", WORK)
    page.get_by_role("link", name="Write a new source").click()
    page.get_by_label("File", exact=True).fill("source/note/riunione.md")
    page.get_by_label("Text").fill(NOTE)
    _review(page)
    _commit(page)
    expect(page.get_by_text("new: prepare")).to_be_visible()
    page.get_by_role("button", name="Prepare units from the sources").click()
    expect(page.locator("h1 .pill")).to_have_text("waiting for you")
    expect(page.locator("#changes summary", has_text="curated/enum/")).to_be_visible()
    before = repository_head(repository_open(WORKSPACE))
    page.get_by_role("button", name="Accept and commit as carla").click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    repository = repository_open(WORKSPACE)
    assert repository_head(repository) != before
    assert repository_log(repository)[0].author == "carla"
    # What the preparation doubted is settled, several units in one commit.
    page.locator(".figures a", has_text="open questions").click()
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option(label="Settle them")
    page.get_by_role("button", name="Go").click()
    _review(page)
    _commit(page)
    expect(page.get_by_text("This commit can be published")).to_be_visible()
    assert {entry.author for entry in repository_log(repository)} >= {"anna", "bruno", "carla"}


def test_a_proposal_that_is_discarded_leaves_nothing(as_person: Callable[..., Page]) -> None:
    page = as_person("carla", f"{WORK}source/")
    page.get_by_label("File", exact=True).fill("source/note/altra.md")
    page.get_by_label("Text").fill("# Altra\n\n- **Holter**: registrazione di 24 ore\n")
    _review(page)
    _commit(page)
    before = repository_head(repository_open(WORKSPACE))
    page.get_by_role("button", name="Prepare units from the sources").click()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("Discarded. Nothing was changed.")).to_be_visible()
    assert repository_head(repository_open(WORKSPACE)) == before
