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
from thoth.lib.text import whole_number

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
    proposal = Proposal.objects.filter(pk=whole_number(object_id) or 0).first()
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
    files = _files(proposal) if proposal.status == Proposal.Status.READY else []
    context = {
        "proposal": proposal,
        "tone": TONES.get(proposal.status, ""),
        "problem": problem,
        "failure": text_of(proposal.error_code, proposal.error_message),
        "figures": _figures(proposal),
        "findings": list(proposal.report.get("findings") or []),
        "files": files[:FILES_MAX],
        "unshown": [file.path for file in files[FILES_MAX:]],
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
    words = {"added": (_("new"), "good"), "deleted": (_("deleted"), "bad")}
    views = []
    for change, text in proposals.proposal_diffs(proposal):
        status, tone = words.get(change.status, (_("changed"), "warn"))
        views.append(FileView(change.path, status, tone, html.diff(text)))
    return views


def _address(proposal: Proposal) -> str:
    return reverse("admin:evidence_app_proposal_change", args=[proposal.pk])
