"""Killed at any step of a swap, one recovery later the old batch stands or the new one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evidence_app.authoring.swap import JOURNAL, exclusive, swap, swap_recover
from tests.evidence_app.builders import snapshot
from thoth.lib.errors import Conflict, Invalid

OLD = {
    "curated/enum/b.md": b"old b\n",
    "curated/glossary/a.md": b"old a\n",
    "curated/glossary/gone.md": b"goes\n",
    "manifest.yaml": b"old manifest\n",
}
CHANGES: dict[str, bytes | None] = {
    "curated/enum/b.md": b"new b\n" * 50,
    "curated/formula/c.md": b"c\n",
    "curated/glossary/gone.md": None,
    "manifest.yaml": b"new manifest\n",
}
NEW = {
    "curated/enum/b.md": b"new b\n" * 50,
    "curated/formula/c.md": b"c\n",
    "curated/glossary/a.md": b"old a\n",
    "manifest.yaml": b"new manifest\n",
}


def folder_make(root: Path) -> Path:
    for path, content in OLD.items():
        file = root / "evidence" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return root / "evidence"


def steps_of(act: Callable[[Callable[[str], None]], object]) -> list[str]:
    steps: list[str] = []
    act(steps.append)
    return steps


def killed_at(number: int, act: Callable[[Callable[[str], None]], object]) -> int:
    """`act` in a child process that is killed before its step `number`; how the child ended."""
    child = os.fork()
    if child == 0:
        left = number

        def hook(_step: str) -> None:
            nonlocal left
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

        try:
            act(hook)
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_at_each_step_it_is_the_old_batch_or_the_new(tmp_path: Path) -> None:
    steps = steps_of(lambda hook: swap(folder_make(tmp_path / "all"), CHANGES, hook=hook))
    assert len(steps) > 25
    assert snapshot(tmp_path / "all") == NEW
    outcomes = []
    for number in range(len(steps)):
        folder = folder_make(tmp_path / str(number))
        status = killed_at(number, lambda hook, folder=folder: swap(folder, CHANGES, hook=hook))
        assert os.WIFSIGNALED(status), steps[number]
        swap_recover(folder)
        after = snapshot(folder.parent)
        assert after in (OLD, NEW), steps[number]
        outcomes.append(after == NEW)
    decided = steps.index(f"rename {JOURNAL}")
    # Decided is decided: old up to the journal's rename, new from there on.
    assert outcomes == [number > decided for number in range(len(steps))]


def test_a_recovery_that_is_killed_too_is_recovered(tmp_path: Path) -> None:
    steps = steps_of(lambda hook: swap(folder_make(tmp_path / "all"), CHANGES, hook=hook))
    middle = steps.index(f"rename {JOURNAL}") + 3
    for number in range(len(steps) - middle):
        folder = folder_make(tmp_path / str(number))
        killed_at(middle, lambda hook, folder=folder: swap(folder, CHANGES, hook=hook))
        killed_at(number, lambda hook, folder=folder: swap_recover(folder, hook=hook))
        swap_recover(folder)
        assert snapshot(folder.parent) == NEW


def test_a_disk_that_refuses_leaves_the_old_batch(tmp_path: Path) -> None:
    folder = folder_make(tmp_path)

    def full(step: str) -> None:
        if step == "write more 000001":
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        swap(folder, CHANGES, hook=full)
    assert swap_recover(folder) == "back"
    assert snapshot(tmp_path) == OLD
    assert swap_recover(folder) is None


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("curated/../../x.md", "path_outside"),
        ("/etc/hosts", "path_outside"),
        (".git/hooks/pre-commit", "path_outside"),
        ("curated/glossary/-rf.md", "path_leading_dash"),
        ("curated/link/a.md", "symlink_refused"),
    ],
)
def test_a_journal_from_elsewhere_reaches_nothing_else(
    tmp_path: Path, path: str, code: str
) -> None:
    folder = folder_make(tmp_path)
    (tmp_path / "outside").mkdir()
    (folder / "curated/link").symlink_to(tmp_path / "outside")
    journal = f'{{"schema_version":1,"entries":[{{"path":"{path}","staged":null,"sha256":null}}]}}'
    (folder / JOURNAL).write_text(journal)
    with pytest.raises(Invalid) as caught:
        swap_recover(folder)
    assert caught.value.code == code


def test_a_journal_that_contradicts_the_files_stops_everything(tmp_path: Path) -> None:
    folder = folder_make(tmp_path)
    entry = '{"path":"manifest.yaml","staged":"000000","sha256":"' + "0" * 64 + '"}'
    (folder / JOURNAL).write_text(f'{{"schema_version":1,"entries":[{entry}]}}')
    with pytest.raises(Conflict) as caught:
        swap_recover(folder)
    assert caught.value.code == "swap_broken"
    assert (folder / "manifest.yaml").read_bytes() == OLD["manifest.yaml"]


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    folder = folder_make(tmp_path)
    with exclusive(folder), pytest.raises(Conflict) as caught, exclusive(folder):
        pass
    assert caught.value.code == "evidence_busy"
