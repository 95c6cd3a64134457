"""workflow.yaml: what stops the start, and with which words."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sessions_app import workflow
from sessions_app.errors import WorkflowInvalid
from tests.sessions_app.builders import DATA

GOOD = workflow.DEFAULT_FILE.read_text(encoding="utf-8")

# what is replaced, by what, and the key (or words) that the error must name
BROKEN = {
    "unknown tool": ("tools: [search_memory]", "tools: [search_memory, write_sql]", "phases[1].stages[0].tools[1]"),
    "unknown key": ("name: memory", "name: memory\n    colour: red", "phases[1].colour"),
    "missing stages": ("  - id: F1", "  - id: F0", "phases[0].id"),
    "unknown advance": ("advance: auto_if_empty\n", "advance: never\n", "phases[1].stages[0].advance"),
    "unknown type": ("emits: [question_rewritten]", "emits: [question_guessed]", "phases[2].stages[0].emits[0]"),
    "meta type emitted": ("emits: [question_rewritten]", "emits: [phase_approved]", "phases[2].stages[0].emits[0]"),
    "legacy type emitted": ("emits: [question_rewritten]", "emits: [cte_corrected]", "phases[2].stages[0].emits[0]"),
    "unknown decision": ("decision_exists: question_rewritten", "decision_exists: rewritten", "phases[2].stages[0].prerequisites[0]"),
    "unknown condition": ("{decision_exists: question_rewritten}", "{decision_missing: x}", "phases[2].stages[0].prerequisites[0]"),
    "two conditions": ("{decision_exists: question_rewritten}", "{decision_exists: question_rewritten, all_ctes_approved: true}", "exactly one condition"),
    "unknown document": ("schema_linking.json, SchemaLinking", "schema_linking.json, Linking", "phases[4].stages[0].prerequisites[0]"),
    "phase that is not there": ('"phase:F6"', '"phase:F9"', "phases[5].stages[0].prerequisites[0].any[0]"),
    "phase twice": ("id: F2", "id: F1", "phases: 'F1' occurs twice"),
    "stage twice": ("stage: memory", "stage: clarification", "stages: 'clarification' occurs twice"),
    "key twice": ("name: memory", "name: memory\n    name: again", "'name' occurs twice"),
    "other schema": ("schema_version: 1", "schema_version: 2", "schema_version"),
    "no version": ("\nversion: 1", "", "version"),
    "not YAML": ("phases:", "phases: [", "not YAML"),
}  # fmt: skip


def test_the_installed_file_is_valid_and_complete():
    flow = workflow.default()
    assert [phase.id for phase in flow.phases] == [f"F{i}" for i in range(1, 9)]
    assert list(flow.stages) == [
        "clarification", "memory", "rewriting", "schema_linking",
        "synthesis", "cte", "final_sql", "closure",
    ]  # fmt: skip
    assert flow.stage("schema_linking").activities == (
        "value_grounding", "concept_formulas", "tables_columns", "joins",
    )  # fmt: skip


@pytest.mark.parametrize("case", BROKEN, ids=list(BROKEN))
def test_an_invalid_file_is_refused_with_the_exact_key(case):
    old, new, key = BROKEN[case]
    assert GOOD.count(old) >= 1
    with pytest.raises(WorkflowInvalid) as caught:
        workflow.parse(GOOD.replace(old, new, 1))
    assert caught.value.code == "invalid_workflow"
    assert key in caught.value.message


@pytest.mark.parametrize("text", ["", "[]", "workflow", "phases: 3"])
def test_what_is_no_workflow_at_all_is_refused(text):
    with pytest.raises(WorkflowInvalid):
        workflow.parse(text)


def test_all_problems_are_named_at_once():
    broken = GOOD.replace("search_memory]", "nothing]").replace(
        "version: 1\nphases", "version: 0\nphases"
    )
    with pytest.raises(WorkflowInvalid) as caught:
        workflow.parse(broken)
    assert len(caught.value.extra["keys"]) == 2


def test_comments_and_layout_do_not_change_the_content():
    assert workflow.parse("# a comment\n" + GOOD).sha256 == workflow.default().sha256
    changed = GOOD.replace("purpose: rewriting", "purpose: disambiguation")
    assert workflow.parse(changed).sha256 != workflow.default().sha256


def test_an_invalid_file_stops_every_command_with_the_key_and_no_trace(tmp_path):
    file = tmp_path / "workflow.yaml"
    file.write_text(GOOD.replace("tools: [search_memory]", "tools: [write_sql]"))
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "thoth.settings.test",
        "THOTH_WORKFLOW_FILE": str(file),
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "phase", "meta"],
        check=False,
        env=environment,
        cwd=DATA.parents[1],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("workflow: phases[1].stages[0].tools[0]: ")
    assert "Traceback" not in done.stderr


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(WorkflowInvalid, match=r"gone\.yaml"):
        workflow.load(tmp_path / "gone.yaml")


def test_the_five_phase_variant_is_the_same_stages_in_five_phases():
    five = workflow.load(DATA / "workflow" / "five_phases.yaml")
    eight = workflow.default()
    assert [phase.id for phase in five.phases] == ["F1", "F2", "F3", "F4", "F5"]
    assert list(five.stages) == list(eight.stages)
    for name in five.stages:
        if name != "cte":  # its prerequisite names its own phase
            assert five.stage(name) == eight.stage(name)
    assert five.phases[0].emits == {"concept_clarified", "ambiguity_open", "question_rewritten"}


def test_artifacts_find_the_stage_that_produces_them():
    flow = workflow.default()
    assert flow.producer("ctes/per_anno.sql") == "cte"
    assert flow.producer("sql_final.sql") == "final_sql"
    assert flow.producer("notes.txt") is None
