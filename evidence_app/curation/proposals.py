"""`prepare` from the browser: a proposal on a ref of its own, accepted or discarded by a curator."""

from __future__ import annotations

import datetime as dt
import logging

from django.db import transaction
from django.utils import timezone

from evidence_app.curation import preparing
from evidence_app.curation.commits import evidence_commit
from evidence_app.models import Proposal
from evidence_app.sync import evidence_sync
from thoth.lib.errors import Conflict, NotFound, ThothError
from thoth.workspaces.committing import Author, commit_build, ref_delete, ref_set
from thoth.workspaces.repository import (
    FileChange,
    Repository,
    repository_changes,
    repository_diffs,
    repository_head,
    repository_open,
    repository_tree,
)
from thoth.workspaces.worktree import worktree, worktree_changes

logger = logging.getLogger(__name__)

# Longer than a preparation may take: what still "runs" then lost its worker.
RUNNING_MAX = dt.timedelta(minutes=30)
PREPARER = Author("Thoth")


def proposal_request(workspace: str, *, author: str) -> Proposal:
    """A running proposal on the newest commit; the caller has it made.

    While one of the workspace waits or runs, that one is returned: nobody prepares twice.
    Raises: what opening the repository raises.
    """
    head = repository_head(repository_open(workspace))
    open_states = (Proposal.Status.READY, Proposal.Status.RUNNING)
    mine = Proposal.objects.filter(workspace=workspace, base=head, status__in=open_states)
    if found := mine.filter(created_at__gt=timezone.now() - RUNNING_MAX).first():
        return found
    return Proposal.objects.create(
        workspace=workspace, base=head, author=author, created_at=timezone.now()
    )


def proposal_make(number: int) -> None:
    """The proposal is ready, empty or failed. Running it twice changes nothing.

    The preparation happens in a temporary working tree: the branch stays where it is.
    """
    proposal = Proposal.objects.get(pk=number)
    if proposal.status != Proposal.Status.RUNNING:
        return
    try:
        _prepare(proposal)
    except ThothError as error:
        logger.info("prepare_failed proposal=%s code=%s", number, error.code)
        _failed(proposal, error.code, error.message)
    except Exception:
        # Whatever it was, nobody must wait for a proposal that nobody makes any more.
        logger.exception("prepare_failed proposal=%s code=internal", number)
        _failed(proposal, "internal", "The preparation failed. Try again, or tell the operator.")
    made = Proposal.objects.filter(pk=number, status=Proposal.Status.RUNNING).update(
        status=proposal.status,
        commit=proposal.commit,
        report=proposal.report,
        error_code=proposal.error_code,
        error_message=proposal.error_message,
    )
    if not made and proposal.commit:  # discarded while it was made
        ref_delete(repository_open(proposal.workspace), ref_of(proposal))


def proposal_accept(proposal: Proposal, *, author: Author) -> str:
    """The branch holds what was proposed, under the curator's name. Returns the commit.

    One transaction around the commit: killed before the branch moved, the proposal still waits;
    killed after, accepting it again finds its files committed and only says so.

    Raises: Conflict `proposal_decided`, `proposal_outdated` when what it was made from has changed,
    `branch_moved`.
    """
    with transaction.atomic():
        _claim(proposal, (Proposal.Status.READY,), Proposal.Status.ACCEPTED, author)
        commit = _commit(proposal, author)
    ref_delete(repository_open(proposal.workspace), ref_of(proposal))
    return commit


def proposal_discard(proposal: Proposal, *, author: Author) -> None:
    """Nothing of the proposal is left but that it was discarded; also of one that is being made.

    Raises: Conflict `proposal_decided`.
    """
    undecided = (Proposal.Status.READY, Proposal.Status.RUNNING)
    _claim(proposal, undecided, Proposal.Status.DISCARDED, author)
    ref_delete(repository_open(proposal.workspace), ref_of(proposal))


def ref_of(proposal: Proposal) -> str:
    """Keeps the proposed commit; no clone fetches it."""
    return f"refs/proposals/{proposal.pk}"


def proposal_diffs(proposal: Proposal) -> list[tuple[FileChange, str]]:
    """Each proposed file with its unified diff, by path. Raises: NotFound `proposal_lost`."""
    repository = repository_open(proposal.workspace)
    changed = _changed(repository, proposal)
    return list(
        zip(changed, repository_diffs(repository, proposal.base, proposal.commit), strict=True)
    )


def _prepare(proposal: Proposal) -> None:
    repository = repository_open(proposal.workspace)
    with worktree(repository, proposal.base) as root:
        proposal.report = preparing.prepare(root, proposal.workspace)
        changes = worktree_changes(repository, proposal.base, root)
    if not changes:
        proposal.status = Proposal.Status.EMPTY
        return
    message = f"Proposal {proposal.pk}"
    proposal.commit = commit_build(
        repository, proposal.base, changes, author=PREPARER, message=message
    )
    ref_set(repository, ref_of(proposal), proposal.commit)
    proposal.status = Proposal.Status.READY


def _failed(proposal: Proposal, code: str, message: str) -> None:
    proposal.status = Proposal.Status.FAILED
    proposal.error_code, proposal.error_message = code, message


def _claim(
    proposal: Proposal,
    undecided: tuple[Proposal.Status, ...],
    status: Proposal.Status,
    author: Author,
) -> None:
    found = Proposal.objects.filter(pk=proposal.pk, status__in=undecided)
    if not found.update(status=status, decided_by=author.name, decided_at=timezone.now()):
        raise Conflict("proposal_decided", "This proposal has already been decided.")


def _changed(repository: Repository, proposal: Proposal) -> list[FileChange]:
    try:
        return repository_changes(repository, proposal.base, proposal.commit)
    except ThothError:
        message = "The proposed files are no longer in the repository. Prepare again."
        raise NotFound("proposal_lost", message) from None


def _commit(proposal: Proposal, author: Author) -> str:
    repository = repository_open(proposal.workspace)
    changed = _changed(repository, proposal)
    proposed = repository_tree(repository, proposal.commit)
    changes = {change.path: proposed.get(change.path) for change in changed}
    head = repository_head(repository)
    current = repository_tree(repository, head)
    if all(current.get(path) == content for path, content in changes.items()):
        evidence_sync(proposal.workspace)
        return head
    moved = repository_changes(repository, proposal.base, head)
    if any(change.path.startswith("source/") for change in moved):
        message = "The sources have changed since this proposal was made. Prepare again."
        raise Conflict("proposal_outdated", message)
    return evidence_commit(
        workspace=proposal.workspace,
        base=proposal.base,
        paths=changes.keys(),
        build=lambda _tree: changes,
        author=author,
        message=f"Accept proposal {proposal.pk}: units prepared from the sources",
    )
