"""workflow.yaml as frozen models: the one definition everything else derives from.

`default()` is the installed workflow; `of(session)` the one a session began with.
"""

from __future__ import annotations

from sessions_app.workflow.definition import Phase, Prerequisite, Stage, Tool, Workflow, meta
from sessions_app.workflow.parsing import parse
from sessions_app.workflow.versions import (
    DEFAULT_FILE,
    changed_under_use,
    current_version,
    default,
    load,
    of,
)

__all__ = [
    "DEFAULT_FILE",
    "Phase",
    "Prerequisite",
    "Stage",
    "Tool",
    "Workflow",
    "changed_under_use",
    "current_version",
    "default",
    "load",
    "meta",
    "of",
    "parse",
]
