"""The preparation as the browser runs it: the workspace's language, the configured restructurer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evidence_app.authoring.prepare import evidence_prepare
from evidence_app.authoring.restructurers.registry import restructurer_get
from thoth.workspaces.facade import workspace_get

SHOWN = ("changed", "unchanged", "created", "orphaned", "model_calls")
ITEMS_MAX = 500


def takes_long() -> bool:
    """Is a language model asked? Then a worker waits for it, not a request."""
    return restructurer_get().calls_model


def prepare(root: Path, workspace: str) -> dict[str, Any]:
    """The units below `root`/evidence follow their sources. Returns what a proposal keeps of it.

    Raises: BatchRefused, RestructureFailed, and what evidence_prepare raises.
    """
    language = workspace_get(workspace).language
    report = evidence_prepare(root, restructurer_get(), language=language)
    whole = report.as_dict()
    items = [
        {"severity": "warning", "code": item.code, "path": item.path, "message": item.message}
        for item in report.validation.review_items[:ITEMS_MAX]
    ]
    errors = [item for item in whole["findings"] if item["severity"] == "error"]
    return {**{name: whole[name] for name in SHOWN}, "findings": [*errors, *items]}
