"""A file that is no unit, as text: the typed form has nothing to show, its text can be mended."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from evidence_app.curation import documents
from evidence_app.curation import render as html
from evidence_app.curation.access import author_of, user_of
from evidence_app.curation.commits import evidence_commit
from evidence_app.curation.pages import ConflictView, conflict_view, page, status_of
from evidence_app.models import EvidenceUnit
from thoth.lib.errors import Conflict
from thoth.workspaces.repository import Repository, bytes_diff, repository_head


def broken_page(
    request: HttpRequest, unit: EvidenceUnit, repository: Repository, base: str, content: bytes
) -> HttpResponse:
    """The text with what is wrong in it; it is committed when it has become a unit."""
    sent = request.POST.get("text")
    mine = content if sent is None else sent.replace("\r\n", "\n").encode()
    reading = documents.read(unit.path, mine)
    conflict: ConflictView | None = None
    if request.POST.get("action") == "save" and reading.document is not None:
        try:
            evidence_commit(
                workspace=unit.workspace,
                base=base,
                paths={unit.path},
                build=lambda _tree: {unit.path: mine},
                author=author_of(user_of(request)),
                message=_("Mend %(unit)s") % {"unit": unit.path},
            )
        except Conflict as error:
            if error.code != "branch_moved":
                raise
            conflict = conflict_view(repository, unit.path, base, mine)
            base = repository_head(repository)
        else:
            messages.success(request, _("Committed under your name."))
            address = reverse("admin:evidence_app_evidenceunit_change", args=[unit.pk])
            return HttpResponseRedirect(address)
    context = {
        "unit": unit,
        "title": unit.path,
        "base": base,
        "text": mine.decode("utf-8", "replace"),
        "findings": reading.findings,
        "conflict": conflict,
        "reviewed": sent is not None and reading.document is not None,
        "diff_html": html.diff(bytes_diff(unit.path, content, mine)),
    }
    status = status_of(None, conflict, valid=sent is None or reading.document is not None)
    return page(
        request,
        "broken",
        context,
        workspace=unit.workspace,
        crumbs=((unit.path, ""),),
        status=status,
    )
