"""What the curators' pages share: the frame, refusals and conflicts in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from evidence_app.curation import render as html
from evidence_app.curation.access import author_of, user_of
from evidence_app.curation.problems import Problem
from thoth.workspaces.repository import (
    Repository,
    bytes_diff,
    repository_file,
    repository_head,
    repository_log,
)

Crumb = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Both versions of one file. `stands`: theirs still exists, so mine can go on top."""

    author: str
    subject: str
    theirs: str
    theirs_diff: SafeString
    mine_diff: SafeString
    stands: bool


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    workspace: str = "",
    crumbs: tuple[Crumb, ...] = (),
    status: int = 200,
) -> HttpResponse:
    """A page in the admin's frame."""
    frame = {
        **admin.site.each_context(request),
        "workspace": workspace,
        "crumbs": crumbs,
        "author": author_of(user_of(request)).name,
        "has_permission": True,
    }
    title = context.get("title") or (crumbs[-1][0] if crumbs else workspace)
    context = {**frame, **context, "title": title}
    return render(request, f"admin/evidence_app/{template}.html", context, status=status)


def status_of(problem: Problem | None, conflict: ConflictView | None, *, valid: bool = True) -> int:
    """The page's status: 409 for a conflict, 422 for a refusal, else 200."""
    if conflict is not None:
        return 409
    return 200 if problem is None and valid else 422


def conflict_view(repository: Repository, path: str, base: str, mine: bytes | None) -> ConflictView:
    """What became of the file since `base`, and what this person wanted to make of it."""
    before = repository_file(repository, base, path)
    theirs = repository_file(repository, repository_head(repository), path)
    last = next(iter(repository_log(repository, path, 1)), None)
    return ConflictView(
        author=last.author if last else "?",
        subject=last.subject if last else "",
        theirs=(theirs or b"").decode("utf-8", "replace"),
        theirs_diff=html.diff(bytes_diff(path, before, theirs)),
        mine_diff=html.diff(bytes_diff(path, before, mine)),
        stands=theirs is not None,
    )
