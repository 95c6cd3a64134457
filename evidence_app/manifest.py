"""evidence/manifest.yaml: which source gave which units, at which content."""

from __future__ import annotations

import json
from collections import Counter

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from evidence_app.units.document import findings_of
from evidence_app.units.findings import UnitInvalid
from evidence_app.units.model import EvidenceId, Sha256, SourcePath, StrictModel
from evidence_app.units.text import decode
from evidence_app.units.yamltext import yaml_dump, yaml_load

PATH = "manifest.yaml"
SCHEMA_VERSION = 1
PIPELINE_VERSION = "evidence-authoring-v1"
MAX_BYTES = 4 * 1024 * 1024


class SourceEntry(StrictModel):
    """A source as it was when prepared; its units in the source's order."""

    sha256: Sha256
    units: tuple[EvidenceId, ...] = ()


class Manifest(StrictModel):
    """Every id stands once: below its source or among the orphans."""

    schema_version: int = Field(SCHEMA_VERSION, ge=1)
    pipeline_version: str = Field(PIPELINE_VERSION, min_length=1, max_length=100)
    sources: dict[SourcePath, SourceEntry] = Field(default_factory=dict)
    orphans: tuple[EvidenceId, ...] = ()

    @property
    def ids(self) -> list[str]:
        """All ids, repeated as written."""
        return [*(unit for entry in self.sources.values() for unit in entry.units), *self.orphans]

    @model_validator(mode="after")
    def _consistent(self) -> Manifest:
        if self.schema_version != SCHEMA_VERSION:
            raise PydanticCustomError("manifest_version_unknown", "has an unknown schema_version")
        twice = [unit for unit, count in Counter(self.ids).items() if count > 1]
        if twice:
            raise PydanticCustomError(
                "manifest_unit_twice", "lists {unit} twice", {"unit": twice[0][:100]}
            )
        return self


def manifest_parse(content: bytes) -> Manifest:
    """The manifest in a file. Raises: UnitInvalid."""
    text, _ = decode(content, PATH, MAX_BYTES)
    document = yaml_load(text, PATH, numbers=True)
    try:
        return Manifest.model_validate_json(json.dumps(document))
    except ValidationError as problem:
        raise UnitInvalid(findings_of(problem, PATH)) from None


def manifest_dump(manifest: Manifest) -> str:
    """Keys sorted; reading it gives the manifest, dumping that the same text."""
    return yaml_dump(manifest.model_dump(mode="json"), sort_keys=True)
