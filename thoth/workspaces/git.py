"""The one way in which the product runs Git.

No hooks, prompts, pagers or editors; no configuration of the machine or the user; no inherited
GIT_* variable; a repository of another user is read as it is; bounded time. Callers put `--`
before every path.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from thoth.lib.errors import Upstream

__all__ = ["GitFailed", "git", "git_ok"]

TIMEOUT_S = 30.0
MESSAGE_MAX_CHARS = 300

_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.quotePath=false",
    "core.autocrlf=false",
    # What a branch points to is on the disk, whatever happens to the machine.
    "core.fsync=objects,reference",
    "core.fsyncMethod=batch",
    "commit.gpgSign=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "init.defaultBranch=main",
    "protocol.ext.allow=never",
    "safe.directory=*",
)
_FIXED_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "LC_ALL": "C.UTF-8",
}
_CREDENTIALS = re.compile(r"://[^/@\s]+@")


class GitFailed(Upstream):
    """Git is missing, took too long or said no.

    Codes `git_missing`, `git_timeout`, `git_failed`; `extra`: `command` (Git's subcommand),
    `status` (its exit status, None when it never ended).
    """

    def __init__(self, code: str, message: str, *, command: str, status: int | None) -> None:
        super().__init__(code, message, command=command, status=status)
        self.status_git = status


def git(  # noqa: PLR0913 - where to run, what to give it and for how long
    args: Sequence[str],
    *,
    cwd: Path | None = None,
    git_dir: Path | None = None,
    input: bytes | None = None,  # noqa: A002 - subprocess's own word
    env: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
    fine: tuple[int, ...] = (0,),
) -> bytes:
    """What `git args` writes to standard output.

    `cwd`: run there, as in a worktree; `git_dir`: a bare repository. `env` is added last. `fine`:
    the exit statuses that are no failure.
    The command and all it started have ended when this returns or raises.

    Raises: GitFailed `git_missing`, `git_timeout`, `git_failed`.
    """
    status, output, complaint = _run(args, cwd, git_dir, input, env, timeout_s)
    if status not in fine:
        message = f"git {args[0]} failed: {_shown(complaint) or f'exit status {status}'}"
        raise GitFailed("git_failed", message, command=args[0], status=status)
    return output


def git_ok(
    args: Sequence[str],
    *,
    cwd: Path | None = None,
    git_dir: Path | None = None,
    timeout_s: float = TIMEOUT_S,
) -> bool:
    """Did `git args` end with status 0? For questions that Git answers by its status.

    Raises: GitFailed `git_missing`, `git_timeout`.
    """
    return _run(args, cwd, git_dir, None, None, timeout_s)[0] == 0


def _run(
    args: Sequence[str],
    cwd: Path | None,
    git_dir: Path | None,
    given: bytes | None,
    env: Mapping[str, str] | None,
    timeout_s: float,
) -> tuple[int, bytes, bytes]:
    command = ["git", *(part for option in _OPTIONS for part in ("-c", option))]
    if git_dir is not None:
        command.append(f"--git-dir={git_dir}")
    try:
        process = subprocess.Popen(  # noqa: S603 - an argument list, never a shell
            [*command, *args],
            cwd=cwd,
            env=_environment(env),
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError:
        if cwd is not None and not cwd.is_dir():
            message = f"There is no folder {cwd}."
            raise GitFailed("git_failed", message, command=args[0], status=None) from None
        message = "Git is not installed on this machine, and Evidence needs it."
        raise GitFailed("git_missing", message, command=args[0], status=None) from None
    output, complaint = _finish(process, given, args[0], timeout_s)
    return process.returncode, output, complaint


def _finish(
    process: subprocess.Popen[bytes], given: bytes | None, name: str, timeout_s: float
) -> tuple[bytes, bytes]:
    try:
        return process.communicate(given, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        message = f"git {name} did not end within {timeout_s:g} s."
        raise GitFailed("git_timeout", message, command=name, status=None) from None
    finally:
        if process.poll() is None:
            # With its helpers (git-remote-https, ssh), which would go on alone.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_FIXED_ENVIRONMENT, **(extra or {})}


def _shown(complaint: bytes) -> str:
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    text = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    text = text or (lines[-1] if lines else "")
    return _CREDENTIALS.sub("://", text)[:MESSAGE_MAX_CHARS]
