"""Rows mirror the branch's head; they can be dropped and rebuilt."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evidence_app.models import EvidenceUnit, Mirror, ReviewItem
from evidence_app.sync import evidence_drift, evidence_sync
from tests.evidence_app.curation_kit import REGIME, UTIC, WORKSPACE, make_files, push, unit
from thoth.workspaces.repository import Repository, repository_head

pytestmark = pytest.mark.django_db


def _rows() -> list[tuple[object, ...]]:
    fields = ("path", "evidence_id", "kind", "title", "purposes", "text", "blocks_publication")
    return list(EvidenceUnit.objects.values_list(*fields))


def test_rows_are_dropped_and_rebuilt_the_same(repository: Repository) -> None:
    report = evidence_sync(WORKSPACE)
    assert (report.units, report.added) == (3, 3)
    before = _rows()
    assert [row[0] for row in before if row[-1]] == [UTIC]
    EvidenceUnit.objects.all().delete()
    Mirror.objects.all().delete()
    assert evidence_drift(WORKSPACE)
    evidence_sync(WORKSPACE)
    assert _rows() == before
    assert evidence_drift(WORKSPACE) == []


def test_a_second_sync_writes_nothing(repository: Repository) -> None:
    evidence_sync(WORKSPACE)
    numbers = set(EvidenceUnit.objects.values_list("pk", flat=True))
    report = evidence_sync(WORKSPACE)
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert set(EvidenceUnit.objects.values_list("pk", flat=True)) == numbers


def test_what_was_pushed_is_added_changed_and_removed(repository: Repository) -> None:
    evidence_sync(WORKSPACE)
    number = unit(UTIC).pk
    push(UTIC, make_files()[UTIC].replace(b"title: Utic", b"title: Terapia intensiva"))
    push(REGIME, None)
    report = evidence_sync(WORKSPACE)
    assert report.removed == 1
    assert report.commit == repository_head(repository)
    assert (unit(UTIC).title, unit(UTIC).pk) == ("Terapia intensiva", number)
    assert evidence_drift(WORKSPACE) == []


def test_drift_names_each_row_that_lies(repository: Repository) -> None:
    evidence_sync(WORKSPACE)
    EvidenceUnit.objects.filter(path=UTIC).update(title="Altro")
    EvidenceUnit.objects.filter(path=REGIME).delete()
    EvidenceUnit.objects.create(
        workspace=WORKSPACE, path="curated/enum/x.md", kind="enum", title="x"
    )
    lines = evidence_drift(WORKSPACE)
    assert {line.partition(":")[0] for line in lines} == {UTIC, REGIME, "curated/enum/x.md"}
    ReviewItem.objects.all().delete()
    evidence_sync(WORKSPACE)
    assert evidence_drift(WORKSPACE) == []
    assert ReviewItem.objects.count() == 1


def test_a_broken_file_is_a_row_that_blocks(repository: Repository) -> None:
    push(UTIC, b"\xff\x00 no unit")
    evidence_sync(WORKSPACE)
    row = unit(UTIC)
    assert (row.broken, row.blocks_publication, row.kind, row.title) == (
        True,
        True,
        "glossary",
        "utic",
    )
    assert row.findings[0]["code"]


def test_a_missing_source_blocks_its_units(repository: Repository) -> None:
    push("source/note/reparti.md", None)
    evidence_sync(WORKSPACE)
    assert EvidenceUnit.objects.filter(blocks_publication=True).count() == 3


def _tht(*words: str) -> tuple[int, str]:
    output = StringIO()
    try:
        call_command("evidence", "sync", *words, stdout=output)
    except CommandError as error:
        return error.returncode, output.getvalue()
    return 0, output.getvalue()


def test_the_command_syncs_and_checks(repository: Repository) -> None:
    code, text = _tht(WORKSPACE, "--json")
    assert (code, json.loads(text)["added"]) == (0, 3)
    assert _tht(WORKSPACE, "--check")[0] == 0
    EvidenceUnit.objects.filter(path=UTIC).update(title="Altro")
    code, text = _tht(WORKSPACE, "--check", "--json")
    assert (code, json.loads(text)["drift"]) == (1, [f"{UTIC}: the row differs from the file"])
    code, text = _tht("nowhere", "--json")
    assert (code, json.loads(text)["code"]) == (1, "workspace_unknown")
