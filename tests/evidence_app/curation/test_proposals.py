"""`prepare` from the browser: a proposal, then a curator's word."""

from __future__ import annotations

import re
import threading

import pytest
from django.db import connection
from django.test import Client

from evidence_app import tasks
from evidence_app.authoring.port import RestructureFailed
from evidence_app.curation import preparing, proposal_page, proposals
from evidence_app.models import Proposal
from evidence_app.sync import evidence_drift
from tests.evidence_app.curation_kit import SOURCE, TEXT, UTIC, WORKSPACE, make_files, push
from thoth.lib.errors import Conflict
from thoth.workspaces.committing import Author
from thoth.workspaces.git import git
from thoth.workspaces.repository import (
    Repository,
    repository_file,
    repository_head,
    repository_log,
    repository_tree,
)

pytestmark = pytest.mark.django_db

NEW = "source/note/holter.md"
ANNA, BRUNO = Author("anna"), Author("bruno")
PREPARE = f"/admin/evidence_app/evidenceunit/workspace/{WORKSPACE}/prepare/"


def _proposal() -> Proposal:
    """A proposal that makes a unit of a new source."""
    push(NEW, b"# Holter\n\n- **Holter**: registrazione di 24 ore\n")
    proposal = proposals.proposal_request(WORKSPACE, author="anna")
    proposals.proposal_make(proposal.pk)
    proposal.refresh_from_db()
    return proposal


def _refs(repository: Repository) -> bytes:
    return git(["for-each-ref", "refs/proposals"], git_dir=repository.git_dir)


def test_a_proposal_moves_nothing_until_it_is_accepted(
    repository: Repository, anna: Client
) -> None:
    proposal = _proposal()
    head = repository_head(repository)
    assert proposal.status == "ready"
    assert proposal.base == head
    html = anna.get(f"/admin/evidence_app/proposal/{proposal.pk}/change/").content.decode()
    assert "curated/glossary/holter.md" in html
    assert repository_head(repository) == head
    commit = proposals.proposal_accept(proposal, author=ANNA)
    assert repository_head(repository) == commit
    assert repository_log(repository)[0].author == "anna"
    assert "curated/glossary/holter.md" in repository_tree(repository, commit)
    assert evidence_drift(WORKSPACE) == []
    assert _refs(repository) == b""


def test_a_clone_does_not_get_the_proposals(repository: Repository) -> None:
    _proposal()
    assert _refs(repository) != b""
    clone = repository.git_dir.parent / "clone"
    git(["clone", "--quiet", "--", str(repository.git_dir), str(clone)])
    assert b"proposals" not in git(["for-each-ref"], cwd=clone)


def test_a_discarded_proposal_leaves_nothing_and_is_decided_once(repository: Repository) -> None:
    proposal = _proposal()
    head = repository_head(repository)
    proposals.proposal_discard(proposal, author=BRUNO)
    assert _refs(repository) == b""
    for decide in (proposals.proposal_accept, proposals.proposal_discard):
        with pytest.raises(Conflict) as caught:
            decide(proposal, author=ANNA)
        assert caught.value.code == "proposal_decided"
    assert repository_head(repository) == head


def test_nothing_to_do_is_said(repository: Repository, anna: Client) -> None:
    answer = anna.post(PREPARE, follow=True)
    assert "Every source is already prepared" in answer.content.decode()
    assert Proposal.objects.get().status == "empty"


def test_asked_for_twice_it_is_prepared_once(repository: Repository, anna: Client) -> None:
    first = _proposal()
    assert proposals.proposal_request(WORKSPACE, author="bruno").pk == first.pk
    assert anna.post(PREPARE)["Location"].endswith(f"/proposal/{first.pk}/change/")
    proposals.proposal_make(first.pk)
    assert Proposal.objects.get().commit == first.commit


def test_an_edit_of_another_unit_does_not_spoil_it(repository: Repository) -> None:
    proposal = _proposal()
    push(UTIC, make_files()[UTIC].replace(b"CCU", b"terapia intensiva"))
    proposals.proposal_accept(proposal, author=ANNA)
    tree = repository_tree(repository, "main")
    assert b"terapia intensiva" in tree[UTIC]
    assert "curated/glossary/holter.md" in tree


def test_changed_sources_make_it_outdated_and_it_can_still_be_discarded(
    repository: Repository, anna: Client
) -> None:
    proposal = _proposal()
    head = push(SOURCE, (TEXT + "Altro.\n").encode())
    address = f"/admin/evidence_app/proposal/{proposal.pk}/change/"
    answer = anna.post(address, {"action": "accept"})
    assert answer.status_code == 422
    assert "proposal_outdated" in answer.content.decode()
    assert repository_head(repository) == head
    assert anna.post(address, {"action": "discard"}).status_code == 302


def test_a_manifest_moved_meanwhile_is_a_conflict(repository: Repository) -> None:
    proposal = _proposal()
    manifest = repository_file(repository, "main", "manifest.yaml") or b""
    push("manifest.yaml", manifest.replace(b"      - evidence:regime\n", b""))
    with pytest.raises(Conflict) as caught:
        proposals.proposal_accept(proposal, author=ANNA)
    assert caught.value.code == "branch_moved"
    proposal.refresh_from_db()
    assert (proposal.status, proposal.decided_by) == ("ready", "")


def test_a_bad_source_fails_the_whole_proposal_with_its_code(
    repository: Repository, anna: Client
) -> None:
    head = push(NEW, b"\xff\xfe no text")
    answer = anna.post(PREPARE, follow=True)
    html = answer.content.decode()
    assert "text_not_utf8" in html
    assert "holter.md" in html
    assert repository_head(repository) == head
    assert not re.search("Traceback", html)


def test_a_model_that_fails_is_a_failed_proposal(
    repository: Repository, anna: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        calls_model = False

        def restructure(self, request):
            raise RestructureFailed("no_proposal", "No units.", source_file=request.source_file)

    monkeypatch.setattr(preparing, "restructurer_get", Failing)
    push(NEW, b"# Holter\n")
    html = anna.post(PREPARE, follow=True).content.decode()
    assert "no_proposal" in html
    assert Proposal.objects.get().status == "failed"


class Killed(BaseException):
    """Ends the process there and then."""


@pytest.mark.parametrize("after", [False, True], ids=["before the branch moved", "after it moved"])
def test_accepting_can_be_repeated_after_a_kill(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    proposal = _proposal()
    base = repository_head(repository)
    commit = proposals.evidence_commit

    def killed(**arguments: object) -> str:
        if after:
            commit(**arguments)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(proposals, "evidence_commit", killed)
        with pytest.raises(Killed):
            proposals.proposal_accept(proposal, author=ANNA)
    proposal.refresh_from_db()
    assert proposal.status == "ready"
    assert (repository_head(repository) != base) is after
    head = proposals.proposal_accept(proposal, author=ANNA)
    assert repository_head(repository) == head
    commits = [entry.subject for entry in repository_log(repository)]
    assert sum(subject.startswith("Accept proposal") for subject in commits) == 1
    assert "curated/glossary/holter.md" in repository_tree(repository, head)
    assert evidence_drift(WORKSPACE) == []
    assert _refs(repository) == b""


def test_a_defect_fails_the_proposal_and_nobody_waits_for_it(
    repository: Repository, anna: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(preparing, "prepare", broken)
    push(NEW, b"# Holter\n")
    html = anna.post(PREPARE, follow=True).content.decode()
    assert "internal" in html
    assert "no space left" not in html
    assert Proposal.objects.get().status == "failed"


def test_a_proposal_that_nobody_makes_any_more_can_be_discarded(
    repository: Repository, anna: Client
) -> None:
    push(NEW, b"# Holter\n\n- **Holter**: registrazione di 24 ore\n")
    lost = proposals.proposal_request(WORKSPACE, author="anna")
    address = f"/admin/evidence_app/proposal/{lost.pk}/change/"
    assert 'value="discard"' in anna.get(address).content.decode()
    assert anna.post(address, {"action": "discard"}).status_code == 302
    proposals.proposal_make(lost.pk)  # the worker comes too late
    lost.refresh_from_db()
    assert (lost.status, _refs(repository)) == ("discarded", b"")
    assert proposals.proposal_request(WORKSPACE, author="anna").pk != lost.pk


def test_a_proposal_discarded_while_it_is_made_leaves_no_ref(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(NEW, b"# Holter\n\n- **Holter**: registrazione di 24 ore\n")
    proposal = proposals.proposal_request(WORKSPACE, author="anna")
    keep = proposals.ref_set

    def discarded_meanwhile(*arguments: object) -> None:
        proposals.proposal_discard(proposal, author=BRUNO)
        keep(*arguments)

    monkeypatch.setattr(proposals, "ref_set", discarded_meanwhile)
    proposals.proposal_make(proposal.pk)
    proposal.refresh_from_db()
    assert (proposal.status, _refs(repository)) == ("discarded", b"")


def test_files_beyond_what_a_page_shows_are_named(
    repository: Repository, anna: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposal_page, "FILES_MAX", 1)
    proposal = _proposal()
    html = anna.get(f"/admin/evidence_app/proposal/{proposal.pk}/change/").content.decode()
    assert "1 more file" in html
    assert "manifest.yaml" in html
    assert "registrazione di 24 ore" in html


@pytest.mark.django_db(transaction=True)
def test_two_who_accept_at_once_commit_once(repository: Repository) -> None:
    proposal = _proposal()
    outcomes: list[str] = []

    def accept(author: Author) -> None:
        try:
            outcomes.append(proposals.proposal_accept(proposal, author=author))
        except Conflict as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=accept, args=[author]) for author in (ANNA, BRUNO)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("proposal_decided") == 1
    assert repository_head(repository) in outcomes


def test_a_model_is_waited_for_by_a_worker_and_the_page_says_so(
    repository: Repository,
    anna: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preparing, "takes_long", lambda: True)
    push(NEW, b"# Holter\n\n- **Holter**: registrazione di 24 ore\n")
    html = anna.post(PREPARE, follow=True).content.decode()
    assert "data-look-again" in html
    proposal = Proposal.objects.get()
    assert proposal.status == "running"
    tasks.prepare(proposal.pk)
    tasks.prepare(proposal.pk + 1)  # gone meanwhile: nothing happens
    proposal.refresh_from_db()
    assert proposal.status == "ready"


def test_without_a_broker_the_proposal_fails_and_says_so(
    repository: Repository, anna: Client
) -> None:
    proposal = proposals.proposal_request(WORKSPACE, author="anna")
    tasks.enqueue_prepare(proposal.pk)  # nothing listens where the broker should be
    html = anna.get(f"/admin/evidence_app/proposal/{proposal.pk}/change/").content.decode()
    assert "broker_unreachable" in html
