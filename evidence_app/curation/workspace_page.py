"""One workspace at a glance: may it be published, what is open, its sources and proposals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from evidence_app.curation import documents
from evidence_app.curation.access import curator_only
from evidence_app.curation.pages import page
from evidence_app.models import EvidenceUnit, Proposal, ReviewItem
from evidence_app.sync import evidence_sync, evidence_sync_if_moved
from evidence_app.validation import validate
from thoth.workspaces.repository import repository_head, repository_open, repository_tree

FINDINGS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source with what was made of it. `tone` is the colour of its state."""

    path: str
    state: str
    tone: str
    units: int


@curator_only
def workspace_view(request: HttpRequest, workspace: str) -> HttpResponse:
    evidence_sync_if_moved(workspace)
    repository = repository_open(workspace)
    head = repository_head(repository)
    tree = repository_tree(repository, head)
    validation = validate(tree)
    rows = EvidenceUnit.objects.filter(workspace=workspace)
    open_states = (Proposal.Status.RUNNING, Proposal.Status.READY)
    blocking = rows.filter(blocks_publication=True).count()
    elsewhere = [item for item in validation.findings if not documents.is_unit_path(item.path)]
    context = {
        "head": head,
        "waiting": Proposal.objects.filter(workspace=workspace, status__in=open_states),
        "publishable": validation.publishable,
        "units": rows.count(),
        "blocking": blocking,
        "open_items": ReviewItem.objects.filter(unit__workspace=workspace).count(),
        "findings": elsewhere[:FINDINGS_SHOWN],
        "sources": _sources(tree, Counter(rows.values_list("source_file", flat=True))),
        "list_url": reverse("admin:evidence_app_evidenceunit_changelist"),
        "items_url": reverse("admin:evidence_app_reviewitem_changelist"),
    }
    return page(request, "workspace", context, workspace=workspace)


@curator_only
@require_POST
def sync_view(request: HttpRequest, workspace: str) -> HttpResponse:
    report = evidence_sync(workspace)
    text = _("Read again: %(count)s units at commit %(commit)s.")
    messages.success(request, text % {"count": report.units, "commit": report.commit[:8]})
    return HttpResponseRedirect(reverse("admin:evidence_workspace", args=[workspace]))


def _sources(tree: dict[str, bytes], units: Counter[str]) -> list[SourceLine]:
    known = documents.prepared_sources(tree)
    present = [path for path in tree if path.startswith("source/")]
    lines = [_line(path, tree[path], known, units[path]) for path in present]
    gone = sorted(set(known) - set(present))
    return lines + [SourceLine(path, _("removed: prepare"), "bad", units[path]) for path in gone]


def _line(path: str, content: bytes, known: dict[str, str], units: int) -> SourceLine:
    if path not in known:
        return SourceLine(path, _("new: prepare"), "tint", units)
    if known[path] != documents.source_sha256(path, content):
        return SourceLine(path, _("changed: prepare"), "warn", units)
    return SourceLine(path, _("prepared"), "good", units)
