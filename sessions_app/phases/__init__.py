"""The conduct of each stage: what is asked next, how a proposal becomes a question, what an answer does.

One module per stage of workflow.yaml, found by the stage's name.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from sessions_app.phases.base import Conduct


def conduct(stage: str) -> Conduct:
    """The module of a stage. Raises ModuleNotFoundError for a stage that has none."""
    return cast(Conduct, import_module(f"sessions_app.phases.{stage}"))
