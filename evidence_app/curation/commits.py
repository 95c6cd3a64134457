"""One way of changing the Evidence: build on the newest commit, swap the branch, mirror the rows."""

from __future__ import annotations

from collections.abc import Callable, Collection

from evidence_app.curation.tree import Changes, Tree
from evidence_app.sync import evidence_sync
from thoth.lib.errors import Conflict
from thoth.workspaces.committing import Author, commit_files
from thoth.workspaces.repository import (
    Repository,
    repository_changes,
    repository_head,
    repository_open,
    repository_resolve,
    repository_tree,
)

ATTEMPTS = 5


def evidence_commit(
    *,
    workspace: str,
    base: str,
    paths: Collection[str],
    build: Callable[[Tree], Changes],
    author: Author,
    message: str,
) -> str:
    """The branch holds what `build` makes of its newest tree; the rows show it. Returns the commit.

    `base` is the commit that the person looked at and `paths` the files that the change rests on:
    where one of them differs from `base` by now, somebody else's work would be lost or half read.

    Raises: Conflict `branch_moved` (`extra`: `base`, `head`, `paths`), and what `build` raises.
    """
    repository = repository_open(workspace)
    base = repository_resolve(repository, base)
    for _ in range(ATTEMPTS):
        head = repository_head(repository)
        _refuse_overlap(repository, base, head, set(paths))
        changes = build(repository_tree(repository, head))
        try:
            commit = commit_files(repository, head, changes, author=author, message=message)
        except Conflict as error:
            if error.code != "branch_moved":
                raise
            continue  # somebody was faster; if it was about other files, ours goes on top
        evidence_sync(workspace)
        return commit
    raise moved(base, repository_head(repository), sorted(paths))


def moved(base: str, head: str, paths: list[str]) -> Conflict:
    """Somebody else changed the same files."""
    message = (
        "Somebody else has changed the same files since you opened them. Nothing was overwritten; "
        "compare both versions."
    )
    return Conflict("branch_moved", message, base=base, head=head, paths=paths)


def _refuse_overlap(repository: Repository, base: str, head: str, paths: set[str]) -> None:
    if base == head:
        return
    changed = {change.path for change in repository_changes(repository, base, head)}
    if changed & paths:
        raise moved(base, head, sorted(changed & paths))
