"""Source files in the browser."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.evidence_app.curation_kit import SOURCE, TEXT, WORKSPACE, push
from thoth.workspaces.repository import Repository, repository_file, repository_log

pytestmark = pytest.mark.django_db

WORK = f"/admin/evidence_app/evidenceunit/workspace/{WORKSPACE}/"
NEW = "source/note/nuovo.md"


def _base(html: str) -> str:
    found = re.search(r'name="base" value="(\w+)"', html)
    assert found is not None
    return found.group(1)


def test_a_new_source_is_seen_before_it_is_committed(repository: Repository, anna: Client) -> None:
    sent = {"is_new": "1", "path": NEW, "text": "# Nuovo\r\n\r\nTesto", "action": "review"}
    html = anna.post(f"{WORK}source/", sent).content.decode()
    assert '<span class="add">+# Nuovo</span>' in html
    assert repository_file(repository, "main", NEW) is None
    sent |= {"base": _base(html), "action": "save"}
    assert anna.post(f"{WORK}source/", sent).status_code == 302
    assert repository_file(repository, "main", NEW) == b"# Nuovo\n\nTesto\n"
    assert repository_log(repository, NEW)[0].author == "anna"
    assert "new: prepare" in anna.get(WORK).content.decode()


def test_a_changed_source_says_that_it_wants_preparation(
    repository: Repository, anna: Client
) -> None:
    assert "prepared" in anna.get(WORK).content.decode()
    html = anna.get(f"{WORK}source/?path={SOURCE}").content.decode()
    sent = {"path": SOURCE, "text": TEXT + "Altro.\n", "base": _base(html), "action": "save"}
    assert anna.post(f"{WORK}source/", sent).status_code == 302
    assert "changed: prepare" in anna.get(WORK).content.decode()


def test_a_source_changed_meanwhile_is_a_conflict(repository: Repository, anna: Client) -> None:
    html = anna.get(f"{WORK}source/?path={SOURCE}").content.decode()
    push(SOURCE, b"Di Bruno.\n")
    sent = {"path": SOURCE, "text": "Di Anna.", "base": _base(html), "action": "save"}
    answer = anna.post(f"{WORK}source/", sent)
    assert answer.status_code == 409
    assert "+Di Bruno." in answer.content.decode()
    assert repository_file(repository, "main", SOURCE) == b"Di Bruno.\n"


def test_a_source_is_deleted_after_it_was_looked_at(repository: Repository, anna: Client) -> None:
    html = anna.get(f"{WORK}source/?path={SOURCE}").content.decode()
    sent = {"path": SOURCE, "text": TEXT, "base": _base(html), "action": "delete"}
    html = anna.post(f"{WORK}source/", sent).content.decode()
    assert 'name="deleted" value="1"' in html
    assert repository_file(repository, "main", SOURCE) is not None
    sent |= {"deleted": "1", "action": "save"}
    assert anna.post(f"{WORK}source/", sent).status_code == 302
    assert repository_file(repository, "main", SOURCE) is None
    assert "removed: prepare" in anna.get(WORK).content.decode()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("curated/glossary/x.md", "source_name"),
        ("source/../curated/x.md", "path_unsafe"),
        ("/etc/x.md", "path_unsafe"),
        ("source/x.exe", "source_name"),
        ("source/-x.md", "path_leading_dash"),
        (SOURCE, "source_exists"),
    ],
)
def test_a_name_that_no_source_has_is_refused(
    repository: Repository, anna: Client, path: str, code: str
) -> None:
    for action in ("review", "save"):
        sent = {"is_new": "1", "path": path, "text": "Testo", "action": action}
        answer = anna.post(f"{WORK}source/", sent)
        assert answer.status_code == 422
        assert code in answer.content.decode()
    assert len(repository_log(repository)) == 1


def test_an_upload_is_seen_before_it_is_committed(repository: Repository, anna: Client) -> None:
    file = SimpleUploadedFile("Reparti chiusi.md", b"\xef\xbb\xbf# Chiusi\r\n")
    html = anna.post(f"{WORK}upload/", {"file": file}).content.decode()
    assert "source/Reparti chiusi.md" in html
    assert '<span class="add">+# Chiusi</span>' in html
    assert len(repository_log(repository)) == 1


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("x.docx", b"PK", "source_name"),
        ("x.md", b"\xff\xfe", "source_not_utf8"),
        ("x.md", b"a" * (1024 * 1024 + 1), "source_too_large"),
    ],
)
def test_what_cannot_be_a_source_is_not_taken(
    repository: Repository, anna: Client, name: str, content: bytes, code: str
) -> None:
    answer = anna.post(f"{WORK}upload/", {"file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 422
    assert code in answer.content.decode()


def test_a_password_in_a_source_is_refused(repository: Repository, anna: Client) -> None:
    secret = "Si entra con postgresql://reader:hunter2@db.example/ward"
    sent = {"is_new": "1", "path": NEW, "text": secret, "action": "save"}
    answer = anna.post(f"{WORK}source/", sent)
    assert answer.status_code == 422
    assert "credential_found" in answer.content.decode()
    assert repository_file(repository, "main", NEW) is None


@pytest.mark.parametrize("path", ["source/.md", "source/note/.txt"])
def test_an_ending_is_no_name(repository: Repository, anna: Client, path: str) -> None:
    sent = {"is_new": "1", "path": path, "text": "Testo", "action": "review"}
    answer = anna.post(f"{WORK}source/", sent)
    assert answer.status_code == 422
    assert "source_name" in answer.content.decode()


def test_what_could_not_be_prepared_is_refused_when_it_is_uploaded(
    repository: Repository, anna: Client
) -> None:
    upload = SimpleUploadedFile("nota.md", b"una riga\x00")
    html = anna.post(f"{WORK}upload/", {"file": upload}).content.decode()
    assert "text_nul" in html
    assert "Commit as" not in html
