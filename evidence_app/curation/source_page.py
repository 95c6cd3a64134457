"""Source files: written, corrected, uploaded and deleted; each time the difference comes first."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from evidence_app.curation import render as html
from evidence_app.curation.access import author_of, curator_only, user_of
from evidence_app.curation.commits import evidence_commit
from evidence_app.curation.pages import ConflictView, conflict_view, page, status_of
from evidence_app.curation.problems import Problem, problem_of
from evidence_app.curation.tree import Changes
from evidence_app.models import EvidenceUnit
from evidence_app.units.sources import source_read
from thoth.lib.errors import Conflict, Invalid, ThothError
from thoth.lib.limits import SOURCE_FILE_MAX_BYTES
from thoth.workspaces.repository import (
    Repository,
    bytes_diff,
    repository_file,
    repository_head,
    repository_open,
    repository_resolve,
    safe_path,
)

FOLDER = "source/"
ENDINGS = (".md", ".txt")


@dataclass(slots=True)
class Draft:
    """One source as it is being written. `before` is None for a new one."""

    workspace: str
    repository: Repository
    base: str
    path: str
    text: str
    before: bytes | None
    is_new: bool
    reviewed: bool = False
    deleted: bool = False
    problem: Problem | None = None
    conflict: ConflictView | None = None

    @property
    def after(self) -> bytes | None:
        """What the file will hold; None when it is to be deleted."""
        return None if self.deleted else normal(self.text)


def normal(text: str) -> bytes:
    """A text from a form as it stands in a file: LF, and one at the end."""
    return (text.replace("\r\n", "\n").rstrip("\n") + "\n").encode()


def source_path(path: str) -> str:
    """The path, if a source may have it.

    Raises: Invalid `source_name`, `path_unsafe`.
    """
    safe_path(path)
    if (
        not path.startswith(FOLDER)
        or not path.endswith(ENDINGS)
        or path.rpartition("/")[2] in ENDINGS
    ):
        message = "A source is a file below source/ whose name ends in .md or .txt."
        raise Invalid("source_name", message, path=path[:200])
    return path


@curator_only
def source_view(request: HttpRequest, workspace: str) -> HttpResponse:
    draft = _draft(request, workspace)
    if request.method == "POST":
        try:
            if response := _posted(request, draft):
                return response
        except ThothError as error:
            draft.problem, draft.reviewed = problem_of(error), False
    return _shown(request, draft)


@curator_only
@require_POST
def upload_view(request: HttpRequest, workspace: str) -> HttpResponse:
    """The uploaded file as a draft: nothing is committed yet."""
    repository = repository_open(workspace)
    draft = Draft(workspace, repository, repository_head(repository), "", "", None, is_new=True)
    try:
        upload = request.FILES.get("file")
        if not isinstance(upload, UploadedFile):
            raise Invalid("nothing_chosen", "Choose a file first.")
        draft.path = source_path(FOLDER + (upload.name or "").replace("\\", "/").rpartition("/")[2])
        draft.text = _decoded(upload)
        source_read(normal(draft.text), draft.path)  # refuses what could not be prepared
        draft.before = repository_file(repository, draft.base, draft.path)
        draft.is_new, draft.reviewed = draft.before is None, True
    except ThothError as error:
        draft.problem = problem_of(error)
    return _shown(request, draft)


def _decoded(upload: UploadedFile[bytes]) -> str:
    if (upload.size or 0) > SOURCE_FILE_MAX_BYTES:
        raise Invalid("source_too_large", "A source may have at most 1 MiB.")
    try:
        return bytes(upload.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid("source_not_utf8", "The file is not UTF-8 text.") from None


def _draft(request: HttpRequest, workspace: str) -> Draft:
    repository = repository_open(workspace)
    sent = request.POST if request.method == "POST" else request.GET
    base = repository_resolve(repository, sent.get("base") or repository_head(repository))
    path = sent.get("path", "").strip()
    is_new = bool(sent.get("is_new")) or not path
    before = None
    if not is_new:
        before = repository_file(repository, base, source_path(path))
        if before is None:
            raise Http404
    stored = (before or b"").decode("utf-8", "replace")
    return Draft(workspace, repository, base, path, sent.get("text", stored), before, is_new)


def _posted(request: HttpRequest, draft: Draft) -> HttpResponse | None:
    """Take in what was sent. Returns a response only when the change is committed."""
    source_path(draft.path)
    action = request.POST.get("action")
    draft.deleted = action == "delete" or request.POST.get("deleted") == "1"
    if not draft.deleted:
        source_read(normal(draft.text), draft.path)  # refuses what could not be prepared
    if draft.is_new and _exists(draft):
        raise Conflict("source_exists", "There is already a source of this name.", path=draft.path)
    draft.reviewed = True
    return _save(request, draft) if action == "save" else None


def _exists(draft: Draft) -> bool:
    head = repository_head(draft.repository)
    return repository_file(draft.repository, head, draft.path) is not None


def _save(request: HttpRequest, draft: Draft) -> HttpResponse | None:
    change: Changes = {draft.path: draft.after}
    verb = _("Delete %(file)s") if draft.deleted else _("Write %(file)s")
    try:
        evidence_commit(
            workspace=draft.workspace,
            base=draft.base,
            paths=[draft.path],
            build=lambda _tree: change,
            author=author_of(user_of(request)),
            message=verb % {"file": draft.path},
        )
    except Conflict as error:
        if error.code != "branch_moved":
            raise
        draft.conflict = conflict_view(draft.repository, draft.path, draft.base, draft.after)
        draft.base = repository_head(draft.repository)
        return None
    messages.success(request, _("Committed under your name. Prepare the units next."))
    return HttpResponseRedirect(reverse("admin:evidence_workspace", args=[draft.workspace]))


def _shown(request: HttpRequest, draft: Draft) -> HttpResponse:
    units = EvidenceUnit.objects.filter(workspace=draft.workspace, source_file=draft.path)
    context = {
        "is_new": draft.is_new,
        "path": draft.path,
        "text": draft.text,
        "base": draft.base,
        "reviewed": draft.reviewed,
        "deleted": draft.deleted,
        "problem": draft.problem,
        "conflict": draft.conflict,
        "diff_html": html.diff(bytes_diff(draft.path, draft.before, draft.after))
        if draft.reviewed
        else "",
        "preview_html": html.markdown(draft.text),
        "units": [] if draft.is_new else units,
    }
    crumbs = ((draft.path or _("A new source"), ""),)
    status = status_of(draft.problem, draft.conflict)
    return page(request, "source", context, workspace=draft.workspace, crumbs=crumbs, status=status)
