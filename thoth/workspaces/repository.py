"""The Git repository that holds a workspace's Evidence: where it is, what it holds, what was done.

Paths are relative to `evidence/`, commits are full object names. Nothing here reads a working
tree: what is not committed does not exist.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from thoth.lib.errors import Conflict, Invalid, NotFound
from thoth.workspaces import remotes
from thoth.workspaces.facade import workspace_folder, workspace_get
from thoth.workspaces.git import GitFailed, git, git_ok

__all__ = [
    "FileChange",
    "LogEntry",
    "Repository",
    "bytes_diff",
    "repository_at",
    "repository_changes",
    "repository_diff",
    "repository_diffs",
    "repository_file",
    "repository_head",
    "repository_log",
    "repository_open",
    "repository_resolve",
    "repository_tree",
    "safe_path",
]

ROOT = "evidence/"
TREE_MAX_BYTES = 256 * 1024 * 1024
LOG_MAX = 200
REVISION_MAX_CHARS = 200
LINK, MODULE = "120000", "160000"
_SCP = re.compile(r"[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:")
_GIT_SCHEMES = ("ssh", "git", "file", "git+ssh")


@dataclass(frozen=True, slots=True)
class Repository:
    """An opened repository. `remote`: the URL that `git_dir` mirrors, None when it is the truth."""

    git_dir: Path
    branch: str
    remote: str | None = None

    @property
    def ref(self) -> str:
        """The full name of the branch."""
        return f"refs/heads/{self.branch}"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path that differs between two commits. `status`: added, modified or deleted."""

    path: str
    status: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit of the history."""

    commit: str
    author: str
    at: dt.datetime
    subject: str


def repository_open(workspace: str) -> Repository:
    """The repository that the workspace's `evidence.repository` names.

    A relative path begins at the workspace's folder. A Git URL is mirrored beside workspace.yaml,
    as new as this call. Without an `evidence:` section it is `repository.git` beside workspace.yaml,
    if there is one: Evidence can be curated before it is searched.

    Raises: NotFound `evidence_not_configured`, `repository_missing`; Invalid
    `evidence_source_unsupported`; GitFailed when the URL does not answer.
    """
    section = workspace_get(workspace).evidence
    folder = workspace_folder(workspace)
    if section is None:
        if (folder / "repository.git").is_dir():
            return repository_at(folder / "repository.git")
        message = f"The workspace {workspace} has no `evidence:` section in its workspace.yaml."
        raise NotFound("evidence_not_configured", message, workspace=workspace)
    if not is_url(section.repository):
        return repository_at(folder / Path(section.repository).expanduser())
    mirror = folder / "mirror.git"
    remotes.mirror_refresh(section.repository, mirror)
    return repository_at(mirror, remote=section.repository)


def repository_at(path: Path, *, remote: str | None = None) -> Repository:
    """The repository in this folder, on the branch that its HEAD names.

    Raises: NotFound `repository_missing`.
    """
    git_dir = path / ".git" if (path / ".git").is_dir() else path
    if not git_dir.is_dir() or not git_ok(["rev-parse", "--git-dir"], git_dir=git_dir):
        message = f"{path}: there is no Git repository. See evidence.repository in workspace.yaml."
        raise NotFound("repository_missing", message, path=str(path))
    name = git(["symbolic-ref", "--short", "HEAD"], git_dir=git_dir).decode().strip()
    return Repository(git_dir, name, remote)


def is_url(address: str) -> bool:
    """Is it a Git URL (True) or a path (False)?

    Raises: Invalid `evidence_source_unsupported` for what is neither.
    """
    if _SCP.match(address):
        return True
    scheme = urlsplit(address).scheme.lower()
    if scheme in ("http", "https"):
        supported = urlsplit(address).path.rstrip("/").endswith(".git")
    else:
        supported = scheme in ("", *_GIT_SCHEMES)
    if not supported:
        message = (
            "evidence.repository is a path or the URL of a Git repository (ssh://…, https://….git);"
            f" {scheme}:// file trees are not read."
        )
        raise Invalid("evidence_source_unsupported", message, scheme=scheme)
    return bool(scheme)


def repository_head(repository: Repository) -> str:
    """The commit at the tip of the branch.

    Raises: Conflict `repository_empty` before the first commit.
    """
    try:
        args = ["rev-parse", "--verify", "--quiet", f"{repository.ref}^{{commit}}"]
        return git(args, git_dir=repository.git_dir).decode().strip()
    except GitFailed as error:
        if error.code != "git_failed":
            raise
        message = f"The branch {repository.branch} of the Evidence repository has no commit yet."
        raise Conflict("repository_empty", message, branch=repository.branch) from None


def repository_resolve(repository: Repository, revision: str) -> str:
    """The commit that a branch, tag or abbreviated name means.

    Raises: NotFound `revision_unknown`.
    """
    message = "The Evidence repository has no such revision."
    if not revision or revision.startswith("-") or len(revision) > REVISION_MAX_CHARS:
        raise NotFound("revision_unknown", message)
    args = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    try:
        return git(args, git_dir=repository.git_dir).decode().strip()
    except (GitFailed, ValueError):
        raise NotFound("revision_unknown", message, revision=revision[:80]) from None


def repository_tree(repository: Repository, commit: str, under: str = "") -> dict[str, bytes]:
    """Every file of the commit below `evidence/` + `under`, by path, sorted.

    Raises: Invalid `repository_entry` (a symbolic link or submodule), `repository_too_large`.
    """
    names: list[str] = []
    blobs: list[str] = []
    total = 0
    for mode, blob, size, path in _entries(repository, commit, under):
        if mode in (LINK, MODULE):
            message = f"{path}: symbolic links and submodules are not read; commit the file itself."
            raise Invalid("repository_entry", message, path=path)
        total += size
        names.append(path)
        blobs.append(blob)
    if total > TREE_MAX_BYTES:
        message = f"The Evidence is larger than {TREE_MAX_BYTES} bytes."
        raise Invalid("repository_too_large", message, size_bytes=total)
    return dict(zip(names, _contents(repository, blobs), strict=True))


def repository_file(repository: Repository, commit: str, path: str) -> bytes | None:
    """One file of the commit, None when it is not there."""
    args = ["cat-file", "blob", f"{commit}:{ROOT}{safe_path(path)}"]
    try:
        return git(args, git_dir=repository.git_dir)
    except GitFailed as error:
        if error.code != "git_failed":
            raise
        return None


def repository_changes(repository: Repository, old: str, new: str) -> list[FileChange]:
    """What differs below `evidence/` from commit `old` to `new`, by path; no renames."""
    args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", old, new, "--", ROOT]
    parts = git(args, git_dir=repository.git_dir).decode("utf-8", "replace").split("\0")
    words = {"A": "added", "D": "deleted"}
    pairs = zip(parts[0::2], parts[1::2], strict=False)
    return [
        FileChange(path.removeprefix(ROOT), words.get(code, "modified")) for code, path in pairs
    ]


def repository_diff(repository: Repository, old: str, new: str, path: str | None = None) -> str:
    """Git's unified diff of two commits, of everything below `evidence/` or one path."""
    options = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color"]
    target = ROOT if path is None else ROOT + safe_path(path)
    output = git([*options, old, new, "--", target], git_dir=repository.git_dir)
    return output.decode("utf-8", "replace")


def repository_diffs(repository: Repository, old: str, new: str) -> list[str]:
    """`repository_diff` file by file, in the order of `repository_changes`."""
    whole = "\n" + repository_diff(repository, old, new)
    # Every line of a file's content begins with a sign: only Git's own lines begin like this.
    return [f"diff --git {part}\n" for part in whole.split("\ndiff --git ")[1:]]


def bytes_diff(path: str, old: bytes | None, new: bytes | None) -> str:
    """Git's unified diff of two contents of one path, before anything is committed; "" if equal."""
    if old == new:
        return ""
    with tempfile.TemporaryDirectory(prefix="thoth-diff-") as folder:
        names = []
        for side, content in (("a", old), ("b", new)):
            file = Path(folder, side)
            if content is not None:
                file.write_bytes(content)
            names.append(side if content is not None else os.devnull)
        args = ["diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "--", *names]
        output = git(args, cwd=Path(folder), fine=(0, 1)).decode("utf-8", "replace")
    hunks = output[output.find("@@") :] if "@@" in output else ""
    before = os.devnull if old is None else f"a/{path}"
    after = os.devnull if new is None else f"b/{path}"
    return f"--- {before}\n+++ {after}\n{hunks}"


def repository_log(
    repository: Repository, path: str | None = None, limit: int = 50
) -> list[LogEntry]:
    """The commits that touched the path (or anything below `evidence/`), newest first."""
    target = ROOT if path is None else ROOT + safe_path(path)
    args = ["log", f"-{min(limit, LOG_MAX)}", "-z", "--format=%H%x1f%an%x1f%aI%x1f%s"]
    head = repository_head(repository)
    output = git([*args, head, "--", target], git_dir=repository.git_dir)
    return [_log_entry(line) for line in output.decode("utf-8", "replace").split("\0") if line]


def safe_path(path: str) -> str:
    """The path itself.

    Raises: Invalid `path_unsafe` when it is absolute, leaves `evidence/`, names Git's own folder
    or holds a control character.
    """
    parts = PurePosixPath(path).parts
    bad = any(part in ("..", "/") or part.lower() == ".git" for part in parts)
    if bad or not parts or str(PurePosixPath(path)) != path or not path.isprintable():
        raise Invalid("path_unsafe", "This is not a path below evidence/.", path=path[:200])
    return path


def _entries(repository: Repository, commit: str, under: str) -> list[tuple[str, str, int, str]]:
    target = ROOT + (safe_path(under) + "/" if under else "")
    args = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", target]
    found = []
    for line in git(args, git_dir=repository.git_dir).split(b"\0"):
        if line:
            head, _, name = line.partition(b"\t")
            mode, _, blob, size = head.decode().split()
            path = name.decode("utf-8", "surrogateescape").removeprefix(ROOT)
            found.append((mode, blob, 0 if size == "-" else int(size), path))
    return found


def _contents(repository: Repository, blobs: list[str]) -> list[bytes]:
    if not blobs:
        return []
    given = "".join(f"{blob}\n" for blob in blobs).encode()
    output = git(["cat-file", "--batch"], git_dir=repository.git_dir, input=given)
    contents, at = [], 0
    for _ in blobs:
        end = output.index(b"\n", at)
        size = int(output[at:end].split()[2])
        contents.append(output[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return contents


def _log_entry(line: str) -> LogEntry:
    commit, author, at, subject = line.split("\x1f", 3)
    return LogEntry(commit, author, dt.datetime.fromisoformat(at), subject)
