"""The whole of a preparation as a function: files in, changed files out; nothing is written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from evidence_app.authoring.candidates import Offer, ids_of, relinked
from evidence_app.authoring.port import EvidenceRestructurer, RestructureRequest
from evidence_app.authoring.report import Batch, BatchRefused, PrepareReport
from evidence_app.manifest import PATH as MANIFEST
from evidence_app.manifest import (
    PIPELINE_VERSION,
    Manifest,
    SourceEntry,
    manifest_dump,
    manifest_parse,
)
from evidence_app.units.document import unit_dump
from evidence_app.units.findings import Finding, UnitInvalid, error
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.slugs import unit_path
from evidence_app.units.sources import TYPE_MESSAGE, source_read, source_suffix_ok
from evidence_app.units.text import sha256_of_source
from evidence_app.units.tree import SOURCE, Tree, tree_load
from evidence_app.validation import Validation, validate
from thoth.lib.errors import Conflict


def batch_build(
    files: Mapping[str, bytes],
    restructurer: EvidenceRestructurer,
    *,
    upgrade: bool = False,
    language: str = "it",
) -> Batch:
    """What preparing `files` (paths relative to evidence/) changes; the restructurer is asked once
    per new or changed source, and not at all before everything that is there has been read.

    `upgrade`: reprocess every source, whatever version of the pipeline made the manifest.

    Raises: BatchRefused, Conflict `pipeline_version_mismatch`, RestructureFailed.
    """
    work = _Work(files, upgrade=upgrade, language=language)
    if work.is_unchanged:
        validation = validate(files)
        return Batch({}, work.report(validation))
    work.rename()
    work.orphan()
    work.ask(restructurer)
    changes = work.changes()
    after = {**files, **{path: text for path, text in changes.items() if text is not None}}
    for path in (path for path, text in changes.items() if text is None):
        del after[path]
    validation = validate(after)
    if validation.has_errors:
        raise BatchRefused(x for x in validation.findings if x.severity == "error")
    return Batch(changes, work.report(validation))


class _Work:
    """One preparation in progress."""

    def __init__(self, files: Mapping[str, bytes], *, upgrade: bool, language: str) -> None:
        self._files = files
        self._language = language
        self._upgrade = upgrade
        self._manifest = _manifest(files)
        if self._manifest.pipeline_version != PIPELINE_VERSION and not upgrade:
            message = (
                f"The units were made by {self._manifest.pipeline_version}, this is "
                f"{PIPELINE_VERSION}. Reprocess every source with --upgrade."
            )
            raise Conflict("pipeline_version_mismatch", message)
        self._texts = _sources(files)
        self._hashes = {path: sha256_of_source(text) for path, text in self._texts.items()}
        self._entries = dict(self._manifest.sources)
        self._orphans = list(self._manifest.orphans)
        self._renamed = self._renames()
        self._tree_read: Tree | None = None
        self._new_units: dict[str, CuratedEvidence] = {}
        self._created: list[str] = []
        self._orphaned: list[str] = []
        self._calls = 0

    @property
    def is_unchanged(self) -> bool:
        """Is there nothing to ask and nothing to write?"""
        known = {path: entry.sha256 for path, entry in self._entries.items()}
        return known == self._hashes and not self._upgrade

    @property
    def _tree(self) -> Tree:
        if self._tree_read is None:
            self._tree_read = tree_load(self._files)
            errors = [x for x in self._tree_read.findings if x.severity == "error"]
            if errors:
                raise BatchRefused(errors)
            self._places = self._tree_read.by_id()
        return self._tree_read

    def _renames(self) -> dict[str, str]:
        """Old path by new path, where exactly one source went and one came with one content."""
        gone = {p: e.sha256 for p, e in self._entries.items() if p not in self._hashes}
        come = {p: sha for p, sha in self._hashes.items() if p not in self._entries}
        went, came = Counter(gone.values()), Counter(come.values())
        stayed = {sha for path, sha in self._hashes.items() if path in self._entries}
        single = {sha for sha in went if went[sha] == 1 and came[sha] == 1 and sha not in stayed}
        old = {sha: path for path, sha in gone.items()}
        return {path: old[sha] for path, sha in come.items() if sha in single}

    def rename(self) -> None:
        """Units of a renamed source keep their ids and cite the new path."""
        for new, old in self._renamed.items():
            entry = self._entries.pop(old)
            self._entries[new] = entry
            for unit in self._units(entry.units):
                self._new_units[unit.id] = relinked(unit, new, unit.provenance.source_sha256)

    def orphan(self) -> None:
        """Units of a removed source stay, as orphans."""
        for path in sorted(set(self._entries) - set(self._hashes)):
            self._orphaned += self._entries.pop(path).units
        self._orphans += self._orphaned

    def ask(self, restructurer: EvidenceRestructurer) -> None:
        """One call per source that is new, changed or to be reprocessed. All or nothing."""
        taken = {*self._tree_ids(), *self._manifest.ids}
        findings: list[Finding] = []
        for path in self.to_ask:
            offer = Offer(self._request(path), taken)
            self._calls += restructurer.calls_model
            offer.take(restructurer.restructure(offer.request))
            findings += offer.findings
            self._created += offer.created
            self._new_units.update({unit.id: unit for unit in offer.units})
            self._entries[path] = SourceEntry(sha256=self._hashes[path], units=ids_of(offer.units))
        if findings:
            raise BatchRefused(findings)

    @property
    def to_ask(self) -> list[str]:
        """Sources whose text must be restructured."""
        fresh = {path: entry.sha256 for path, entry in self._manifest.sources.items()}
        fresh |= {new: self._manifest.sources[old].sha256 for new, old in self._renamed.items()}
        changed = (path for path, sha in self._hashes.items() if fresh.get(path) != sha)
        return sorted(self._hashes if self._upgrade else changed)

    def _request(self, path: str) -> RestructureRequest:
        entry = self._entries.get(path)
        if entry:
            previous = self._units(entry.units)
        else:
            # A source that came back takes its orphans home.
            previous = [
                unit for unit in self._units(self._orphans) if unit.provenance.source_file == path
            ]
            home = set(ids_of(previous))
            self._orphans = [unit for unit in self._orphans if unit not in home]
        return RestructureRequest(
            source_file=path,
            source_sha256=self._hashes[path],
            normalized_text=self._texts[path],
            language=self._language,
            previous_units=tuple(previous),
        )

    def _tree_ids(self) -> list[str]:
        return [unit.id for unit in self._tree.units.values()]

    def _units(self, ids: tuple[str, ...] | list[str]) -> list[CuratedEvidence]:
        self._tree  # noqa: B018 - read once, on first use
        missing = [name for name in ids if name not in self._places]
        if missing:
            raise BatchRefused(
                error("unit_missing", MANIFEST, f"{name} has no file.") for name in missing
            )
        return [self._new_units.get(name) or self._places[name][1] for name in ids]

    def changes(self) -> dict[str, bytes | None]:
        """Only what differs from the files that are there."""
        after: dict[str, bytes | None] = {}
        for unit in self._new_units.values():
            old = self._places.get(unit.id)
            stays = old is not None and old[1].kind == unit.kind
            path = old[0] if old and stays else unit_path(unit.id, unit.kind)
            if old and not stays:
                after[old[0]] = None
            elif old and old[1] == unit:
                continue
            self._refuse_taken(path, unit)
            after[path] = unit_dump(unit).encode()
        manifest = Manifest(sources=self._entries, orphans=tuple(self._orphans))
        after[MANIFEST] = manifest_dump(manifest).encode()
        return {path: text for path, text in after.items() if self._files.get(path) != text}

    def _refuse_taken(self, path: str, unit: CuratedEvidence) -> None:
        holder = self._tree.units.get(path)
        if holder is not None and holder.id != unit.id:
            message = f"{unit.id} belongs here, but the file holds {holder.id}."
            raise BatchRefused([error("path_taken", path, message)])

    def report(self, validation: Validation) -> PrepareReport:
        """What was done."""
        asked = self.to_ask
        kept = sorted(set(self._hashes) - set(asked) - set(self._renamed))
        return PrepareReport(
            changed=tuple(asked),
            unchanged=tuple(kept),
            renamed={old: new for new, old in self._renamed.items()},
            created=tuple(self._created),
            orphaned=tuple(self._orphaned),
            model_calls=self._calls,
            validation=validation,
        )


def _manifest(files: Mapping[str, bytes]) -> Manifest:
    if MANIFEST in files:
        try:
            return manifest_parse(files[MANIFEST])
        except UnitInvalid as invalid:
            raise BatchRefused(invalid.findings) from None
    if any(path.startswith("curated/") for path in files):
        message = "There are units but no manifest."
        raise BatchRefused([error("manifest_missing", MANIFEST, message)])
    return Manifest()


def _sources(files: Mapping[str, bytes]) -> dict[str, str]:
    """The normalised texts; one bad source refuses them all."""
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    for path in sorted(path for path in files if path.startswith(SOURCE)):
        if not source_suffix_ok(path):
            findings.append(error("source_type_unknown", path, TYPE_MESSAGE))
            continue
        try:
            texts[path], _ = source_read(files[path], path)
        except UnitInvalid as invalid:
            findings += invalid.findings
    if findings:
        raise BatchRefused(findings)
    return texts
