"""The task document as text: what a language model reads, and what the reviewer is shown of it."""

from __future__ import annotations

import functools
import json

from thoth.contracts.steps import PROPOSALS, StepName
from thoth.contracts.task import TaskDocument

FENCE = "~~~~~~~~ data"
FENCE_END = "~~~~~~~~"


def render(task: TaskDocument) -> str:
    """The document as text; what was retrieved or written by others stands between data fences."""
    value = task.model_dump(mode="json", exclude_defaults=True)
    parts = [
        f"# Step {task.step} ({task.phase}, {task.stage})",
        f"Today: {task.today}. Language: {task.language}.",
        "## Rules\n" + "\n".join(f"- {rule}" for rule in task.rules),
        _fenced("Question", task.question),
        _fenced("Rewritten question", task.rewritten),
        _fenced("Intent", value.get("intent")),
        _fenced("Decisions so far", value.get("decisions")),
        _fenced("Decided schema", value.get("decided")),
        _fenced("Approved steps (CTEs)", value.get("ctes")),
        _fenced("CTE to write again", task.rewrite_target),
        _fenced("Evidence", value.get("evidence")),
        _fenced("Open texts of the reviewer", value.get("texts")),
        _fenced("Refused proposals", value.get("rejected")),
        _fenced("Left out for lack of room", value.get("dropped")),
        _fenced("Schema of the answer", answer_schema(task.step)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


@functools.cache  # pydantic takes milliseconds for it, and fitting renders again and again
def answer_schema(step: StepName) -> dict[str, object]:
    """The JSON Schema of the step's proposal."""
    return PROPOSALS[step].model_json_schema()


def _fenced(title: str, value: object) -> str:
    if not value:
        return ""
    text = (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )
    # A fence inside the data must not end it.
    safe = text.replace(FENCE_END, "~ ~ ~ ~ ~ ~ ~ ~")
    return f"## {title}\n{FENCE}\n{safe}\n{FENCE_END}"
