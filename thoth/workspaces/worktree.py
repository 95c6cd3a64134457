"""A temporary working tree of one commit, for tools that work on files."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from thoth.workspaces.git import git
from thoth.workspaces.repository import ROOT, Repository, repository_tree

__all__ = ["worktree", "worktree_changes"]


@contextlib.contextmanager
def worktree(repository: Repository, commit: str) -> Iterator[Path]:
    """The root of a clean clone at `commit`; it holds `evidence/` and is gone after the block.

    The clone borrows the repository's objects and is told nothing of its branches: a process that
    dies leaves a folder in the temporary directory and nothing in the repository.
    """
    with tempfile.TemporaryDirectory(prefix="thoth-worktree-") as folder:
        root = Path(folder).resolve() / "clone"
        source = str(repository.git_dir.resolve())
        git(["clone", "--quiet", "--shared", "--no-checkout", "--", source, str(root)])
        git(["checkout", "--quiet", "--detach", commit], cwd=root)
        yield root


def worktree_changes(repository: Repository, commit: str, root: Path) -> dict[str, bytes | None]:
    """What the working tree holds otherwise than `commit`, by path; None is a deleted file."""
    before = repository_tree(repository, commit)
    after = dict(_files(root / ROOT))
    changed = {path: content for path, content in after.items() if before.get(path) != content}
    gone = [path for path in before if path not in after and not _is_hidden(path)]
    return {**changed, **dict.fromkeys(gone)}


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Plain files by path; hidden ones are the tools' own (locks, journals)."""
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        if file.is_file() and not file.is_symlink() and not _is_hidden(path):
            yield path, file.read_bytes()


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))
