"""The page of one unit: its typed form beside its source, the difference first, then the commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from evidence_app.curation import documents
from evidence_app.curation import render as html
from evidence_app.curation.access import author_of, curator_only, user_of
from evidence_app.curation.broken_page import broken_page
from evidence_app.curation.commits import evidence_commit
from evidence_app.curation.forms import FORMS, KIND_LABELS, UnitForm, field_of, initial_of
from evidence_app.curation.pages import ConflictView, conflict_view, page, status_of
from evidence_app.curation.problems import Problem, problem_of
from evidence_app.curation.tree import Changes
from evidence_app.models import EvidenceUnit
from evidence_app.sync import evidence_sync_if_moved
from thoth.lib.errors import Conflict, ThothError
from thoth.lib.text import whole_number, whole_numbers
from thoth.workspaces.repository import (
    Repository,
    bytes_diff,
    repository_file,
    repository_head,
    repository_open,
    repository_resolve,
)


@dataclass(slots=True)
class Edit:
    """One request's work on one unit. `base` is the commit that the curator looks at."""

    unit: EvidenceUnit
    repository: Repository
    base: str
    content: bytes
    original: documents.Reading
    form: UnitForm
    resolved: list[int] = field(default_factory=list)
    message: str = ""
    written: documents.Written | None = None
    problem: Problem | None = None
    conflict: ConflictView | None = None

    @property
    def changes(self) -> Changes:
        """The files that this edit writes and deletes."""
        assert self.written is not None
        gone: Changes = {} if self.written.path == self.unit.path else {self.unit.path: None}
        return {**gone, self.written.path: self.written.content}


@curator_only
def unit_view(request: HttpRequest, object_id: str) -> HttpResponse:
    unit = _unit(object_id)
    repository = repository_open(unit.workspace)
    base = request.POST.get("base") or repository_head(repository)
    base = repository_resolve(repository, base)
    content = repository_file(repository, base, unit.path)
    if content is None:
        raise Http404
    original = documents.read(unit.path, content)
    if original.document is None:
        return broken_page(request, unit, repository, base, content)
    edit = Edit(unit, repository, base, content, original, _opened(original))
    if request.method == "POST" and (response := _posted(request, edit)):
        return response
    return _shown(request, edit)


def _unit(object_id: str) -> EvidenceUnit:
    unit = EvidenceUnit.objects.filter(pk=whole_number(object_id) or 0).first()
    if unit is None:
        raise Http404
    evidence_sync_if_moved(unit.workspace)
    unit = EvidenceUnit.objects.filter(pk=unit.pk).first()
    if unit is None:
        raise Http404
    return unit


def _opened(original: documents.Reading) -> UnitForm:
    assert original.document is not None
    kind = str(original.document["kind"])
    return FORMS[kind](initial=initial_of(kind, original.document, original.body))


def _posted(request: HttpRequest, edit: Edit) -> HttpResponse | None:
    """Take in what was sent. Returns a response only when the change is committed."""
    kind = request.POST.get("kind", "")
    if kind not in FORMS:
        raise Http404
    edit.form = FORMS[kind](request.POST)
    edit.resolved = whole_numbers(request.POST.getlist("resolved"))
    edit.message = request.POST.get("message", "").strip()
    valid = edit.form.is_valid()
    assert edit.original.document is not None
    document = edit.form.document(edit.original.document)
    document["review_items"] = _still_open(document.get("review_items") or [], edit.resolved)
    wanted = request.POST.get("change_kind", "")
    if wanted in FORMS:
        edit.form = FORMS[wanted](initial=initial_of(wanted, document, edit.form.body))
        return None
    if valid:
        _write(edit, document)
    if edit.written is None:
        return None
    return _look(request, edit)


def _still_open(items: list[Any], resolved: list[int]) -> list[Any]:
    return [item for number, item in enumerate(items) if number not in resolved]


def _write(edit: Edit, document: Mapping[str, Any]) -> None:
    try:
        edit.written = documents.write(document, edit.form.body, stands_at=edit.unit.path)
    except documents.NotAUnit as error:
        for location, text in error.problems:
            edit.form.add_error(field_of(edit.form, location), text)


def _look(request: HttpRequest, edit: Edit) -> HttpResponse | None:
    """Compare with the newest commit, and commit when that was asked for."""
    try:
        if request.POST.get("action") == "save":
            return _save(request, edit)
        newest = repository_head(edit.repository)
        if repository_file(edit.repository, newest, edit.unit.path) != edit.content:
            _in_conflict(edit)
    except Conflict as error:
        if error.code != "branch_moved":
            raise
        _in_conflict(edit)
    except ThothError as error:
        edit.problem = problem_of(error)
    return None


def _save(request: HttpRequest, edit: Edit) -> HttpResponse:
    assert edit.written is not None
    evidence_commit(
        workspace=edit.unit.workspace,
        base=edit.base,
        paths=set(edit.changes),
        build=lambda tree: documents.refuse_taken(tree, edit.changes, edit.unit.path),
        author=author_of(user_of(request)),
        message=edit.message or _("Edit %(unit)s") % {"unit": edit.unit.evidence_id},
    )
    messages.success(request, _("Committed under your name."))
    rows = EvidenceUnit.objects.filter(workspace=edit.unit.workspace, path=edit.written.path)
    return HttpResponseRedirect(
        reverse("admin:evidence_app_evidenceunit_change", args=[rows.get().pk])
    )


def _in_conflict(edit: Edit) -> None:
    """Show both versions; what is reviewed next goes on top of theirs."""
    assert edit.written is not None
    mine = edit.written.content
    edit.conflict = conflict_view(edit.repository, edit.unit.path, edit.base, mine)
    edit.base = repository_head(edit.repository)


def _shown(request: HttpRequest, edit: Edit) -> HttpResponse:
    original, written = edit.original, edit.written
    assert original.document is not None
    document = written.document if written else original.document
    provenance = original.document["provenance"]
    source = repository_file(edit.repository, edit.base, provenance["source_file"])
    text = (source or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    context = {
        "unit": edit.unit,
        "title": edit.unit.title,
        "kind_label": KIND_LABELS[edit.form.kind],
        "kinds": list(KIND_LABELS.items()),
        "form": edit.form,
        "base": edit.base,
        "items": original.document.get("review_items") or [],
        "resolved": edit.resolved,
        "message": edit.message,
        "problem": edit.problem,
        "conflict": edit.conflict,
        "reviewed": written is not None,
        "diff_html": _difference(edit) if written else "",
        "findings": edit.unit.findings,
        "preview_html": html.preview(document, written.body if written else original.body),
        "excerpts": provenance["supporting_excerpts"],
        "source_file": provenance["source_file"],
        "source_html": html.marked(text, provenance["supporting_excerpts"]) if source else "",
    }
    bound_valid = not edit.form.is_bound or edit.form.is_valid()
    status = status_of(edit.problem, edit.conflict, valid=bound_valid)
    crumbs = ((edit.unit.title, ""),)
    return page(
        request, "unit", context, workspace=edit.unit.workspace, crumbs=crumbs, status=status
    )


def _difference(edit: Edit) -> str:
    assert edit.written is not None
    if edit.written.path == edit.unit.path:
        return html.diff(bytes_diff(edit.unit.path, edit.content, edit.written.content))
    gone = bytes_diff(edit.unit.path, edit.content, None)
    return html.diff(gone + bytes_diff(edit.written.path, None, edit.written.content))
