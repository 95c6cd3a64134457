"""A curator's Git clone: where its Evidence is, and whether something in it isn't committed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from thoth.lib.errors import Conflict, Invalid
from thoth.workspaces.git import GitFailed, git, git_ok


@dataclass(frozen=True, slots=True)
class Workdir:
    """`top` is the Git working tree, `evidence` the folder in it that is worked on."""

    top: Path
    evidence: Path


def workdir_open(path: Path) -> Workdir:
    """The clone whose folder `path` holds `evidence/`.

    Raises: Invalid `path_missing`, `symlink_refused`, `not_a_worktree`, `path_outside`,
    `evidence_missing`.
    """
    absolute = Path(os.path.normpath(Path.cwd() / path))
    if absolute.resolve() != absolute:
        raise Invalid("symlink_refused", f"{path} leads through a symbolic link.", path=str(path))
    if not absolute.is_dir():
        raise Invalid("path_missing", f"There is no folder {path}.", path=str(path))
    top = _top(absolute)
    if absolute != top and top not in absolute.parents:
        raise Invalid("path_outside", f"{path} isn't inside its Git working tree.", path=str(path))
    evidence = absolute / "evidence"
    if evidence.is_symlink():
        raise Invalid("symlink_refused", "evidence/ is a symbolic link.", path=str(path))
    if not evidence.is_dir():
        raise Invalid("evidence_missing", f"{path} holds no folder evidence/.", path=str(path))
    return Workdir(top, evidence)


def _top(folder: Path) -> Path:
    try:
        answer = git(["rev-parse", "--show-toplevel"], cwd=folder)
    except GitFailed as failed:
        if failed.code != "git_failed":
            raise
        message = f"{folder} isn't inside a Git working tree."
        raise Invalid("not_a_worktree", message, path=str(folder)) from None
    return Path(os.fsdecode(answer.rstrip(b"\n")))


def refuse_dirty(workdir: Workdir, *paths: str) -> None:
    """Nothing below `paths` (relative to evidence/; none: the whole working tree) is uncommitted.

    Line ends alone are no change: a checkout may write CRLF. Raises: Conflict `worktree_dirty`.
    """
    folder = workdir.evidence if paths else workdir.top
    where = ["--", *paths] if paths else ["--", "."]
    base = "HEAD"
    if not git_ok(["rev-parse", "--verify", "--quiet", "HEAD"], cwd=folder):
        base = git(["hash-object", "-t", "tree", "--stdin"], cwd=folder, input=b"").decode().strip()
    options = ["--no-ext-diff", "--no-textconv", "--ignore-cr-at-eol", "--no-color", "--relative"]
    changed = git(["diff", *options, base, *where], cwd=folder)
    others = git(["ls-files", "--others", "--exclude-standard", "-z", *where], cwd=folder)
    new = [name for name in others.decode("utf-8", "replace").split("\0") if name]
    if changed or new:
        what = new[0] if new else _first(changed)
        message = f"{what} isn't committed. Commit or restore it first; nothing was changed."
        raise Conflict("worktree_dirty", message, path=what)


def _first(diff: bytes) -> str:
    line = diff.split(b"\n", 1)[0].decode("utf-8", "replace")
    return line.rpartition(" b/")[2][:400]
