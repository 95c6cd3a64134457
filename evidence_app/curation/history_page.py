"""Who changed a unit, when and how: Git's own history."""

from __future__ import annotations

import dataclasses

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from evidence_app.curation import render as html
from evidence_app.curation.access import curator_only
from evidence_app.curation.pages import page
from evidence_app.models import EvidenceUnit
from thoth.lib.text import whole_number
from thoth.workspaces.repository import (
    LogEntry,
    Repository,
    bytes_diff,
    repository_file,
    repository_log,
    repository_open,
)

ENTRIES_MAX = 30


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One commit with what it did to the file."""

    entry: LogEntry
    diff_html: SafeString


@curator_only
def history_view(request: HttpRequest, object_id: str) -> HttpResponse:
    unit = EvidenceUnit.objects.filter(pk=whole_number(object_id) or 0).first()
    if unit is None:
        raise Http404
    repository = repository_open(unit.workspace)
    context = {"path": unit.path, "changes": _changes(repository, unit.path)}
    address = reverse("admin:evidence_app_evidenceunit_change", args=[unit.pk])
    crumbs = ((unit.title, address), (_("History"), ""))
    return page(request, "history", context, workspace=unit.workspace, crumbs=crumbs)


def _changes(repository: Repository, path: str) -> list[Change]:
    entries = repository_log(repository, path, ENTRIES_MAX)
    versions = [repository_file(repository, entry.commit, path) for entry in entries]
    # What was before the oldest shown: nothing, unless the list was cut.
    before = None if len(entries) < ENTRIES_MAX else versions[-1]
    older = [*versions[1:], before]
    return [
        Change(entry, html.diff(bytes_diff(path, old, new)))
        for entry, old, new in zip(entries, older, versions, strict=True)
    ]
