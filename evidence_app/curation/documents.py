"""Files of the tree as the pages work with them: documents in, files out, all through the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from evidence_app.authoring.resolution import resolution_build
from evidence_app.curation.problems import field_text
from evidence_app.curation.tree import Changes, Tree
from evidence_app.manifest import PATH as MANIFEST
from evidence_app.manifest import manifest_parse
from evidence_app.units.document import unit_dump, unit_parse
from evidence_app.units.findings import Finding, UnitInvalid
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.sources import source_read
from evidence_app.units.text import sha256_of_source
from evidence_app.units.tree import CURATED, tree_load
from thoth.lib.errors import Conflict


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as a document of plain JSON types, or why it is none (`document` is None)."""

    document: dict[str, Any] | None
    body: str = ""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A unit as the file that holds it."""

    path: str
    content: bytes
    document: dict[str, Any]
    body: str


class NotAUnit(Exception):
    """What a person wrote is no unit. `problems`: place in the document, and what is wrong."""

    def __init__(self, problems: list[tuple[tuple[str, ...], str]]) -> None:
        super().__init__("not a unit")
        self.problems = problems


def is_unit_path(path: str) -> bool:
    """Is it a file that should hold a unit?"""
    return path.startswith(CURATED)


def read(path: str, content: bytes) -> Reading:
    """The document in a file."""
    try:
        unit = unit_parse(content, path)
    except UnitInvalid as error:
        return Reading(None, findings=error.findings)
    return Reading(unit.document(), unit.body)


def write(document: Mapping[str, Any], body: str, *, stands_at: str) -> Written:
    """The unit's file. It keeps its name; its folder follows its kind.

    Raises: NotAUnit.
    """
    name = stands_at.rpartition("/")[2]
    path = f"{CURATED}{document['kind']}/{name}"
    said = {key: value for key, value in document.items() if value is not None}
    try:
        content = unit_dump(CuratedEvidence.of(said, body)).encode()
        # Also what only the whole file shows: credentials, size.
        unit = unit_parse(content, path)
    except ValidationError as error:
        raise NotAUnit([_problem(item) for item in error.errors(include_url=False)]) from None
    except UnitInvalid as error:
        problems = [
            (tuple(f.field.split(".")), field_text(f.code, f.message)) for f in error.findings
        ]
        raise NotAUnit(problems) from None
    return Written(path, content, unit.document(), unit.body)


def refuse_taken(tree: Tree, changes: Changes, own: str) -> Changes:
    """The changes, unless they would write over another unit's file.

    Raises: Conflict `file_taken`.
    """
    for path, content in changes.items():
        if content is not None and path != own and path in tree:
            message = f"{path} is another unit's file. Retire one of them first."
            raise Conflict("file_taken", message, path=path)
    return changes


def retired(tree: Tree, paths: Iterable[str]) -> Changes:
    """The units' files and their entries in the manifest are gone.

    A file that is no unit has no entry: it is only deleted. Raises: Conflict `manifest_missing`.
    """
    files, changes = dict(tree), Changes()
    for path in paths:
        unit_id = _id_of(path, files)
        change: Changes = {path: None}
        if unit_id is not None:
            change = resolution_build(files, unit_id, retire=True, source=None)
        changes |= change
        files = applied(files, change)
    return changes


def relinked(tree: Tree, paths: Iterable[str], source: str) -> Changes:
    """The units cite `source` from now on, in their files and in the manifest.

    Raises: Invalid `excerpt_not_found`, NotFound `source_unknown`, Conflict
    `source_not_prepared`, `source_changed`, `manifest_missing`.
    """
    files, changes = dict(tree), Changes()
    for path in paths:
        unit = unit_parse(files[path], path)
        change = resolution_build(files, unit.id, retire=False, source=source)
        changes |= change
        files = applied(files, change)
    return changes


def applied(files: dict[str, bytes], change: Changes) -> dict[str, bytes]:
    """The files after the change."""
    after = {path: content for path, content in change.items() if content is not None}
    return {**{path: files[path] for path in files if path not in change}, **after}


def settled(tree: Tree, positions: Mapping[str, set[int]]) -> Changes:
    """The review items at these positions of these files are gone. Raises: UnitInvalid."""
    changes: Changes = {}
    for path, numbers in positions.items():
        unit = unit_parse(tree[path], path)
        items = unit.document()["review_items"]
        kept = [item for number, item in enumerate(items) if number not in numbers]
        changes[path] = unit_dump(unit.updated(review_items=kept)).encode()
    return changes


def prepared_sources(tree: Tree) -> dict[str, str]:
    """The hash that each source had when it was prepared; nothing when there is no manifest."""
    try:
        manifest = manifest_parse(tree.get(MANIFEST, b""))
    except UnitInvalid:
        return {}
    return {path: entry.sha256 for path, entry in manifest.sources.items()}


def source_sha256(path: str, content: bytes) -> str:
    """The hash of a source's normalised text; "" for what cannot be read as one."""
    try:
        return sha256_of_source(source_read(content, path)[0])
    except UnitInvalid:
        return ""


def _id_of(path: str, files: Tree) -> str | None:
    """The id, where this file is the one that holds it."""
    reading = read(path, files.get(path, b""))
    if reading.document is None:
        return None
    unit_id = str(reading.document["id"])
    holder = tree_load(files).by_id().get(unit_id)
    return unit_id if holder is not None and holder[0] == path else None


def _problem(item: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    parts = tuple(str(part) for part in item["loc"])
    message = field_text(item["type"], str(item["msg"]))
    entry = next((int(part) + 1 for part in parts if part.isdigit()), None)
    return parts, f"{entry}: {message}" if entry else message
