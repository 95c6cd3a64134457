"""workflow.yaml as frozen models: the one definition everything else derives from.

`default()` is the installed workflow; `of(session)` the one a session began with.
"""

from __future__ import annotations

import functools
import hashlib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, Self

import yaml
from django.conf import settings
from pydantic import Field, ValidationError, model_validator

from sessions_app.documents import DOCUMENTS
from sessions_app.errors import WorkflowChanged, WorkflowInvalid
from sessions_app.models import Session, WorkflowVersion
from thoth.contracts.decisions import LEGACY_TYPES, META_TYPES, PAYLOADS
from thoth.contracts.schema import Frozen
from thoth.lib.text import canonical_json

DEFAULT_FILE = Path(__file__).with_name("workflow.yaml")

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


def parse(text: str) -> Workflow:
    """The workflow in a YAML text. Raises: WorkflowInvalid naming every offending key."""
    try:
        data = yaml.load(text, Loader=_UniqueKeys)  # noqa: S506 -- a safe loader
    except yaml.YAMLError as error:
        raise WorkflowInvalid([f"not YAML: {' '.join(str(error).split())}"]) from None
    try:
        workflow = Workflow.model_validate(data)
    except ValidationError as error:
        raise WorkflowInvalid(_problems(error)) from None
    problems = list(_contradictions(workflow))
    if problems:
        raise WorkflowInvalid(problems)
    return workflow


@functools.lru_cache(maxsize=8)
def load(path: Path) -> Workflow:
    """The workflow in a file, parsed once per process. Raises: WorkflowInvalid."""
    return parse(_read(path))


def default() -> Workflow:
    """The workflow that new sessions begin with (settings.THOTH_WORKFLOW_FILE or the built-in)."""
    return load(_default_file())


def of(session: Session) -> Workflow:
    """The workflow that this session began with."""
    return _parsed(session.workflow.yaml)


def current_version() -> WorkflowVersion:
    """The stored version of `default()`, for a new session; stored on first use.

    A content that no session began with is replaced. Raises: WorkflowChanged.
    """
    workflow = default()
    stored, created = WorkflowVersion.objects.get_or_create(
        version=workflow.version,
        defaults={"sha256": workflow.sha256, "yaml": _read(_default_file())},
    )
    if created or stored.sha256 == workflow.sha256:
        return stored
    if Session.objects.filter(workflow=stored).exists():
        raise WorkflowChanged(workflow.version)
    stored.delete()
    return current_version()


def changed_under_use() -> int | None:
    """The installed version if sessions began with another content of it, else None."""
    workflow = default()
    used = WorkflowVersion.objects.filter(version=workflow.version).exclude(sha256=workflow.sha256)
    if Session.objects.filter(workflow__in=used).exists():
        return workflow.version
    return None


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


def _contradictions(workflow: Workflow) -> list[str]:
    """What is well-formed but contradicts something else, each with its key."""
    problems = _repeated("phases", [phase.id for phase in workflow.phases])
    names = [stage.stage for phase in workflow.phases for stage in phase.stages]
    problems += _repeated("stages", names)
    writable = PAYLOADS.keys() - META_TYPES - LEGACY_TYPES
    for p, phase in enumerate(workflow.phases):
        for s, stage in enumerate(phase.stages):
            key = f"phases[{p}].stages[{s}]"
            problems += [
                f"{key}.emits[{i}]: {kind!r} is not a type that a phase may emit"
                for i, kind in enumerate(stage.emits)
                if kind not in writable
            ]
            for i, prerequisite in enumerate(stage.prerequisites):
                problems += _dangling(f"{key}.prerequisites[{i}]", prerequisite, workflow)
    return problems


def _repeated(key: str, names: list[str]) -> list[str]:
    return [f"{key}: {name!r} occurs twice" for name in sorted(set(names)) if names.count(name) > 1]


def _dangling(key: str, prerequisite: Prerequisite, workflow: Workflow) -> list[str]:
    """References of one prerequisite to what does not exist."""
    if prerequisite.any is not None:
        nested = enumerate(prerequisite.any)
        return [x for i, item in nested for x in _dangling(f"{key}.any[{i}]", item, workflow)]
    subject = ""
    kind = prerequisite.decision_exists
    if prerequisite.decision_subject_exists is not None:
        kind, subject = prerequisite.decision_subject_exists
    problems = []
    if kind is not None and kind not in PAYLOADS:
        problems.append(f"{key}: {kind!r} is not a type of decision")
    if subject.startswith("phase:") and subject[6:] not in workflow.phase_index:
        problems.append(f"{key}: {subject!r} names no phase of this workflow")
    if prerequisite.artifact_validates and prerequisite.artifact_validates[1] not in DOCUMENTS:
        problems.append(f"{key}: {prerequisite.artifact_validates[1]!r} is not a known document")
    return problems


def _problems(error: ValidationError) -> list[str]:
    """Each broken rule with its key, without the parents that only miss their broken children."""
    found = [(e["loc"], e["type"], e["msg"]) for e in error.errors()]
    return [
        f"{_path(loc)}: {message}"
        for loc, kind, message in found
        if kind != "too_short" or not any(o != loc and o[: len(loc)] == loc for o, _, _ in found)
    ]


def _path(loc: tuple[int | str, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return path.lstrip(".") or "(top level)"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkflowInvalid([f"{path} cannot be read: {error}"]) from None


def _default_file() -> Path:
    return Path(settings.THOTH_WORKFLOW_FILE or DEFAULT_FILE)


_parsed = functools.lru_cache(maxsize=64)(parse)


class _UniqueKeys(yaml.CSafeLoader):
    """PyYAML keeps the last of two equal keys; here that is an error."""


def _mapping(loader: _UniqueKeys, node: yaml.MappingNode) -> dict[object, object]:
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key_node, key in zip((k for k, _ in node.value), keys, strict=True):
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} occurs twice", key_node.start_mark
            )
    return loader.construct_mapping(node, deep=True)


_UniqueKeys.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
