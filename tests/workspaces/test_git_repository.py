"""The Git repository of a workspace: reading commits, and moving the branch by compare-and-swap."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from tests.workspaces.builders import make_document
from thoth.lib.errors import Conflict, Invalid, NotFound
from thoth.workspaces.committing import Author, commit_build, commit_files, repository_create
from thoth.workspaces.facade import workspace_write
from thoth.workspaces.git import GitFailed, git
from thoth.workspaces.repository import (
    Repository,
    bytes_diff,
    repository_at,
    repository_changes,
    repository_diff,
    repository_file,
    repository_head,
    repository_log,
    repository_open,
    repository_resolve,
    repository_tree,
)
from thoth.workspaces.seed import seed

ANNA, BRUNO = Author("Anna Rossi", "anna@example.org"), Author("Bruno")
FILES = {"curated/glossary/a.md": b"alpha\n", "manifest.yaml": b"x: 1\n", "source/é b.md": b"\xff"}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repository_create(
        tmp_path / "repository.git", FILES, author=Author("Thoth"), message="Start"
    )


def _commit(repository: Repository, base: str, path: str, text: str, author: Author = ANNA) -> str:
    changes = {path: text.encode()}
    return commit_files(repository, base, changes, author=author, message=f"Write {path}")


def test_the_tree_of_a_commit_is_read_byte_for_byte(repository: Repository) -> None:
    head = repository_head(repository)
    assert repository_tree(repository, head) == FILES
    assert list(repository_tree(repository, head, "curated")) == ["curated/glossary/a.md"]
    assert repository_file(repository, head, "source/é b.md") == b"\xff"
    assert repository_file(repository, head, "source/none.md") is None


def test_a_commit_changes_only_what_it_names_and_carries_the_author(
    repository: Repository,
) -> None:
    base = repository_head(repository)
    changes = {"curated/glossary/a.md": None, "curated/enum/b.md": b"beta\n"}
    new = commit_files(repository, base, changes, author=ANNA, message="Move it\n\nwhy")
    assert repository_head(repository) == new
    expected = {**FILES, "curated/enum/b.md": b"beta\n"}
    del expected["curated/glossary/a.md"]
    assert repository_tree(repository, new) == expected
    assert repository_tree(repository, base) == FILES
    changed = {(c.status, c.path) for c in repository_changes(repository, base, new)}
    assert changed == {("deleted", "curated/glossary/a.md"), ("added", "curated/enum/b.md")}
    newest = repository_log(repository)[0]
    assert (newest.author, newest.subject, newest.commit) == ("Anna Rossi", "Move it", new)
    assert "+beta" in repository_diff(repository, base, new, "curated/enum/b.md")
    # A plain clone sees the same and is clean.
    work = repository.git_dir.parent / "clone"
    git(["clone", "--quiet", "--", str(repository.git_dir), str(work)])
    assert (work / "evidence/curated/enum/b.md").read_bytes() == b"beta\n"


def test_a_moved_branch_is_a_conflict_and_the_own_commit_is_kept(repository: Repository) -> None:
    base = repository_head(repository)
    theirs = _commit(repository, base, "a.md", "theirs")
    with pytest.raises(Conflict) as caught:
        _commit(repository, base, "a.md", "mine", BRUNO)
    assert caught.value.code == "branch_moved"
    assert (caught.value.extra["base"], caught.value.extra["head"]) == (base, theirs)
    mine = str(caught.value.extra["mine"])
    assert repository_file(repository, mine, "a.md") == b"mine"
    assert repository_file(repository, repository_head(repository), "a.md") == b"theirs"


def test_of_many_commits_at_once_on_one_base_exactly_one_wins(repository: Repository) -> None:
    base = repository_head(repository)
    outcomes: list[str] = []

    def commit(number: int) -> None:
        try:
            outcomes.append(_commit(repository, base, "a.md", str(number)))
        except Conflict as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=commit, args=[number]) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("branch_moved") == 4
    assert repository_head(repository) in outcomes
    assert len(repository_log(repository)) == 2


def test_a_commit_of_nothing_is_refused(repository: Repository) -> None:
    base = repository_head(repository)
    with pytest.raises(Invalid) as caught:
        _commit(repository, base, "curated/glossary/a.md", "alpha\n")
    assert caught.value.code == "commit_empty"


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a//b", ".git/config", "a\nb"])
def test_a_path_that_leaves_the_evidence_is_refused(repository: Repository, path: str) -> None:
    base = repository_head(repository)
    with pytest.raises(Invalid) as caught:
        _commit(repository, base, path, "x")
    assert caught.value.code == "path_unsafe"
    with pytest.raises(Invalid):
        repository_file(repository, base, path)


def test_a_name_that_begins_with_a_dash_is_a_name(repository: Repository) -> None:
    base = repository_head(repository)
    new = _commit(repository, base, "--output=x.md", "dash")
    assert repository_file(repository, new, "--output=x.md") == b"dash"
    assert "+dash" in repository_diff(repository, base, new, "--output=x.md")


def test_an_author_cannot_write_a_header_of_the_commit(repository: Repository) -> None:
    base = repository_head(repository)
    _commit(repository, base, "a.md", "x", Author("Eva <root@x>\nparent 0", "e\n@x"))
    assert repository_log(repository)[0].author == "Eva root@x parent 0"


def test_a_symbolic_link_is_named_and_not_followed(repository: Repository, tmp_path: Path) -> None:
    work = tmp_path / "clone"
    git(["clone", "--quiet", "--", str(repository.git_dir), str(work)])
    (work / "evidence/source/passwd.md").symlink_to("/etc/passwd")
    git(["add", "--", "evidence/source/passwd.md"], cwd=work)
    git(["commit", "-qm", "link"], cwd=work, env=ANNA.environment())
    git(["push", "-q", "origin", "HEAD"], cwd=work)
    with pytest.raises(Invalid) as caught:
        repository_tree(repository, repository_head(repository))
    assert caught.value.code == "repository_entry"
    assert "source/passwd.md" in caught.value.message


def test_hooks_of_the_repository_and_settings_of_the_machine_do_not_run(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    hook = repository.git_dir / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare'='nonsense'")
    _commit(repository, repository_head(repository), "a.md", "x")
    assert not ran.exists()


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(GitFailed) as caught:
        git(["-c", "alias.wait=!sleep 60", "wait"], cwd=tmp_path, timeout_s=0.3)
    assert caught.value.code == "git_timeout"


def test_revisions_are_resolved_or_unknown(repository: Repository) -> None:
    head = repository_head(repository)
    assert repository_resolve(repository, "main") == head
    assert repository_resolve(repository, head[:8]) == head
    for bad in ("", "nowhere", "--all", "x" * 500, "a\x00b"):
        with pytest.raises(NotFound) as caught:
            repository_resolve(repository, bad)
        assert caught.value.code == "revision_unknown"


def test_a_workspace_names_its_repository_by_path(repository: Repository, settings) -> None:
    settings.THOTH_HOME = repository.git_dir.parent
    folder = repository.git_dir.parent / "workspaces" / "ward"
    folder.mkdir(parents=True)
    repository.git_dir.rename(folder / "repository.git")
    evidence = {"layout_version": 2, "repository": "repository.git"}
    workspace_write(document=make_document(evidence=evidence))
    assert repository_tree(repository_open("ward"), "main") == FILES


@pytest.mark.parametrize("address", ["s3://bucket/evidence", "https://host.example/tree/evidence"])
def test_file_trees_of_the_web_are_refused(tmp_path: Path, settings, address: str) -> None:
    settings.THOTH_HOME = tmp_path
    evidence = {"layout_version": 2, "repository": address}
    workspace_write(document=make_document(evidence=evidence))
    with pytest.raises(Invalid) as caught:
        repository_open("ward")
    assert caught.value.code == "evidence_source_unsupported"


def test_a_git_url_is_mirrored_and_written_by_compare_and_swap(
    repository: Repository, settings
) -> None:
    settings.THOTH_HOME = repository.git_dir.parent
    url = repository.git_dir.as_uri()
    workspace_write(document=make_document(evidence={"layout_version": 2, "repository": url}))
    mirrored = repository_open("ward")
    base = repository_head(mirrored)
    new = _commit(mirrored, base, "a.md", "through the mirror")
    assert repository_head(repository) == new
    theirs = _commit(repository, new, "a.md", "theirs", BRUNO)
    with pytest.raises(Conflict) as caught:
        _commit(mirrored, new, "a.md", "mine")
    assert caught.value.extra["head"] == theirs
    assert repository_head(repository_open("ward")) == theirs


def test_a_killed_commit_leaves_the_branch_where_it_was(repository: Repository) -> None:
    base = repository_head(repository)
    commit_build(repository, base, {"a.md": b"x"}, author=ANNA, message="never swapped")
    assert repository_head(repository) == base
    check = ["git", f"--git-dir={repository.git_dir}", "fsck", "--strict", "--no-dangling"]
    assert subprocess.run(check, check=False, capture_output=True).returncode == 0


def test_a_folder_without_a_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        repository_at(tmp_path / "none")
    assert caught.value.code == "repository_missing"


def test_a_folder_becomes_a_repository_once(tmp_path: Path) -> None:
    folder, target = tmp_path / "evidence", tmp_path / "repository.git"
    (folder / "source").mkdir(parents=True)
    (folder / "source" / "a.md").write_bytes(b"one\n")
    assert seed(folder, target)
    repository = repository_at(target)
    _commit(repository, repository_head(repository), "source/a.md", "a curator's")
    assert not seed(folder, target)
    assert repository_tree(repository, "main") == {"source/a.md": b"a curator's"}


def test_a_seed_that_was_killed_is_finished(tmp_path: Path) -> None:
    target = tmp_path / "repository.git"
    git(["init", "--quiet", "--bare", "--", str(target)])
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "a.md").write_bytes(b"one\n")
    assert seed(tmp_path / "evidence", target)
    assert repository_tree(repository_at(target), "main") == {"a.md": b"one\n"}


def test_two_contents_are_compared_as_git_does() -> None:
    assert bytes_diff("x.md", b"a\n", b"a\n") == ""
    assert bytes_diff("x.md", b"a\n", b"b\n") == "--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n-a\n+b\n"
    assert bytes_diff("x.md", None, b"b\n").startswith("--- /dev/null\n+++ b/x.md\n@@ ")
