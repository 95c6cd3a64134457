"""The rows of a workspace mirror the head of its repository; they can be dropped and rebuilt."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from evidence_app.curation import documents
from evidence_app.models import EvidenceUnit, Mirror, ReviewItem
from evidence_app.validation import validate
from thoth.workspaces.repository import (
    Repository,
    repository_head,
    repository_open,
    repository_tree,
)

__all__ = ["SyncReport", "evidence_drift", "evidence_sync", "evidence_sync_if_moved"]

ROW_FIELDS = (
    "evidence_id",
    "kind",
    "title",
    "purposes",
    "language",
    "source_file",
    "concepts",
    "text",
    "sha256",
    "broken",
    "blocks_publication",
    "findings",
)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did: the commit that the rows show, and how many rows."""

    commit: str
    units: int
    added: int
    changed: int
    removed: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """A unit's row as the commit has it, with its review items in order."""

    row: EvidenceUnit
    items: tuple[tuple[str, str, str], ...]

    def differs(self, row: EvidenceUnit, items: tuple[tuple[str, str, str], ...]) -> bool:
        """Does the stored row say anything else?"""
        same = all(getattr(row, name) == getattr(self.row, name) for name in ROW_FIELDS)
        return not same or items != self.items


def evidence_sync(workspace: str) -> SyncReport:
    """The rows show the newest commit. Idempotent; two at once wait for each other.

    Raises: what opening and reading the repository raises.
    """
    repository = repository_open(workspace)
    with transaction.atomic():
        mirror = _locked(workspace)
        # Read under the lock: whoever comes second reads what is newer, never what is older.
        commit = repository_head(repository)
        wanted = _wanted(workspace, repository, commit)
        report = _store(workspace, commit, wanted)
        mirror.commit, mirror.synced_at = commit, timezone.now()
        mirror.save(update_fields=["commit", "synced_at"])
    return report


def evidence_sync_if_moved(workspace: str) -> None:
    """Sync when the branch is elsewhere than the rows, as after a push from a clone."""
    head = repository_head(repository_open(workspace))
    if not Mirror.objects.filter(workspace=workspace, commit=head).exists():
        evidence_sync(workspace)


def evidence_drift(workspace: str) -> list[str]:
    """One line for each row that differs from the newest commit, is missing or too many."""
    repository = repository_open(workspace)
    commit = repository_head(repository)
    wanted = _wanted(workspace, repository, commit)
    stored = {row.path: row for row in _rows(workspace)}
    lines = []
    if not Mirror.objects.filter(workspace=workspace, commit=commit).exists():
        lines.append(f"{workspace}: the rows do not show commit {commit[:8]}; run evidence sync")
    lines += [f"{path}: no row" for path in wanted if path not in stored]
    lines += [f"{path}: a row without a file" for path in stored if path not in wanted]
    both = (path for path in wanted if path in stored)
    differing = (path for path in both if wanted[path].differs(stored[path], _items(stored[path])))
    return lines + [f"{path}: the row differs from the file" for path in differing]


def _locked(workspace: str) -> Mirror:
    Mirror.objects.get_or_create(
        workspace=workspace, defaults={"commit": "", "synced_at": timezone.now()}
    )
    return Mirror.objects.select_for_update().get(workspace=workspace)


def _rows(workspace: str) -> Iterable[EvidenceUnit]:
    return EvidenceUnit.objects.filter(workspace=workspace).prefetch_related("review_items")


def _items(row: EvidenceUnit) -> tuple[tuple[str, str, str], ...]:
    items = sorted(row.review_items.all(), key=lambda item: item.position)
    return tuple((item.code, item.message, item.field) for item in items)


def _wanted(workspace: str, repository: Repository, commit: str) -> dict[str, Wanted]:
    tree = repository_tree(repository, commit)
    findings: dict[str, list[dict[str, str]]] = {}
    for finding in validate(tree).findings:
        findings.setdefault(finding.path, []).append(finding.as_dict())
    return {
        path: _unit(workspace, path, content, findings.get(path, []))
        for path, content in tree.items()
        if documents.is_unit_path(path)
    }


def _unit(workspace: str, path: str, content: bytes, findings: list[dict[str, str]]) -> Wanted:
    reading = documents.read(path, content)
    row = EvidenceUnit(workspace=workspace, path=path, sha256=hashlib.sha256(content).hexdigest())
    items: tuple[tuple[str, str, str], ...] = ()
    if reading.document is None:
        _fill_from_path(row, path)
        findings = findings or [finding.as_dict() for finding in reading.findings]
    else:
        _fill(row, reading.document, reading.body)
        items = tuple(
            (item["code"], item["message"], item.get("field") or "")
            for item in reading.document.get("review_items") or []
        )
    row.findings = findings
    wrong = any(finding["severity"] == "error" for finding in findings)
    row.blocks_publication = row.broken or bool(items) or wrong
    return Wanted(row, items)


def _fill(row: EvidenceUnit, document: Mapping[str, Any], body: str) -> None:
    row.evidence_id, row.kind, row.title = document["id"], document["kind"], document["title"]
    row.purposes, row.language = list(document["purposes"]), document["language"]
    row.source_file = document["provenance"]["source_file"]
    row.concepts = "\n".join(document["scope"]["concepts"])
    row.text = "\n".join([*_texts(document["payload"]), body])


def _fill_from_path(row: EvidenceUnit, path: str) -> None:
    parts = path.split("/")
    row.broken, row.purposes = True, []
    row.kind = parts[1][:20] if len(parts) > 2 else ""
    row.title = row.evidence_id = parts[-1].removesuffix(".md")[:200]


def _texts(value: object) -> list[str]:
    """Every text inside the payload: what a search looks through."""
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


def _store(workspace: str, commit: str, wanted: dict[str, Wanted]) -> SyncReport:
    stored = {row.path: row for row in _rows(workspace)}
    gone = [row.pk for path, row in stored.items() if path not in wanted]
    added = [unit for path, unit in wanted.items() if path not in stored]
    changed = []
    for path, unit in wanted.items():
        row = stored.get(path)
        if row is not None and unit.differs(row, _items(row)):
            unit.row.pk = row.pk
            changed.append(unit)
    EvidenceUnit.objects.filter(pk__in=gone).delete()
    EvidenceUnit.objects.bulk_create([unit.row for unit in added], batch_size=500)
    EvidenceUnit.objects.bulk_update([unit.row for unit in changed], ROW_FIELDS, batch_size=500)
    ReviewItem.objects.filter(unit__in=[unit.row.pk for unit in changed]).delete()
    ReviewItem.objects.bulk_create(
        [
            ReviewItem(unit=unit.row, position=position, code=code, message=message, field=name)
            for unit in (*added, *changed)
            for position, (code, message, name) in enumerate(unit.items)
        ],
        batch_size=1000,
    )
    return SyncReport(commit, len(wanted), len(added), len(changed), len(gone))
