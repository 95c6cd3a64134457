"""The page of a proposal: the difference, and a curator's word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from evidence_app import tasks
from evidence_app.curation import preparing, proposals
from evidence_app.curation import render as html
from evidence_app.curation.access import author_of, curator_only, user_of
from evidence_app.curation.pages import page, status_of
from evidence_app.curation.problems import Problem, problem_of, text_of
from evidence_app.models import Proposal
from thoth.lib.errors import ThothError
from thoth.workspaces.repository import bytes_diff, repository_file, repository_open

FILES_MAX = 300
TONES = {"ready": "tint", "failed": "bad", "accepted": "good", "empty": "good"}


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of the proposal."""

    path: str
    status: str
    tone: str
    diff_html: SafeString


@curator_only
@require_POST
def prepare_view(request: HttpRequest, workspace: str) -> HttpResponse:
    proposal = proposals.proposal_request(workspace, author=author_of(user_of(request)).name)
    if proposal.status == Proposal.Status.RUNNING:
        # A model may take minutes: a worker waits for it. Without one it takes a second or two.
        if preparing.takes_long():
            transaction.on_commit(partial(tasks.enqueue_prepare, proposal.pk))
        else:
            proposals.proposal_make(proposal.pk)
    return HttpResponseRedirect(_address(proposal))


@curator_only
def proposal_view(request: HttpRequest, object_id: str) -> HttpResponse:
    proposal = Proposal.objects.filter(pk=object_id).first() if object_id.isdigit() else None
    if proposal is None:
        raise Http404
    problem = None
    if request.method == "POST":
        try:
            return _decide(request, proposal)
        except ThothError as error:
            problem = problem_of(error)
            proposal.refresh_from_db()
    return _shown(request, proposal, problem)


def _decide(request: HttpRequest, proposal: Proposal) -> HttpResponse:
    author = author_of(user_of(request))
    action = request.POST.get("action")
    if action == "accept":
        proposals.proposal_accept(proposal, author=author)
        messages.success(request, _("Committed under your name."))
    elif action == "discard":
        proposals.proposal_discard(proposal, author=author)
        messages.success(request, _("Discarded. Nothing was changed."))
    else:
        raise Http404
    return HttpResponseRedirect(reverse("admin:evidence_workspace", args=[proposal.workspace]))


def _shown(request: HttpRequest, proposal: Proposal, problem: Problem | None) -> HttpResponse:
    context = {
        "proposal": proposal,
        "tone": TONES.get(proposal.status, ""),
        "problem": problem,
        "failure": text_of(proposal.error_code, proposal.error_message),
        "figures": _figures(proposal),
        "findings": list(proposal.report.get("findings") or []),
        "files": _files(proposal) if proposal.status == Proposal.Status.READY else [],
    }
    crumbs = ((_("Proposal %(number)s") % {"number": proposal.pk}, ""),)
    status = status_of(problem, None)
    return page(
        request, "proposal", context, workspace=proposal.workspace, crumbs=crumbs, status=status
    )


def _figures(proposal: Proposal) -> list[tuple[str, int]]:
    labels = {
        "changed": _("sources read"),
        "unchanged": _("sources as they were"),
        "created": _("new units"),
        "orphaned": _("units without a source"),
    }
    report = proposal.report
    return [(label, len(report[name])) for name, label in labels.items() if name in report]


def _files(proposal: Proposal) -> list[FileView]:
    repository = repository_open(proposal.workspace)
    changes = proposals.proposal_changes(repository, proposal)
    views = []
    for path, new in sorted(changes.items())[:FILES_MAX]:
        old = repository_file(repository, proposal.base, path)
        status, tone = _status(old, new)
        views.append(FileView(path, status, tone, html.diff(bytes_diff(path, old, new))))
    return views


def _status(old: bytes | None, new: bytes | None) -> tuple[str, str]:
    if old is None:
        return _("new"), "good"
    return (_("deleted"), "bad") if new is None else (_("changed"), "warn")


def _address(proposal: Proposal) -> str:
    return reverse("admin:evidence_app_proposal_change", args=[proposal.pk])
