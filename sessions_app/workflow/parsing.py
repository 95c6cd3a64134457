"""From YAML to a Workflow, or to errors that name the exact keys."""

from __future__ import annotations

import yaml
from pydantic import ValidationError

from sessions_app.documents import DOCUMENTS
from sessions_app.errors import WorkflowInvalid
from sessions_app.workflow.definition import Prerequisite, Workflow
from thoth.contracts.decisions import LEGACY_TYPES, META_TYPES, PAYLOADS


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
