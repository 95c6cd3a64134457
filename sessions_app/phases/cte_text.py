"""The plan of CTEs as text: its file, and the query that tests one of its steps. Pure."""

from __future__ import annotations

import json

from pydantic import ValidationError

from sessions_app.documents import CtePlan
from thoth.contracts.steps import CteDraft


def planned(text: str | None) -> CtePlan | None:
    """The plan in a file's text; None when there is none (or none that can be read)."""
    try:
        return CtePlan.model_validate_json(text) if text is not None else None
    except ValidationError:
        return None


def plan_text(plan: CtePlan) -> str:
    """The plan's one text: indented JSON with sorted keys and a final line end."""
    value = plan.model_dump(mode="json")
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def with_draft(plan: CtePlan, draft: CteDraft) -> CtePlan:
    """The plan with the step of that name replaced, in its place."""
    return CtePlan(ctes=tuple(draft if c.name == draft.name else c for c in plan.ctes))


def composed(plan: CtePlan, name: str) -> str:
    """`WITH` every step up to `name`, then all its rows. Raises StopIteration for no such step."""
    position = next(i for i, draft in enumerate(plan.ctes) if draft.name == name)
    # A line comment at the end of a body must not swallow the closing parenthesis.
    parts = ",\n".join(f'"{c.name}" AS (\n{c.sql}\n)' for c in plan.ctes[: position + 1])
    return f'WITH {parts}\nSELECT * FROM "{name}"'
