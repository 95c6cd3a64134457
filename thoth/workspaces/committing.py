"""Writing to the Evidence repository: blobs, tree and commit by plumbing, then one swap of the ref.

No working tree and no shared index: any number of processes commit at once, and one that dies
leaves unreferenced objects at most.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thoth.lib.errors import Conflict, Invalid
from thoth.workspaces import remotes
from thoth.workspaces.git import GitFailed, git
from thoth.workspaces.repository import ROOT, Repository, repository_head, safe_path

__all__ = [
    "Author",
    "branch_move",
    "commit_build",
    "commit_files",
    "ref_delete",
    "ref_set",
    "repository_create",
]

NAME_MAX_CHARS = 120
MESSAGE_MAX_CHARS = 2_000
NO_MODE, FILE_MODE = "0", "100644"
NO_OBJECT = "0" * 40
# Git ends a name at these and would refuse an empty rest.
_NOT_IN_NAMES = re.compile(r"[<>\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Author:
    """Whose commit it is. An account without an address gets one that nobody can write to."""

    name: str
    email: str = ""

    def environment(self) -> dict[str, str]:
        """Git's variables for author and committer."""
        name = " ".join(_NOT_IN_NAMES.sub(" ", self.name).split())[:NAME_MAX_CHARS] or "curator"
        email = _NOT_IN_NAMES.sub("", self.email).strip() or f"{_local_part(name)}@localhost"
        roles = ("AUTHOR", "COMMITTER")
        return {
            f"GIT_{role}_{field}": value
            for role in roles
            for field, value in (("NAME", name), ("EMAIL", email))
        }


def repository_create(
    path: Path, files: Mapping[str, bytes], *, author: Author, message: str
) -> Repository:
    """A bare repository at `path` whose first commit holds `files` (paths below `evidence/`).

    Raises: Conflict `repository_exists` when the branch already has a commit.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    git(["init", "--quiet", "--bare", "--", str(path)])
    name = git(["symbolic-ref", "--short", "HEAD"], git_dir=path).decode().strip()
    repository = Repository(path, name)
    commit = commit_build(repository, None, files, author=author, message=message)
    if not _swap(repository, NO_OBJECT, commit):
        text = f"{path} already holds an Evidence repository."
        raise Conflict("repository_exists", text, path=str(path))
    return repository


def commit_files(
    repository: Repository,
    base: str,
    changes: Mapping[str, bytes | None],
    *,
    author: Author,
    message: str,
) -> str:
    """The branch holds `base` plus `changes` (None deletes), if it was still at `base`.

    Returns the new commit. Raises: Conflict `branch_moved` (`extra`: `base`, `head`; `mine` is the
    commit that was made and is not on the branch), Invalid `path_unsafe`, `commit_empty`.
    """
    commit = commit_build(repository, base, changes, author=author, message=message)
    branch_move(repository, base, commit)
    return commit


def commit_build(
    repository: Repository,
    base: str | None,
    changes: Mapping[str, bytes | None],
    *,
    author: Author,
    message: str,
) -> str:
    """A commit of `base` plus `changes`, on no branch. Returns its name.

    Raises: Invalid `path_unsafe`, `commit_empty` when nothing would differ from `base`.
    """
    with tempfile.TemporaryDirectory(prefix="thoth-commit-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        start = ["read-tree", "--empty"] if base is None else ["read-tree", base]
        git(start, git_dir=repository.git_dir, env=index)
        lines = _index_lines(repository, changes, Path(folder))
        git(
            ["update-index", "-z", "--index-info"],
            git_dir=repository.git_dir,
            env=index,
            input=lines,
        )
        written = git(["write-tree"], git_dir=repository.git_dir, env=index)
    tree = written.decode().strip()
    if base is not None and tree == _tree_of(repository, base):
        raise Invalid("commit_empty", "Nothing differs from what is already committed.")
    parents = [] if base is None else ["-p", base]
    output = git(
        ["commit-tree", tree, *parents],
        git_dir=repository.git_dir,
        env=author.environment(),
        input=message.strip()[:MESSAGE_MAX_CHARS].encode(),
    )
    return output.decode().strip()


def branch_move(repository: Repository, base: str, commit: str) -> None:
    """The branch is at `commit`, if it was at `base`.

    Raises: Conflict `branch_moved`.
    """
    if _swap(repository, base, commit):
        return
    message = "Somebody else has committed in the meantime; nothing of yours was written over it."
    head = repository_head(repository)
    raise Conflict("branch_moved", message, base=base, head=head, mine=commit)


def ref_set(repository: Repository, ref: str, commit: str) -> None:
    """`ref` keeps the commit from being swept away."""
    git(["update-ref", ref, commit], git_dir=repository.git_dir)


def ref_delete(repository: Repository, ref: str) -> None:
    """There is no such ref; harmless when there was none."""
    git(["update-ref", "-d", ref], git_dir=repository.git_dir)


def _swap(repository: Repository, old: str, new: str) -> bool:
    if repository.remote is not None:
        pushed = remotes.push(
            repository.remote, repository.git_dir, repository.ref, old=old, new=new
        )
        remotes.mirror_refresh(repository.remote, repository.git_dir)
        return pushed
    try:
        git(["update-ref", repository.ref, new, old], git_dir=repository.git_dir)
    except GitFailed as error:
        if error.code != "git_failed" or _is_at(repository, old):
            raise
        return False
    return True


def _is_at(repository: Repository, commit: str) -> bool:
    args = ["for-each-ref", "--format=%(objectname)", "--", repository.ref]
    at = git(args, git_dir=repository.git_dir).decode().strip()
    return (at or NO_OBJECT) == commit


def _index_lines(
    repository: Repository, changes: Mapping[str, bytes | None], folder: Path
) -> bytes:
    kept = {path: content for path, content in changes.items() if content is not None}
    blobs = dict(zip(kept, _blobs(repository, list(kept.values()), folder), strict=True))
    lines = []
    for path in changes:
        blob = blobs.get(path)
        mode = FILE_MODE if blob else NO_MODE
        lines.append(f"{mode} {blob or NO_OBJECT}\t{ROOT}{safe_path(path)}\0")
    return "".join(lines).encode()


def _blobs(repository: Repository, contents: list[bytes], folder: Path) -> list[str]:
    """The object names of the contents, written by one process."""
    if not contents:
        return []
    files = [folder / f"blob{number}" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    output = git(
        ["hash-object", "-w", "--no-filters", "--stdin-paths"],
        git_dir=repository.git_dir,
        input="".join(f"{file}\n" for file in files).encode(),
    )
    return output.decode().split()


def _tree_of(repository: Repository, commit: str) -> str:
    args = ["rev-parse", f"{commit}^{{tree}}"]
    return git(args, git_dir=repository.git_dir).decode().strip()


def _local_part(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", ".", name).strip(".") or "curator"
