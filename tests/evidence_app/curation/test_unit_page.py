"""The page of one unit: form, difference, commit, conflict."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from evidence_app.models import EvidenceUnit
from evidence_app.sync import evidence_drift, evidence_sync
from evidence_app.units.document import unit_parse
from tests.evidence_app.curation_kit import (
    DEGENZA,
    QUESTION,
    REGIME,
    UTIC,
    WORKSPACE,
    form_of,
    make_client,
    make_files,
    push,
    unit,
)
from thoth.workspaces.repository import (
    Repository,
    repository_file,
    repository_head,
    repository_log,
    repository_tree,
)

pytestmark = pytest.mark.django_db


def _address(path: str, page: str = "change") -> str:
    evidence_sync(WORKSPACE)
    return f"/admin/evidence_app/evidenceunit/{unit(path).pk}/{page}/"


def _edit(client: Client, path: str, action: str, **changes: list[str]) -> tuple[int, str]:
    address = _address(path)
    sent = form_of(client.get(address).content.decode())
    response = client.post(address, {**sent, **changes, "action": action})
    return response.status_code, response.content.decode()


@pytest.mark.parametrize("path", [UTIC, REGIME, DEGENZA])
def test_a_form_that_nobody_touched_changes_nothing(
    repository: Repository, anna: Client, path: str
) -> None:
    status, html = _edit(anna, path, "review")
    assert status == 200
    assert "Nothing changes." in html
    _, html = _edit(anna, path, "save")
    assert "commit_empty" in html
    assert len(repository_log(repository)) == 1


def test_the_difference_comes_first_and_the_commit_carries_the_name(
    repository: Repository, anna: Client
) -> None:
    before = repository_head(repository)
    definition = ["Unità di terapia intensiva cardiologica."]
    status, html = _edit(anna, UTIC, "review", payload_definition=definition)
    assert status == 200
    assert '<span class="add">+  definition: Unità di terapia intensiva cardiologica.' in html
    assert repository_head(repository) == before
    status, _ = _edit(anna, UTIC, "save", payload_definition=definition, resolved=["0"])
    assert status == 302
    newest = repository_log(repository, UTIC)[0]
    assert (newest.author, newest.subject) == ("anna", "Edit evidence:utic")
    stored = unit_parse(repository_file(repository, newest.commit, UTIC) or b"", UTIC)
    assert stored.document()["payload"]["definition"] == definition[0]
    assert stored.review_items == ()
    assert not unit(UTIC).blocks_publication
    assert evidence_drift(WORKSPACE) == []
    # Nothing else moved.
    tree = repository_tree(repository, newest.commit)
    assert {p for p, content in tree.items() if content != make_files()[p]} == {UTIC}


def test_what_the_model_refuses_stands_at_its_field(repository: Repository, anna: Client) -> None:
    status, html = _edit(anna, DEGENZA, "save", payload_sql=["SELECT 1"])
    assert status == 422
    field = re.search(
        r'<div class="field wrong">\s*<label for="id_payload_sql">.*?</div>', html, re.DOTALL
    )
    assert field is not None
    assert "SELECT" in field.group()
    status, html = _edit(anna, REGIME, "save", columns=["nonsense"])
    assert status == 422
    assert re.search(r'<div class="field wrong">\s*<label for="id_columns">', html)
    assert len(repository_log(repository)) == 1


def test_a_password_is_refused_before_it_is_in_the_history(
    repository: Repository, anna: Client
) -> None:
    secret = ["Si entra con postgresql://reader:hunter2@db.example/ward"]
    status, html = _edit(anna, UTIC, "save", payload_definition=secret)
    assert status == 422
    assert "holds a login or a key" in html
    assert len(repository_log(repository)) == 1


def test_rows_of_values_are_added_and_removed(repository: Repository, anna: Client) -> None:
    values = {
        "payload_entries-value": ["O", "", "N"],
        "payload_entries-meaning": ["ordinario", "", "nido"],
    }
    status, _ = _edit(anna, REGIME, "save", **values)
    assert status == 302
    stored = unit_parse(repository_file(repository, "main", REGIME) or b"", REGIME)
    entries = [(e["value"], e["meaning"]) for e in stored.document()["payload"]["entries"]]
    assert entries == [("O", "ordinario"), ("N", "nido")]


def test_two_curators_at_once_see_both_versions_and_lose_nothing(
    repository: Repository, anna: Client, bruno: Client
) -> None:
    address = _address(UTIC)
    mine = form_of(anna.get(address).content.decode())
    theirs = form_of(bruno.get(address).content.decode())
    sent = {**theirs, "payload_definition": ["La versione di Bruno."], "action": "save"}
    assert bruno.post(address, sent).status_code == 302
    sent = {**mine, "payload_definition": ["La versione di Anna."], "action": "save"}
    answer = anna.post(address, sent)
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "+  definition: La versione di Bruno." in html
    assert "+  definition: La versione di Anna." in html
    assert "bruno" in html
    assert b"Bruno" in (repository_file(repository, "main", UTIC) or b"")
    # Reviewed again, it goes on top of theirs.
    again = form_of(html)
    assert again["payload_definition"] == ["La versione di Anna."]
    assert anna.post(address, {**again, "action": "save"}).status_code == 302
    assert b"Anna" in (repository_file(repository, "main", UTIC) or b"")
    assert [e.author for e in repository_log(repository, UTIC)] == ["anna", "bruno", "Thoth"]


def test_an_edit_of_another_unit_is_no_conflict(
    repository: Repository, anna: Client, bruno: Client
) -> None:
    address = _address(UTIC)
    sent = form_of(anna.get(address).content.decode())
    assert _edit(bruno, REGIME, "save", title=["Regime di ricovero"])[0] == 302
    sent |= {"title": ["UTIC"], "action": ["save"]}
    assert anna.post(address, sent).status_code == 302
    assert [e.author for e in repository_log(repository)] == ["anna", "bruno", "Thoth"]


def test_a_unit_retired_meanwhile_is_a_conflict_and_not_written_again(
    repository: Repository, anna: Client
) -> None:
    address = _address(UTIC)
    sent = form_of(anna.get(address).content.decode())
    push(UTIC, None)
    answer = anna.post(address, {**sent, "title": ["UTIC"], "action": "save"})
    assert answer.status_code == 404
    assert repository_file(repository, "main", UTIC) is None


def test_the_kind_changes_and_the_id_stays(repository: Repository, anna: Client) -> None:
    address = _address(UTIC)
    sent = form_of(anna.get(address).content.decode())
    html = anna.post(address, {**sent, "change_kind": "normalization"}).content.decode()
    changed = form_of(html)
    assert changed["payload_inputs"] == ["CCU"]
    assert changed["payload_canonical"] == ["UTIC"]
    assert anna.post(address, {**changed, "action": "save"}).status_code == 302
    path = "curated/normalization/utic.md"
    stored = unit_parse(repository_file(repository, "main", path) or b"", path)
    assert (stored.id, stored.kind) == ("evidence:utic", "normalization")
    assert repository_file(repository, "main", UTIC) is None
    assert evidence_drift(WORKSPACE) == []


def test_a_broken_file_is_mended_as_text(repository: Repository, anna: Client) -> None:
    whole = make_files()[UTIC]
    push(UTIC, whole.replace(b"kind: glossary", b"kind: glosary"))
    address = _address(UTIC)
    assert unit(UTIC).broken
    html = anna.get(address).content.decode()
    assert "glosary" in html
    base = re.search(r'name="base" value="(\w+)"', html)
    assert base is not None
    sent = {"base": base.group(1), "text": whole.decode(), "action": "save"}
    assert anna.post(address, sent).status_code == 302
    assert repository_file(repository, "main", UTIC) == whole
    assert not unit(UTIC).broken


def test_nothing_in_a_file_becomes_markup(repository: Repository, anna: Client) -> None:
    evil = "<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>"
    _edit(anna, UTIC, "save", payload_definition=[evil], title=["<b>UTIC</b>"])
    html = anna.get(_address(UTIC)).content.decode()
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert 'href="javascript' not in html
    assert "<b>UTIC" not in html


def test_the_history_names_who_changed_what(repository: Repository, anna: Client) -> None:
    _edit(anna, UTIC, "save", payload_definition=["Altro."], message=["Più corto"])
    html = anna.get(_address(UTIC, "history")).content.decode()
    assert "Più corto" in html
    assert "anna" in html
    assert '<span class="add">+  definition: Altro.</span>' in html


def test_a_push_from_a_clone_is_seen_when_the_page_opens(
    repository: Repository, anna: Client
) -> None:
    address = _address(UTIC)
    push(UTIC, make_files()[UTIC].replace(b"CCU", b"terapia intensiva"))
    assert "terapia intensiva" in anna.get(address).content.decode()
    assert EvidenceUnit.objects.filter(text__contains="terapia intensiva").exists()


@pytest.mark.parametrize("number", ["999999", "x", "1' OR 1=1"])
def test_what_does_not_exist_is_not_found(
    repository: Repository, anna: Client, number: str
) -> None:
    for page in ("change", "history"):
        address = f"/admin/evidence_app/evidenceunit/{number}/{page}/"
        assert anna.get(address).status_code == 404


def test_a_base_that_is_no_commit_is_an_error_with_a_code(
    repository: Repository, anna: Client
) -> None:
    address = _address(UTIC)
    sent = form_of(anna.get(address).content.decode())
    answer = anna.post(address, {**sent, "base": "--upload-pack=x", "action": "save"})
    assert answer.status_code == 404
    assert "revision_unknown" in answer.content.decode()


def test_open_questions_are_shown(repository: Repository, anna: Client) -> None:
    html = anna.get(_address(UTIC)).content.decode()
    assert QUESTION["message"] in html
    assert "ambiguous_term" in html


def test_without_the_role_nothing_opens(repository: Repository) -> None:
    address = _address(UTIC)
    reviewer = make_client("rita", "reviewer", "publisher", "operator")
    assert reviewer.get(address).status_code == 403
    assert reviewer.post(address, {"action": "save"}).status_code == 403
