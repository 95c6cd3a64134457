"""Is a tree of Evidence sound, and may it be published?"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evidence_app.manifest import PATH as MANIFEST
from evidence_app.manifest import PIPELINE_VERSION, Manifest, manifest_parse
from evidence_app.units.findings import Finding, UnitInvalid, bounded, error, warning
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.sources import TYPE_MESSAGE, source_read, source_suffix_ok
from evidence_app.units.text import normalise_excerpt, sha256_of_source
from evidence_app.units.tree import SOURCE, Tree, tree_load

# A unit that carries one of these is kept although its source says otherwise.
RETAINED = frozenset({"source_no_longer_supports_unit", "retirement_candidate"})


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A review item with the unit that it blocks."""

    unit: str
    path: str
    code: str
    message: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Validation:
    """`findings` bounded, errors first. `publishable`: no errors, review items or orphans."""

    findings: tuple[Finding, ...]
    review_items: tuple[OpenItem, ...]
    orphans: tuple[str, ...]
    tree: Tree = field(repr=False)

    @property
    def has_errors(self) -> bool:
        """Is anything wrong, rather than undecided?"""
        return any(finding.severity == "error" for finding in self.findings)

    @property
    def publishable(self) -> bool:
        """May this commit be published?"""
        return not (self.has_errors or self.review_items or self.orphans)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        items = [{name: getattr(x, name) for name in x.__slots__} for x in self.review_items]
        return {
            "publishable": self.publishable,
            "units": len(self.tree.units),
            "findings": [finding.as_dict() for finding in self.findings],
            "review_items": items,
            "orphans": list(self.orphans),
        }


def validate(files: Mapping[str, bytes]) -> Validation:
    """Everything that can be said of a tree of files (paths relative to evidence/)."""
    tree = tree_load(files)
    check = _Check(files, tree)
    items = tuple(
        OpenItem(unit.id, path, item.code, item.message, item.field)
        for path, unit in tree.units.items()
        for item in unit.review_items
    )
    findings = bounded(
        [
            *tree.findings,
            *check.manifest_findings(),
            *check.source_findings(),
            *check.unit_findings(),
        ]
    )
    return Validation(findings, items, check.manifest.orphans, tree)


def _collisions(files: Mapping[str, bytes]) -> Iterator[Finding]:
    """Files that are one file where letter case or the form of accents does not count."""
    first: dict[str, str] = {}
    for path in sorted(files):
        other = first.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if other != path:
            message = f"On some machines this is the same file as {other}. Rename one of them."
            yield error("path_collision", path, message)


class _Check:
    """The tree against its manifest and sources, each read once."""

    def __init__(self, files: Mapping[str, bytes], tree: Tree) -> None:
        self.tree = tree
        self.manifest = Manifest()
        self.unreadable: list[Finding] = []
        self.present = MANIFEST in files
        if self.present:
            try:
                self.manifest = manifest_parse(files[MANIFEST])
            except UnitInvalid as invalid:
                self.present, self.unreadable = False, list(invalid.findings)
        elif tree.units:
            self.unreadable = [error("manifest_missing", MANIFEST, "There is no manifest.")]
        self.texts: dict[str, str] = {}
        self.notes: list[Finding] = []
        for path in sorted(path for path in files if path.startswith(SOURCE)):
            self._read(path, files[path])

        self.notes += _collisions(files)

    def _read(self, path: str, content: bytes) -> None:
        if not source_suffix_ok(path):
            self.notes.append(error("source_type_unknown", path, TYPE_MESSAGE))
            return
        try:
            self.texts[path], notes = source_read(content, path)
        except UnitInvalid as invalid:
            self.notes += invalid.findings
            return
        self.notes += notes

    @cached_property
    def hashes(self) -> dict[str, str]:
        return {path: sha256_of_source(text) for path, text in self.texts.items()}

    def manifest_findings(self) -> Iterator[Finding]:
        yield from self.unreadable
        if not self.present:
            return
        if self.manifest.pipeline_version != PIPELINE_VERSION:
            message = f"Made by pipeline {self.manifest.pipeline_version}; run prepare --upgrade."
            yield error("pipeline_version_mismatch", MANIFEST, message)
        units, listed = self.tree.by_id(), set(self.manifest.ids)
        for missing in sorted(listed - set(units)):
            yield error("unit_missing", MANIFEST, f"{missing} has no readable file.")
        for unlisted in sorted(set(units) - listed):
            message = f"{unlisted} isn't in the manifest."
            yield error("unit_not_in_manifest", units[unlisted][0], message)

    def source_findings(self) -> Iterator[Finding]:
        yield from self.notes
        for path, entry in self.manifest.sources.items():
            if path not in self.hashes:
                yield error("source_missing", path, "The manifest names it, but it isn't there.")
            elif entry.sha256 != self.hashes[path]:
                yield error("source_changed", path, "Changed since it was prepared.")
        if self.present or not self.tree.units:
            for path in sorted(set(self.hashes) - set(self.manifest.sources)):
                yield warning("source_not_prepared", path, "Not prepared yet.")

    def unit_findings(self) -> Iterator[Finding]:
        orphans = set(self.manifest.orphans)
        owners = {u: path for path, entry in self.manifest.sources.items() for u in entry.units}
        for path, unit in self.tree.units.items():
            owner = owners.get(unit.id)
            if owner is not None and owner != unit.provenance.source_file:
                message = f"The manifest says {owner}."
                yield error("source_claimed_twice", path, message, "provenance.source_file")
            if unit.id not in orphans:
                yield from self._provenance(path, unit)

    def _provenance(self, path: str, unit: CuratedEvidence) -> Iterator[Finding]:
        source = unit.provenance.source_file
        if source not in self.texts:
            message = f"{source} isn't there."
            yield error("source_missing", path, message, "provenance.source_file")
            return
        if any(item.code in RETAINED for item in unit.review_items):
            return
        if unit.provenance.source_sha256 != self.hashes[source]:
            message = f"{source} has another content than the one named."
            yield error("source_hash_mismatch", path, message, "provenance.source_sha256")
        for index, excerpt in enumerate(unit.provenance.supporting_excerpts):
            if normalise_excerpt(excerpt) not in self.texts[source]:
                place = f"provenance.supporting_excerpts.{index}"
                yield error("excerpt_not_found", path, f"Not in {source}.", place)
