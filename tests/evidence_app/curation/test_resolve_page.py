"""Several units at once: questions settled, units retired, another source."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from evidence_app.manifest import manifest_parse
from evidence_app.models import ReviewItem
from evidence_app.sync import evidence_drift, evidence_sync
from evidence_app.units.document import unit_parse
from tests.evidence_app.curation_kit import (
    DEGENZA,
    QUESTION,
    REGIME,
    SOURCE,
    TEXT,
    UTIC,
    WORKSPACE,
    make_files,
    push,
    unit,
)
from thoth.workspaces.repository import Repository, repository_file, repository_log

pytestmark = pytest.mark.django_db

LISTS = "/admin/evidence_app/"
RESOLVE = f"{LISTS}evidenceunit/resolve/"


def _chosen(client: Client, action: str, *paths: str) -> str:
    """The page that the list's action opens for these units."""
    evidence_sync(WORKSPACE)
    marked = [unit(path).pk for path in paths]
    answer = client.post(
        f"{LISTS}evidenceunit/", {"action": action, "_selected_action": marked}, follow=True
    )
    assert answer.status_code == 200
    return answer.content.decode()


def _sent(html: str, **more: Any) -> dict[str, Any]:
    fields = re.findall(r'<input type="hidden" name="(how|base|unit)" value="(\w+)"', html)
    items = re.findall(r'name="item" value="(\d+)" checked', html)
    units = [value for name, value in fields if name == "unit"]
    plain = {name: value for name, value in fields if name != "unit"}
    return {**plain, "unit": units, "item": items, **more}


def test_questions_of_several_units_are_settled_in_one_commit(
    repository: Repository, anna: Client
) -> None:
    push(
        REGIME,
        make_files()[REGIME].replace(
            b"review_items: []", b"review_items:\n  - code: check_code\n    message: Sicuri?"
        ),
    )
    html = _chosen(anna, "settle", UTIC, REGIME)
    reviewed = anna.post(RESOLVE, _sent(html, action="review")).content.decode()
    assert "-    message: UTIC o terapia intensiva?" in reviewed
    assert "message: Sicuri?" in reviewed
    assert ReviewItem.objects.count() == 2
    before = len(repository_log(repository))
    assert anna.post(RESOLVE, _sent(reviewed, action="save")).status_code == 302
    assert ReviewItem.objects.count() == 0
    newest = repository_log(repository)
    assert len(newest) == before + 1
    assert newest[0].author == "anna"
    assert evidence_drift(WORKSPACE) == []


def test_a_retired_unit_leaves_file_and_manifest(repository: Repository, anna: Client) -> None:
    html = _chosen(anna, "retire", UTIC, REGIME)
    assert anna.post(RESOLVE, _sent(html, action="save")).status_code == 302
    assert repository_file(repository, "main", UTIC) is None
    manifest = manifest_parse(repository_file(repository, "main", "manifest.yaml") or b"")
    assert manifest.ids == ["evidence:giorni-di-degenza"]
    assert evidence_drift(WORKSPACE) == []


def test_a_unit_is_given_another_source(repository: Repository, anna: Client) -> None:
    other = "source/note/altro.md"
    push(other, TEXT.encode())
    html = _chosen(anna, "relink", UTIC)
    refused = anna.post(RESOLVE, _sent(html, source=other, action="save"))
    assert refused.status_code == 422
    assert "source_not_prepared" in refused.content.decode()
    manifest = (repository_file(repository, "main", "manifest.yaml") or b"").decode()
    entry = re.search(rf"  {SOURCE}:\n    sha256: \S+\n", manifest)
    assert entry is not None
    extra = entry.group().replace(SOURCE, other) + "    units: []\n"
    push("manifest.yaml", manifest.replace("sources:\n", f"sources:\n{extra}").encode())
    html = _chosen(anna, "relink", UTIC)
    assert anna.post(RESOLVE, _sent(html, source=other, action="save")).status_code == 302
    stored = unit_parse(repository_file(repository, "main", UTIC) or b"", UTIC)
    assert stored.provenance.source_file == other
    assert unit(UTIC).source_file == other


def test_a_unit_edited_meanwhile_is_not_retired_unseen(
    repository: Repository, anna: Client
) -> None:
    html = _chosen(anna, "retire", UTIC)
    push(UTIC, make_files()[UTIC].replace(b"CCU", b"terapia intensiva"))
    answer = anna.post(RESOLVE, _sent(html, action="save"))
    assert answer.status_code == 422
    assert "branch_moved" in answer.content.decode()
    assert repository_file(repository, "main", UTIC) is not None


def test_an_unrelated_commit_does_not_stop_it(repository: Repository, anna: Client) -> None:
    html = _chosen(anna, "retire", UTIC)
    push(REGIME, None)
    push(
        "manifest.yaml",
        (repository_file(repository, "main", "manifest.yaml") or b"").replace(
            b"      - evidence:regime\n", b""
        ),
    )
    assert anna.post(RESOLVE, _sent(html, action="save")).status_code == 302
    manifest = manifest_parse(repository_file(repository, "main", "manifest.yaml") or b"")
    assert manifest.ids == ["evidence:giorni-di-degenza"]


def test_review_items_are_settled_from_their_own_list(repository: Repository, anna: Client) -> None:
    evidence_sync(WORKSPACE)
    item = ReviewItem.objects.get()
    page = anna.get(f"{LISTS}reviewitem/").content.decode()
    assert QUESTION["message"] in page
    sent = {"action": "settle", "_selected_action": [item.pk]}
    html = anna.post(f"{LISTS}reviewitem/", sent).content.decode()
    assert anna.post(RESOLVE, _sent(html, action="save")).status_code == 302
    assert ReviewItem.objects.count() == 0


def test_nothing_chosen_is_said(repository: Repository, anna: Client) -> None:
    html = _chosen(anna, "settle", DEGENZA)
    answer = anna.post(RESOLVE, _sent(html, action="save"))
    assert answer.status_code == 422
    assert "nothing_chosen" in answer.content.decode()
