"""The mirror of an Evidence repository that lives elsewhere."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from thoth.workspaces.git import git

NETWORK_TIMEOUT_S = 60.0


def mirror_refresh(url: str, mirror: Path) -> None:
    """`mirror` is a bare copy of the branches and tags at `url`, as new as this call.

    Proposals, which live under refs/proposals, stay. Raises: GitFailed.
    """
    with _alone(mirror):
        if not (mirror / "HEAD").is_file():
            git(["init", "--quiet", "--bare", "--", str(mirror)])
        branches, tags = "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"
        args = ["fetch", "--quiet", "--prune", "--no-write-fetch-head", "--", url, branches, tags]
        git(args, git_dir=mirror, timeout_s=NETWORK_TIMEOUT_S)
        head = _default_branch(url, mirror)
        if head:
            git(["symbolic-ref", "HEAD", head], git_dir=mirror)


def push(url: str, mirror: Path, ref: str, *, old: str, new: str) -> bool:
    """Move the branch at `url` from `old` to `new`. False: it was not at `old`, or refused.

    Raises: GitFailed when the URL does not answer.
    """
    lease = f"--force-with-lease={ref}:{old}"
    args = ["push", "--quiet", "--porcelain", lease, "--", url, f"{new}:{ref}"]
    before = git(["ls-remote", "--", url, ref], git_dir=mirror, timeout_s=NETWORK_TIMEOUT_S)
    if before.split()[:1] != [old.encode()]:
        return False
    git(args, git_dir=mirror, timeout_s=NETWORK_TIMEOUT_S)
    return True


def _default_branch(url: str, mirror: Path) -> str | None:
    args = ["ls-remote", "--symref", "--", url, "HEAD"]
    first = git(args, git_dir=mirror, timeout_s=NETWORK_TIMEOUT_S).decode().partition("\n")[0]
    name = first.removeprefix("ref: ").partition("\t")[0]
    return name if first.startswith("ref: refs/heads/") else None


@contextlib.contextmanager
def _alone(mirror: Path) -> Iterator[None]:
    # Two fetches at once fail on each other's ref locks.
    mirror.parent.mkdir(parents=True, exist_ok=True)
    with mirror.with_suffix(".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
