"""A batch of files replaced as one: all of it or nothing, whenever the process is killed.

1. the new files are written to `.staging/` and synced;
2. `.swap.json`, which lists what replaces what, appears by one rename: the batch is decided;
3. every staged file is renamed into place, what goes is unlinked;
4. `.swap.json` and `.staging/` go.
Killed before 2, the old batch stands and `swap_recover` removes the staging; killed after it,
`swap_recover` does the rest of 3 and 4.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evidence_app.units.model import path_problem
from thoth.lib.errors import Conflict, Invalid

JOURNAL, DRAFT, STAGING = ".swap.json", ".swap.json.new", ".staging"
Hook = Callable[[str], None]
_PLACES = ("curated/", "source/", "manifest.yaml")
_STAGED = re.compile(r"[0-9]{6}\Z")


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    path: str
    staged: str | None
    sha256: str | None


class _Journal(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    schema_version: Literal[1]
    entries: list[_Entry]


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """One process at a time works on `folder`. Raises: Conflict `evidence_busy`."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "Another command is at work in this folder. Try again when it has ended."
            raise Conflict("evidence_busy", message) from None
        yield
    finally:
        os.close(descriptor)


def swap(
    folder: Path, changes: Mapping[str, bytes | None], *, hook: Hook = lambda _step: None
) -> None:
    """`folder` (evidence/) holds `changes`: new bytes by relative path, None to delete.

    `hook` is told every step that changes the disk, before it.
    Raises: Invalid `path_…`, `symlink_refused`; OSError where the disk refuses (then nothing has
    changed, or the next swap_recover ends it).
    """
    disk = _Disk(folder, hook)
    entries = []
    for number, (path, content) in enumerate(sorted(changes.items())):
        _refuse_unsafe(folder, path)
        digest = None if content is None else hashlib.sha256(content).hexdigest()
        name = None if content is None else f"{number:06}"
        entries.append(_Entry(path=path, staged=name, sha256=digest))
    disk.make_folder(folder / STAGING)
    for entry in entries:
        content = changes[entry.path]
        if entry.staged is not None and content is not None:
            disk.write(folder / STAGING / entry.staged, content)
    disk.sync(folder / STAGING)
    journal = _Journal(schema_version=1, entries=entries)
    disk.write(folder / DRAFT, journal.model_dump_json().encode())
    disk.rename(folder / DRAFT, folder / JOURNAL)
    disk.sync(folder)
    _finish(disk, journal)


def swap_recover(
    folder: Path, *, hook: Hook = lambda _step: None
) -> Literal["forward", "back"] | None:
    """No swap is left half done: `forward` if one was ended, `back` if one was undone.

    Raises: Conflict `swap_broken` where the journal and the files contradict each other.
    """
    disk = _Disk(folder, hook)
    for name in (JOURNAL, DRAFT, STAGING):
        if (folder / name).is_symlink():
            raise Invalid("symlink_refused", f"{name} is a symbolic link.", path=name)
    if (folder / JOURNAL).exists():
        _finish(disk, _journal(folder))
        return "forward"
    if not (folder / DRAFT).exists() and not (folder / STAGING).exists():
        return None
    disk.clear()
    return "back"


def _finish(disk: _Disk, journal: _Journal) -> None:
    folder = disk.folder
    for entry in journal.entries:
        _refuse_unsafe(folder, entry.path)
        target = folder / entry.path
        if entry.staged is None:
            disk.remove(target)
            continue
        staged = folder / STAGING / entry.staged
        if _digest(staged) == entry.sha256:
            disk.make_folder(target.parent)
            disk.rename(staged, target)
        elif _digest(target) != entry.sha256:
            raise _broken(f"{entry.path} is neither staged nor in its place")
    for parent in sorted({(folder / entry.path).parent for entry in journal.entries}):
        if parent.is_dir():
            disk.sync(parent)
    disk.remove(folder / JOURNAL)
    disk.sync(folder)
    disk.clear()


def _journal(folder: Path) -> _Journal:
    try:
        journal = _Journal.model_validate_json((folder / JOURNAL).read_bytes())
    except (ValidationError, OSError):
        raise _broken(f"{JOURNAL} is unreadable") from None
    if any(entry.staged and not _STAGED.match(entry.staged) for entry in journal.entries):
        raise _broken(f"{JOURNAL} names a file outside its staging folder")
    return journal


def _broken(what: str) -> Conflict:
    message = f"An interrupted change can't be ended: {what}. Restore the folder with Git."
    return Conflict("swap_broken", message)


def _digest(path: Path) -> str | None:
    if path.is_symlink() or not path.is_file():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _refuse_unsafe(folder: Path, path: str) -> None:
    """A journal may come with a clone: it reaches Evidence files below `folder` and no others."""
    code = path_problem(path)
    if code or not path.startswith(_PLACES):
        raise Invalid(code or "path_outside", f"{path[:200]} is no file of Evidence.", path=path)
    place = folder
    for part in path.split("/"):
        place /= part
        if place.is_symlink():
            raise Invalid("symlink_refused", f"{path} leads through a symbolic link.", path=path)


class _Disk:
    """Every change of the disk, announced to the hook."""

    def __init__(self, folder: Path, hook: Hook) -> None:
        self.folder = folder
        self._hook = hook

    def make_folder(self, path: Path) -> None:
        if not path.is_dir():
            self._hook(f"mkdir {path.name}")
            path.mkdir(parents=True, exist_ok=True)

    def write(self, path: Path, content: bytes) -> None:
        self._hook(f"create {path.name}")
        with path.open("wb") as file:
            # In two halves, so that a killed process leaves a torn file behind in a test as well.
            half = len(content) // 2
            self._hook(f"write {path.name}")
            file.write(content[:half])
            file.flush()
            self._hook(f"write more {path.name}")
            file.write(content[half:])
            file.flush()
            self._hook(f"fsync {path.name}")
            os.fsync(file.fileno())

    def rename(self, old: Path, new: Path) -> None:
        self._hook(f"rename {new.name}")
        old.replace(new)

    def remove(self, path: Path) -> None:
        self._hook(f"unlink {path.name}")
        path.unlink(missing_ok=True)

    def sync(self, folder: Path) -> None:
        self._hook(f"fsync {folder.name}")
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def clear(self) -> None:
        self.remove(self.folder / DRAFT)
        if (self.folder / STAGING).is_dir():
            self._hook("rmtree")
            shutil.rmtree(self.folder / STAGING)
        self._hook("done")
