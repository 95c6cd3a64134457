"""All units of a tree of files, whether it is a folder or a commit."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evidence_app.units.document import unit_read
from evidence_app.units.findings import Finding, UnitInvalid, error
from evidence_app.units.model import KINDS, CuratedEvidence, path_problem
from evidence_app.units.slugs import SLUG
from thoth.lib.errors import Invalid
from thoth.lib.limits import SOURCE_FILE_MAX_BYTES

CURATED, SOURCE = "curated/", "source/"
FILES_MAX = 50_000
# A file beyond this is read no further: whoever checks its kind refuses it anyway.
READ_MAX_BYTES = 4 * SOURCE_FILE_MAX_BYTES


@dataclass(frozen=True, slots=True)
class Tree:
    """`units` by path relative to evidence/, in the paths' order; `findings` of all files."""

    units: Mapping[str, CuratedEvidence]
    findings: tuple[Finding, ...]

    def by_id(self) -> dict[str, tuple[str, CuratedEvidence]]:
        """(path, unit) by id; the first path wins where an id is there twice."""
        found: dict[str, tuple[str, CuratedEvidence]] = {}
        for path, unit in self.units.items():
            found.setdefault(unit.id, (path, unit))
        return found


def tree_load(files: Mapping[str, bytes]) -> Tree:
    """The units below curated/ of `files` (paths relative to evidence/); other files are left."""
    units: dict[str, CuratedEvidence] = {}
    findings: list[Finding] = []
    holders: dict[str, str] = {}
    for path in sorted(path for path in files if path.startswith(CURATED)):
        unit, found = _load(path, files[path])
        findings += found
        if unit is None:
            continue
        units[path] = unit
        if unit.id in holders:
            message = f"{unit.id} is also the id of {holders[unit.id]}."
            findings.append(error("id_duplicate", path, message, "id"))
        holders.setdefault(unit.id, path)
    return Tree(units, tuple(findings))


def _load(path: str, content: bytes) -> tuple[CuratedEvidence | None, list[Finding]]:
    problem = _place_problem(path)
    if problem:
        return None, [error(*problem)]
    try:
        unit, found = unit_read(content, path)
    except UnitInvalid as invalid:
        return None, list(invalid.findings)
    folder = path.split("/")[1]
    if unit.kind != folder:
        message = f"A unit of kind {unit.kind} doesn't belong into {folder}/."
        found.append(error("directory_kind_mismatch", path, message, "kind"))
    return unit, found


def _place_problem(path: str) -> tuple[str, str, str] | None:
    code = path_problem(path)
    if code:
        return code, path, "This is no path that a unit may have."
    parts = path.split("/")
    if len(parts) != 3 or not parts[2].endswith(".md"):
        return "curated_file_unexpected", path, "Only curated/<kind>/<slug>.md belongs here."
    if parts[1] not in KINDS:
        return "directory_unknown", path, f"{parts[1][:60]} is no kind of Evidence."
    if not SLUG.match(parts[2].removesuffix(".md")):
        return "file_name_invalid", path, "A file name is made of a-z, 0-9 and single hyphens."
    return None


def directory_read(root: Path) -> dict[str, bytes]:
    """Every file below `root` (an evidence/ folder) by its relative path; hidden ones are left.

    Raises: Invalid `symlink_refused`, `not_a_file`, `too_many_files`.
    """
    files: dict[str, bytes] = {}
    pending = [(root, "")]
    while pending:
        folder, prefix = pending.pop()
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name.startswith("."):
                continue
            path = prefix + entry.name
            if _is_folder(entry, path):
                pending.append((Path(entry.path), f"{path}/"))
                continue
            files[path] = _content(entry.path)
            if len(files) > FILES_MAX:
                raise Invalid("too_many_files", f"More than {FILES_MAX} files below evidence/.")
    return files


def _is_folder(entry: os.DirEntry[str], path: str) -> bool:
    if entry.is_symlink():
        message = f"{path} is a symbolic link; Evidence is made of plain files."
        raise Invalid("symlink_refused", message, path=path)
    mode = entry.stat(follow_symlinks=False).st_mode
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise Invalid("not_a_file", f"{path} is no plain file.", path=path)
    return stat.S_ISDIR(mode)


def _content(path: str) -> bytes:
    # No link is followed even if one is put there between listing and reading.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(READ_MAX_BYTES + 1)
