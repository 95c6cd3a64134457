"""Legacy concept formulas become sources with units, or proposals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError

from evidence_app.authoring.report import BatchRefused
from evidence_app.manifest import PATH as MANIFEST
from evidence_app.manifest import Manifest, SourceEntry, manifest_dump, manifest_parse
from evidence_app.units.document import findings_of, unit_dump
from evidence_app.units.findings import Finding, UnitInvalid, error
from evidence_app.units.model import (
    EXCERPT_MAX_CHARS,
    CuratedEvidence,
    FormulaPayload,
    Line,
    StrictModel,
)
from evidence_app.units.slugs import id_allocate, slug_of, unit_path
from evidence_app.units.sources import source_read
from evidence_app.units.text import decode, normalise, sha256_of_source
from evidence_app.units.tree import tree_load
from evidence_app.units.yamltext import yaml_load
from evidence_app.validation import validate
from thoth.lib.limits import CURATED_FILE_MAX_BYTES


class LegacyFormula(StrictModel):
    """The frontmatter of a legacy file."""

    concept: Line
    columns: tuple[str, ...] = ()
    sql: str
    status: Literal["approved", "auto", "draft"]
    sources: tuple[str, ...] = Field(())


@dataclass(frozen=True, slots=True)
class Migration:
    """`changes` as of a batch; `migrated` ids, `skipped` files already migrated, `proposals`."""

    changes: Mapping[str, bytes | None]
    migrated: tuple[str, ...]
    skipped: tuple[str, ...]
    proposals: tuple[dict[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "migrated": list(self.migrated),
            "skipped": list(self.skipped),
            "proposals": list(self.proposals),
        }


def migration_build(
    legacy: Mapping[str, bytes], files: Mapping[str, bytes], *, language: str
) -> Migration:
    """What migrating `legacy` (files by name) changes below evidence/ (`files`).

    The same legacy files give the same ids and bytes. Raises: BatchRefused.
    """
    manifest = manifest_parse(files[MANIFEST]) if MANIFEST in files else Manifest()
    taken = {unit.id for unit in tree_load(files).units.values()} | set(manifest.ids)
    sources = dict(manifest.sources)
    changes: dict[str, bytes | None] = {}
    migrated, skipped, proposals = [], [], []
    for name, formula, prose in _legacy(legacy):
        if formula.status != "approved":
            proposals.append(_proposal(formula))
            continue
        path = f"source/formulas/{slug_of(formula.concept)}.md"
        text = _source(formula, prose)
        if files.get(path) == text.encode() and path in sources:
            skipped.append(name)
            continue
        if path in files or path in changes:
            raise BatchRefused([error("source_exists", path, f"{name} would replace it.")])
        unit = _unit(formula, path, text, id_allocate(formula.concept, taken), language)
        taken.add(unit.id)
        migrated.append(unit.id)
        changes |= {path: text.encode(), unit_path(unit.id, unit.kind): unit_dump(unit).encode()}
        sources[path] = SourceEntry(sha256=unit.provenance.source_sha256, units=(unit.id,))
    if changes:
        after = manifest.model_copy(update={"sources": sources})
        changes[MANIFEST] = manifest_dump(after).encode()
        _refuse_unsound(files, changes)
    return Migration(changes, tuple(migrated), tuple(skipped), tuple(proposals))


def _refuse_unsound(files: Mapping[str, bytes], changes: Mapping[str, bytes | None]) -> None:
    added = {path: text for path, text in changes.items() if text is not None}
    wrong = [x for x in validate({**files, **added}).findings if x.severity == "error"]
    if wrong:
        raise BatchRefused(wrong)


def _legacy(legacy: Mapping[str, bytes]) -> list[tuple[str, LegacyFormula, str]]:
    found: list[tuple[str, LegacyFormula, str]] = []
    findings: list[Finding] = []
    for name in sorted(name for name in legacy if name.endswith(".md")):
        try:
            found.append((name, *_read(legacy[name], name)))
        except UnitInvalid as invalid:
            findings += invalid.findings
    if findings:
        raise BatchRefused(findings)
    return found


def _read(content: bytes, name: str) -> tuple[LegacyFormula, str]:
    text, _ = decode(content, name, CURATED_FILE_MAX_BYTES)
    source_read(content, "source/legacy.md")  # no credential is carried over
    opening, _, rest = text.partition("---\n")
    matter, fence, prose = rest.partition("\n---\n")
    if opening or not fence:
        raise UnitInvalid([error("frontmatter_missing", name, "There are no fields.")])
    document = yaml_load(matter + "\n", name)
    lists = {key: tuple(document.get(key) or ()) for key in ("columns", "sources")}
    try:
        formula = LegacyFormula.model_validate({**document, **lists})
        FormulaPayload(concept=formula.concept, columns=formula.columns, sql=formula.sql.strip())
    except ValidationError as problem:
        raise UnitInvalid(findings_of(problem, name)) from None
    return formula, prose.strip()


def _source(formula: LegacyFormula, prose: str) -> str:
    parts = [f"# {formula.concept}", prose, f"```sql\n{formula.sql.strip()}\n```"]
    for title, items in (("Colonne", formula.columns), ("Fonti", formula.sources)):
        if items:
            parts.append(f"{title}:\n" + "\n".join(f"- {item}" for item in items))
    return normalise("\n\n".join(part for part in parts if part))


def _unit(
    formula: LegacyFormula, path: str, text: str, evidence_id: str, language: str
) -> CuratedEvidence:
    sql = normalise(formula.sql.strip()).strip()
    payload = {"concept": formula.concept, "columns": list(formula.columns), "sql": sql}
    tables = list(dict.fromkeys(column.rpartition(".")[0] for column in formula.columns))
    document = {
        "id": evidence_id,
        "title": formula.concept,
        "kind": "formula",
        "purposes": ["schema_linking", "sql_generation"],
        "scope": {
            "concepts": [formula.concept],
            "tables": tables,
            "columns": list(formula.columns),
        },
        "language": language,
        "provenance": {
            "source_file": path,
            "source_sha256": sha256_of_source(text),
            "supporting_excerpts": [sql[:EXCERPT_MAX_CHARS].strip()],
        },
        "review_items": [],
        "payload": payload,
    }
    return CuratedEvidence.of(document)


def _proposal(formula: LegacyFormula) -> dict[str, Any]:
    return {"schema_version": 1, "kind": "formula_proposal", **formula.model_dump(mode="json")}
