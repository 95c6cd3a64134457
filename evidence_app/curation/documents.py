"""Files of the tree as the pages work with them: documents in, files out, all through the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from evidence_app.curation.tree import Changes, Tree
from evidence_app.manifest import PATH as MANIFEST
from evidence_app.manifest import Manifest, SourceEntry, manifest_dump, manifest_parse
from evidence_app.units.document import unit_dump, unit_parse
from evidence_app.units.findings import Finding, UnitInvalid
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.sources import source_read
from evidence_app.units.text import normalise_excerpt, sha256_of_source
from evidence_app.units.tree import CURATED, SOURCE
from evidence_app.validation import RETAINED
from thoth.lib.errors import Conflict, Invalid

# Questions that a new source answers.
_ANSWERED_BY_SOURCE = RETAINED | {"orphan", "source_removed"}


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
        problems = [(tuple(f.field.split(".")), f.message) for f in error.findings]
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

    A file that is no unit has no entry: it is only deleted. Raises: UnitInvalid for the manifest.
    """
    changes: Changes = {}
    gone: set[str] = set()
    for path in paths:
        changes[path] = None
        reading = read(path, tree.get(path, b""))
        if reading.document is not None:
            gone.add(reading.document["id"])
    if MANIFEST in tree and gone:
        manifest = _without(manifest_parse(tree[MANIFEST]), gone)
        changes[MANIFEST] = manifest_dump(manifest).encode()
    return changes


def relinked(tree: Tree, paths: Iterable[str], source: str) -> Changes:
    """The units cite `source` from now on, in their files and in the manifest.

    Raises: Invalid `source_missing`, `source_not_prepared`, `excerpt_not_found`; UnitInvalid.
    """
    if not source.startswith(SOURCE) or source not in tree:
        raise Invalid("source_missing", "Choose one of the sources.", path=source[:200])
    text, _notes = source_read(tree[source], source)
    manifest = manifest_parse(tree[MANIFEST]) if MANIFEST in tree else Manifest()
    digest = sha256_of_source(text)
    entry = manifest.sources.get(source)
    if entry is None or entry.sha256 != digest:
        message = f"{source} has changed or is new: prepare the units first."
        raise Invalid("source_not_prepared", message, path=source)
    changes: Changes = {}
    moved: list[str] = []
    for path in paths:
        unit = unit_parse(tree[path], path)
        changes[path] = _cites(unit, source, text, digest, path)
        moved.append(unit.id)
    rest = _without(manifest, set(moved))
    kept = rest.sources.get(source, SourceEntry(sha256=digest))
    units = (*kept.units, *moved)
    sources = {**rest.sources, source: SourceEntry(sha256=digest, units=units)}
    changed = rest.model_copy(update={"sources": sources})
    return {**changes, MANIFEST: manifest_dump(changed).encode()}


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


def _cites(unit: CuratedEvidence, source: str, text: str, digest: str, path: str) -> bytes:
    for excerpt in unit.provenance.supporting_excerpts:
        if normalise_excerpt(excerpt) not in text:
            message = f"{unit.title}: its excerpt «{excerpt[:80]}» does not occur in {source}."
            raise Invalid("excerpt_not_found", message, path=path)
    document = unit.document()
    provenance = {**document["provenance"], "source_file": source, "source_sha256": digest}
    items = [i for i in document["review_items"] if i["code"] not in _ANSWERED_BY_SOURCE]
    return unit_dump(unit.updated(provenance=provenance, review_items=items)).encode()


def _without(manifest: Manifest, gone: set[str]) -> Manifest:
    """The manifest without these ids; a source keeps its entry: it was prepared."""
    sources = {
        path: entry.model_copy(update={"units": tuple(u for u in entry.units if u not in gone)})
        for path, entry in manifest.sources.items()
    }
    orphans = tuple(unit for unit in manifest.orphans if unit not in gone)
    return manifest.model_copy(update={"sources": sources, "orphans": orphans})


def _problem(item: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    parts = tuple(str(part) for part in item["loc"])
    message = str(item["msg"]).removeprefix("Value error, ")
    entry = next((int(part) + 1 for part in parts if part.isdigit()), None)
    return parts, f"{entry}: {message}" if entry else message
