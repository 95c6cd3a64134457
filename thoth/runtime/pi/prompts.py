"""The prompt of each step: a file in agent/prompts, whose end is made from the contracts.

`generated` is that end; `make prompts` writes it, a test compares it. What only the workflow knows
(a step's stage, tools, decision types) is passed in: this package does not know the workflow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from thoth.contracts.steps import StepName
from thoth.runtime.document import answer_schema

BEGIN = "<!-- Made by `make prompts`; do not edit below. -->"
COMMON = "common"


@dataclass(frozen=True, slots=True)
class StageFacts:
    """What the workflow says about the stage of a step."""

    stage: str
    tools: tuple[str, ...]
    emits: tuple[str, ...]


def prompts_folder() -> Path:
    return Path(settings.BASE_DIR) / "agent" / "prompts"


def system_prompt(step: StepName) -> str:
    """The whole prompt of a step: what holds for all, then its own part."""
    return f"{read_prompt(COMMON)}\n{read_prompt(step)}"


def read_prompt(name: str) -> str:
    """One file of agent/prompts, by its name without suffix."""
    return (prompts_folder() / f"{name}.md").read_text(encoding="utf-8").strip() + "\n"


def generated(step: StepName, facts: StageFacts) -> str:
    """The end of a step's file: its stage, tools, decisions and the fields of its answer."""
    lines = [
        BEGIN,
        "",
        f"## Facts of the step `{step}`",
        "",
        f"- Stage: {facts.stage}.",
        f"- Read-only tools: {_listed(facts.tools)}.",
        f"- The reviewer's answer may become one of these decisions only: {_listed(facts.emits)}.",
        "",
        "## Fields of `propose`",
        "",
        *fields_of(answer_schema(step)),
    ]
    return "\n".join(lines) + "\n"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def fields_of(schema: dict[str, object]) -> list[str]:
    """The fields of a JSON Schema and of its definitions, as lines of Markdown."""
    definitions = schema.get("$defs")
    assert definitions is None or isinstance(definitions, dict)
    lines = _object("", schema)
    for name, definition in sorted((definitions or {}).items()):
        if "properties" in definition:
            lines += ["", f"### {name}", "", *_object(name, definition)]
    return lines


def _object(name: str, schema: dict[str, object]) -> list[str]:
    about = " ".join(str(schema.get("description") or "").split())
    required = schema.get("required")
    properties = schema.get("properties")
    assert isinstance(properties, dict)
    lines = [about, ""] if about and name else []
    for field, value in properties.items():
        needed = " (required)" if isinstance(required, list) and field in required else ""
        lines.append(f"- `{field}`: {_kind(value)}{needed}")
    return lines


def _kind(value: dict[str, object]) -> str:
    """A JSON Schema in a few words."""
    options = value.get("enum") or ([value["const"]] if "const" in value else None)
    if isinstance(options, list):
        return " or ".join(f'"{option}"' for option in options)
    choices = value.get("anyOf") or value.get("oneOf")
    if isinstance(choices, list):
        return " or ".join(_kind(choice) for choice in choices)
    items = value.get("items")
    if value.get("type") == "array" and isinstance(items, dict):
        return f"list of {_kind(items)}"
    return str(value.get("$ref") or value.get("type") or "any").rpartition("/")[2]
