"""Write the made part of every prompt in agent/prompts (`make prompts`)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import django  # noqa: E402

from thoth.contracts.steps import PROPOSALS, StepName  # noqa: E402
from thoth.runtime.pi.prompts import BEGIN, StageFacts, fields_of, generated  # noqa: E402

STAGES: dict[StepName, str] = {
    "clarify": "clarification",
    "rewrite": "rewriting",
    "ground_values": "schema_linking",
    "formulas": "schema_linking",
    "link_schema": "schema_linking",
    "link_joins": "schema_linking",
    "plan_ctes": "cte",
    "rewrite_cte": "cte",
    "final_sql": "final_sql",
}


def main() -> int:
    """Rewrites the files; returns 0."""
    for step in PROPOSALS:
        file = HERE / "prompts" / f"{step}.md"
        text = whole(step, file.read_text(encoding="utf-8"))
        if text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8")
            print(f"{file.name} written")
    file = HERE / "prompts" / "restructure.md"
    file.write_text(restructure(file.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


def restructure(text: str) -> str:
    """The prompt for Evidence sources, with the fields of a candidate and of every payload."""
    from evidence_app.authoring.port import RestructureCandidate  # noqa: PLC0415 - as below
    from evidence_app.units import model  # noqa: PLC0415

    lines = [BEGIN, "", "## Fields of a candidate", ""]
    lines += fields_of(RestructureCandidate.model_json_schema())
    for kind in model.KINDS:
        payload = getattr(model, f"{kind.capitalize()}Payload")
        schema = payload.model_json_schema()
        lines += ["", f"## Payload of kind `{kind}`", "", schema["description"], ""]
        lines += fields_of(schema)
    return f"{text.partition(BEGIN)[0].rstrip()}\n\n" + "\n".join(lines) + "\n"


def whole(step: StepName, text: str) -> str:
    """A prompt's text with its made part as the workflow and the contracts are now."""
    return f"{text.partition(BEGIN)[0].rstrip()}\n\n{generated(step, facts(step))}"


def facts(step: StepName) -> StageFacts:
    """What the built-in workflow says about the step's stage."""
    from sessions_app.workflow import DEFAULT_FILE, load  # noqa: PLC0415 - Django must be set up

    workflow = load(DEFAULT_FILE)
    stages = (stage for phase in workflow.phases for stage in phase.stages)
    stage = next(stage for stage in stages if stage.stage == STAGES[step])
    return StageFacts(stage.stage, tuple(stage.tools), tuple(stage.emits))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "thoth.settings.base")
    django.setup()
    sys.exit(main())
