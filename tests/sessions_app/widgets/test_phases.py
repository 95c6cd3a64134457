"""Golden JSON of every widget on the way of the ablation question, phase by phase.

After a deliberate change: THOTH_WRITE_GOLDEN=1 pytest tests/sessions_app/widgets/test_phases.py
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from sessions_app.models import Event, Widget
from tests.sessions_app.kit import Reviewer

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
PHASES = Path(__file__).parents[2] / "data" / "widgets" / "phases"


def normalised(request: dict[str, Any]) -> dict[str, Any]:
    """Without what differs from run to run: the session's id, moments, the planner's cost."""
    text = MOMENT.sub("MOMENT", json.dumps(request | {"session_id": "SESSION"}))
    value: dict[str, Any] = json.loads(text)
    if value["stage"] == "synthesis":
        value["artifact"]["sha256"] = "OF THE TEXT"  # it holds moments
    for option in value["options"]:
        payload = (option["decision"] or {}).get("payload", {})
        if "tests" in payload:
            payload["tests"]["estimated_cost"] = "COST"
        if "report" in option["meta"]:
            lines = option["meta"]["report"].splitlines()
            option["meta"]["report"] = [line for line in lines if not line.startswith("- Plan")]
    return value


@pytest.mark.django_db(transaction=True)
def test_the_widgets_of_every_phase_are_the_stored_ones(reviewer: Reviewer) -> None:
    session = reviewer.finish()
    shown = [normalised(w.request) for w in Widget.objects.filter(session=session)]
    assert {request["phase"] for request in shown} == {"F1", "F3", "F4", "F5", "F6", "F7", "F8"}
    for request in shown:
        file = PHASES / f"{request['phase']}-{request['id']}-{request['stage']}.json"
        text = json.dumps(request, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if os.environ.get("THOTH_WRITE_GOLDEN"):
            file.write_text(text, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == text, file.name
    silent = Event.objects.get(payload__event="auto_advance_silent")
    assert (silent.payload["phase"], silent.payload["stage"]) == ("F2", "memory")
