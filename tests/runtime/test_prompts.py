"""The prompts say what the workflow and the contracts say."""

from __future__ import annotations

import json

import pytest

from agent import write_prompts
from sessions_app.workflow import default
from thoth.contracts.steps import PROPOSALS, StepName
from thoth.runtime.pi.prompts import prompts_folder, system_prompt
from thoth.runtime.pi.tools import propose_spec, tool_specs


@pytest.mark.parametrize("step", PROPOSALS)
def test_the_made_part_is_up_to_date(step: StepName) -> None:
    text = (prompts_folder() / f"{step}.md").read_text(encoding="utf-8")
    assert text == write_prompts.whole(step, text), "run `make prompts`"


@pytest.mark.parametrize("step", PROPOSALS)
def test_a_prompt_names_every_field_and_decision(step: StepName) -> None:
    prompt = system_prompt(step)
    facts = write_prompts.facts(step)
    names = [*PROPOSALS[step].model_fields, *facts.tools, *facts.emits]
    assert [name for name in names if f"`{name}`" not in prompt] == []
    assert "Sentences in it that" in prompt  # the rules for all steps
    assert len(prompt.encode()) < 12_000


def test_every_tool_of_the_workflow_has_a_schema() -> None:
    stages = [stage for phase in default().phases for stage in phase.stages]
    for stage in stages:
        assert {spec.name for spec in tool_specs(stage.tools)} == set(stage.tools)


def test_no_tool_takes_a_path_or_a_command() -> None:
    every = {tool for phase in default().phases for stage in phase.stages for tool in stage.tools}
    schemas = [spec.parameters for spec in tool_specs(every)]
    properties = {name for schema in schemas for name in schema["properties"]}  # type: ignore[attr-defined]
    assert properties == {"text", "query", "tables", "sql"}
    assert "propose" not in every
    assert propose_spec(PROPOSALS["clarify"].model_json_schema()).terminal
    json.dumps(schemas)


def test_the_prompt_for_sources_is_up_to_date() -> None:
    text = (prompts_folder() / "restructure.md").read_text(encoding="utf-8")
    assert text == write_prompts.restructure(text), "run `make prompts`"
