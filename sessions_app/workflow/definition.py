"""The workflow as frozen models: phases, stages, and what must hold before a stage closes."""

from __future__ import annotations

import functools
import hashlib
from fnmatch import fnmatchcase
from typing import Literal, Self

from pydantic import Field, model_validator

from thoth.contracts.schema import Frozen
from thoth.lib.text import canonical_json

Advance = Literal["reviewer_confirm", "auto_if_empty", "auto_if_empty_or_skipped", "by_decision"]
Purpose = Literal["disambiguation", "rewriting", "schema_linking", "sql_generation"]
Tool = Literal[
    "search_values",
    "search_evidence",
    "search_schema",
    "search_memory",
    "render_schema",
    "join_paths",
    "explain_sql",
]


class Prerequisite(Frozen):
    """One condition; exactly one key is set."""

    decision_exists: str | None = None
    decision_subject_exists: tuple[str, str] | None = None  # type, subject
    artifact_validates: tuple[str, str] | None = None  # name, document class
    all_ctes_approved: Literal[True] | None = None
    any: tuple[Prerequisite, ...] | None = None

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise ValueError("exactly one condition is needed")
        return self

    def __str__(self) -> str:
        key = next(iter(self.model_fields_set))
        value = getattr(self, key)
        if key == "any":
            return "any of: " + ", ".join(str(item) for item in value)
        if key == "all_ctes_approved":
            return key
        return f"{key} {value if isinstance(value, str) else ' '.join(value)}"


class Stage(Frozen):
    """A step of the way with its own conduct (`sessions_app/phases/<stage>.py`)."""

    stage: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    advance: Advance = "reviewer_confirm"
    purpose: Purpose | None = None
    activities: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    emits: tuple[str, ...] = ()
    prerequisites: tuple[Prerequisite, ...] = ()
    artifacts_out: tuple[str, ...] = ()

    def produces(self, name: str) -> bool:
        """Is an artifact of this name one of the stage's?"""
        return any(fnmatchcase(name, pattern) for pattern in self.artifacts_out)


class Phase(Frozen):
    """What a reviewer sees as one station; `id` is its display code."""

    id: str = Field(pattern=r"^F[1-9][0-9]?$")
    name: str = Field(min_length=1)
    stages: tuple[Stage, ...] = Field(min_length=1)

    @functools.cached_property
    def emits(self) -> frozenset[str]:
        """Every type of decision that the phase may emit, meta types excepted."""
        return frozenset(kind for stage in self.stages for kind in stage.emits)


class Workflow(Frozen):
    """A whole workflow. Lookups by id raise KeyError."""

    schema_version: Literal[1]
    version: int = Field(ge=1)
    phases: tuple[Phase, ...] = Field(min_length=1)

    @functools.cached_property
    def phase_index(self) -> dict[str, int]:
        """Position of each phase by id."""
        return {phase.id: index for index, phase in enumerate(self.phases)}

    @functools.cached_property
    def stages(self) -> dict[str, tuple[Phase, Stage]]:
        """Every stage with its phase, in workflow order."""
        return {s.stage: (phase, s) for phase in self.phases for s in phase.stages}

    @functools.cached_property
    def sha256(self) -> str:
        """Hash of the meaning: comments and layout of the file do not count."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()

    def phase(self, phase_id: str) -> Phase:
        return self.phases[self.phase_index[phase_id]]

    def stage(self, name: str) -> Stage:
        return self.stages[name][1]

    def phase_of(self, stage: str) -> Phase:
        return self.stages[stage][0]

    def producer(self, artifact: str) -> str | None:
        """Name of the stage that produces an artifact of this name."""
        return next((n for n, (_, stage) in self.stages.items() if stage.produces(artifact)), None)

    def phases_from(self, phase_id: str) -> tuple[str, ...]:
        """Ids of this phase and all later ones."""
        return tuple(phase.id for phase in self.phases[self.phase_index[phase_id] :])


def meta(workflow: Workflow) -> dict[str, object]:
    """What other programs need to know about a workflow (`tht phase meta --json`)."""
    first: dict[str, str] = {}
    for phase in workflow.phases:
        for kind in sorted(phase.emits):
            first.setdefault(kind, phase.id)
    linking = [p.id for p, stage in workflow.stages.values() if stage.stage == "schema_linking"]
    return {
        "version": workflow.version,
        "max_phase": workflow.phases[-1].id,
        "phases": [_phase_meta(phase) for phase in workflow.phases],
        "schema_linking_phase": linking[0] if linking else None,
        "decision_min_phase": first,
    }


def _phase_meta(phase: Phase) -> dict[str, object]:
    return {
        "id": phase.id,
        "name": phase.name,
        "stages": [stage.stage for stage in phase.stages],
        "advance": {stage.stage: stage.advance for stage in phase.stages},
        "emits": [kind for stage in phase.stages for kind in stage.emits],
        "artifacts_out": [name for stage in phase.stages for name in stage.artifacts_out],
    }
