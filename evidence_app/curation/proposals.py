"""`prepare` from the browser: a proposal on a ref of its own, accepted or discarded by a curator."""

from __future__ import annotations

import datetime as dt
import logging

from django.utils import timezone

from evidence_app.curation import preparing
from evidence_app.curation.commits import evidence_commit
from evidence_app.models import Proposal
from thoth.lib.errors import Conflict, NotFound, ThothError
from thoth.workspaces.committing import Author, commit_build, ref_delete, ref_set
from thoth.workspaces.repository import (
    Repository,
    repository_changes,
    repository_file,
    repository_head,
    repository_open,
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
        proposal.status = Proposal.Status.FAILED
        proposal.error_code, proposal.error_message = error.code, error.message
    made = Proposal.objects.filter(pk=number, status=Proposal.Status.RUNNING)
    made.update(
        status=proposal.status,
        commit=proposal.commit,
        report=proposal.report,
        error_code=proposal.error_code,
        error_message=proposal.error_message,
    )


def proposal_accept(proposal: Proposal, *, author: Author) -> str:
    """The branch holds what was proposed, under the curator's name. Returns the commit.

    Raises: Conflict `proposal_decided`, `proposal_outdated` when what it was made from has changed,
    `branch_moved`.
    """
    _claim(proposal, Proposal.Status.ACCEPTED, author)
    try:
        return _commit(proposal, author)
    except ThothError:
        Proposal.objects.filter(pk=proposal.pk).update(
            status=Proposal.Status.READY, decided_by="", decided_at=None
        )
        raise


def proposal_discard(proposal: Proposal, *, author: Author) -> None:
    """Nothing of the proposal is left but that it was discarded.

    Raises: Conflict `proposal_decided`.
    """
    _claim(proposal, Proposal.Status.DISCARDED, author)
    ref_delete(repository_open(proposal.workspace), ref_of(proposal))


def ref_of(proposal: Proposal) -> str:
    """Keeps the proposed commit; no clone fetches it."""
    return f"refs/proposals/{proposal.pk}"


def proposal_changes(repository: Repository, proposal: Proposal) -> dict[str, bytes | None]:
    """The proposed files, None for one to be deleted. Raises: NotFound `proposal_lost`."""
    try:
        changed = repository_changes(repository, proposal.base, proposal.commit)
    except ThothError:
        message = "The proposed files are no longer in the repository. Prepare again."
        raise NotFound("proposal_lost", message) from None
    return {
        change.path: None
        if change.status == "deleted"
        else repository_file(repository, proposal.commit, change.path)
        for change in changed
    }


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


def _claim(proposal: Proposal, status: Proposal.Status, author: Author) -> None:
    ready = Proposal.objects.filter(pk=proposal.pk, status=Proposal.Status.READY)
    if not ready.update(status=status, decided_by=author.name, decided_at=timezone.now()):
        raise Conflict("proposal_decided", "This proposal has already been decided.")


def _commit(proposal: Proposal, author: Author) -> str:
    repository = repository_open(proposal.workspace)
    changes = proposal_changes(repository, proposal)
    moved = repository_changes(repository, proposal.base, repository_head(repository))
    if any(change.path.startswith("source/") for change in moved):
        message = "The sources have changed since this proposal was made. Prepare again."
        raise Conflict("proposal_outdated", message)
    commit = evidence_commit(
        workspace=proposal.workspace,
        base=proposal.base,
        paths=changes.keys(),
        build=lambda _tree: changes,
        author=author,
        message=f"Accept proposal {proposal.pk}: units prepared from the sources",
    )
    ref_delete(repository, ref_of(proposal))
    return commit
