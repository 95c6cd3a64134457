"""A curator's decision about a unit that lost its source: it goes, or it has another source."""

from __future__ import annotations

from collections.abc import Mapping

from evidence_app.authoring.candidates import relinked
from evidence_app.manifest import PATH as MANIFEST
from evidence_app.manifest import Manifest, SourceEntry, manifest_dump, manifest_parse
from evidence_app.units.document import unit_dump
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.sources import source_read
from evidence_app.units.text import normalise_excerpt, sha256_of_source
from evidence_app.units.tree import tree_load
from evidence_app.validation import RETAINED
from thoth.lib.errors import Conflict, Invalid, NotFound


def resolution_build(
    files: Mapping[str, bytes], evidence_id: str, *, retire: bool, source: str | None
) -> dict[str, bytes | None]:
    """The changed files (paths relative to evidence/): exactly one of `retire` and `source`.

    Raises: Invalid `resolution_choice`, `excerpt_not_found`; NotFound `evidence_unknown`,
    `source_unknown`; Conflict `source_not_prepared`, `source_changed`, `manifest_missing`.
    """
    if retire == (source is not None):
        message = "Say exactly one of --retire and --source PATH."
        raise Invalid("resolution_choice", message)
    place = tree_load(files).by_id().get(evidence_id)
    if place is None:
        raise NotFound("evidence_unknown", f"There is no readable unit {evidence_id[:200]}.")
    if MANIFEST not in files:
        raise Conflict("manifest_missing", "There is no manifest. Run prepare first.")
    path, unit = place
    manifest = manifest_parse(files[MANIFEST])
    if source is None:
        return {path: None, MANIFEST: _dumped(_without(manifest, evidence_id))}
    moved = _relinked(files, manifest, unit, source)
    after = _with(_without(manifest, evidence_id), source, evidence_id)
    return {path: unit_dump(moved).encode(), MANIFEST: _dumped(after)}


def _relinked(
    files: Mapping[str, bytes], manifest: Manifest, unit: CuratedEvidence, source: str
) -> CuratedEvidence:
    if not source.startswith("source/") or source not in files:
        raise NotFound("source_unknown", f"There is no source {source[:200]} below evidence/.")
    if source not in manifest.sources:
        message = f"{source} hasn't been prepared. Run prepare first."
        raise Conflict("source_not_prepared", message)
    text, _ = source_read(files[source], source)
    sha256 = sha256_of_source(text)
    if manifest.sources[source].sha256 != sha256:
        raise Conflict("source_changed", f"{source} has changed. Run prepare first.")
    for excerpt in unit.provenance.supporting_excerpts:
        if normalise_excerpt(excerpt) not in text:
            message = f"{source} doesn't hold every excerpt of the unit. Edit the excerpts first."
            raise Invalid("excerpt_not_found", message)
    kept = [item for item in unit.document()["review_items"] if item["code"] not in RETAINED]
    return relinked(unit, source, sha256).updated(review_items=kept)


def _without(manifest: Manifest, evidence_id: str) -> Manifest:
    sources = {
        path: SourceEntry(
            sha256=entry.sha256, units=tuple(x for x in entry.units if x != evidence_id)
        )
        for path, entry in manifest.sources.items()
    }
    orphans = tuple(x for x in manifest.orphans if x != evidence_id)
    return manifest.model_copy(update={"sources": sources, "orphans": orphans})


def _with(manifest: Manifest, source: str, evidence_id: str) -> Manifest:
    entry = manifest.sources[source]
    grown = SourceEntry(sha256=entry.sha256, units=(*entry.units, evidence_id))
    return manifest.model_copy(update={"sources": {**manifest.sources, source: grown}})


def _dumped(manifest: Manifest) -> bytes:
    return manifest_dump(manifest).encode()
