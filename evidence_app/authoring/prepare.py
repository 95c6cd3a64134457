"""`prepare` and its relatives on a curator's clone: recover, refuse, build, swap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evidence_app.authoring.batch import batch_build
from evidence_app.authoring.formulas import Migration, migration_build
from evidence_app.authoring.port import EvidenceRestructurer
from evidence_app.authoring.report import PrepareReport
from evidence_app.authoring.resolution import resolution_build
from evidence_app.authoring.swap import Hook, exclusive, swap, swap_recover
from evidence_app.authoring.workdir import Workdir, refuse_dirty, workdir_open
from evidence_app.manifest import PATH as MANIFEST
from evidence_app.units.tree import directory_read
from evidence_app.validation import Validation, validate


@contextmanager
def _at_work(path: Path) -> Iterator[Workdir]:
    """The clone, for this process alone, without a half-done swap."""
    workdir = workdir_open(path)
    with exclusive(workdir.evidence):
        swap_recover(workdir.evidence)
        yield workdir


def evidence_prepare(
    path: Path,
    restructurer: EvidenceRestructurer,
    *,
    upgrade: bool = False,
    language: str = "it",
    hook: Hook = lambda _step: None,
) -> PrepareReport:
    """curated/ and manifest.yaml below `path`/evidence follow its sources, all or nothing.

    Raises: Invalid (the path), Conflict `worktree_dirty` before any call, BatchRefused,
    RestructureFailed, `pipeline_version_mismatch`.
    """
    with _at_work(path) as workdir:
        refuse_dirty(workdir, "curated", MANIFEST)
        files = directory_read(workdir.evidence)
        batch = batch_build(files, restructurer, upgrade=upgrade, language=language)
        if batch.changes:
            swap(workdir.evidence, batch.changes, hook=hook)
        return batch.report


def evidence_validate(path: Path) -> Validation:
    """What can be said of the files below `path`/evidence as they are."""
    with _at_work(path) as workdir:
        return validate(directory_read(workdir.evidence))


def evidence_resolve(
    path: Path, evidence_id: str, *, retire: bool = False, source: str | None = None
) -> Validation:
    """One unit is retired or relinked with the manifest; nothing is committed.

    Raises: Invalid, NotFound, Conflict `worktree_dirty`.
    """
    with _at_work(path) as workdir:
        refuse_dirty(workdir)
        files = directory_read(workdir.evidence)
        swap(workdir.evidence, resolution_build(files, evidence_id, retire=retire, source=source))
        return validate(directory_read(workdir.evidence))


def formulas_migrate(legacy: Path, path: Path, *, language: str = "it") -> Migration:
    """Approved legacy formulas below `legacy` are sources and units; the others are proposals."""
    with _at_work(path) as workdir:
        refuse_dirty(workdir, "curated", MANIFEST)
        files = directory_read(workdir.evidence)
        migration = migration_build(directory_read(legacy), files, language=language)
        if migration.changes:
            swap(workdir.evidence, migration.changes)
        return migration
