"""A runtime that replays a transcript: what a model said before, or what a test has it say.

A transcript is JSON lines. Each line answers one step when its conditions hold; the first line that
fits is used, so a transcript needs no memory of what was asked before:

    {"step": "clarify", "when": {"undecided": ["per anno"]}, "proposal": {...}}
    {"step": "clarify", "proposal": {}}

`when`: `decided` / `undecided` (subjects that effective decisions have / do not have), `text` (part
of an open text), `no_text` (true: no open text), `target` (of rewrite_cte), `corrected` (true: second
round), `rejected` (true: after a rejection of the same step). Besides `proposal`: `failure` (a
ModelFailure), `tools` ([[name, argument], …], called first), `text` (shown while it thinks),
`delay_s`.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from pathlib import Path

from django.conf import settings
from pydantic import Field, ValidationError

from thoth.contracts.schema import Frozen
from thoth.contracts.steps import Proposal
from thoth.contracts.task import TaskDocument
from thoth.lib.clock import now
from thoth.lib.errors import Invalid
from thoth.runtime.port import ModelFailure, OnEvent, RunEvent, Toolbox


class When(Frozen):
    decided: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    text: str | None = None
    no_text: bool | None = None
    target: str | None = None
    corrected: bool | None = None
    rejected: bool | None = None

    def holds(self, task: TaskDocument) -> bool:
        """Do all conditions hold for the task?"""
        subjects = {decision.subject for decision in task.decisions}
        texts = [text.text for text in task.texts]
        corrected = any(rule.startswith("Correction: ") for rule in task.rules)
        return (
            subjects.issuperset(self.decided)
            and not subjects.intersection(self.undecided)
            and (self.text is None or any(self.text in text for text in texts))
            and self.no_text in (None, not texts)
            and self.target in (None, task.rewrite_target)
            and self.corrected in (None, corrected)
            and self.rejected in (None, bool(task.rejected))
        )


class Line(Frozen):
    step: str
    when: When = When()
    proposal: dict[str, object] | None = None
    failure: ModelFailure | None = None
    tools: tuple[tuple[str, str], ...] = ()
    text: str = ""
    delay_s: float = Field(default=0.0, ge=0)


class ScriptedRuntime:
    """Replays the transcript at `path` (default: settings.THOTH_SCRIPT)."""

    name = "scripted"

    def __init__(self, path: Path | None = None) -> None:
        self._lines = read_transcript(path or Path(settings.THOTH_SCRIPT))

    def run(
        self,
        task: TaskDocument,
        tools: Toolbox,
        schema: type[Proposal],
        on_event: OnEvent,
        deadline: dt.datetime,
    ) -> Proposal | ModelFailure:
        """The first line that fits the task."""
        line = next((x for x in self._lines if x.step == task.step and x.when.holds(task)), None)
        if line is None:
            message = f"The transcript has no answer for the step {task.step}."
            return ModelFailure(code="refused", message=message)
        if not _waited(line.delay_s, deadline):
            return ModelFailure(code="timeout", message="The step took longer than it may.")
        for name, argument in line.tools:
            _call(tools, name, argument)
        if line.text:
            on_event(RunEvent(kind="text_delta", text=line.text))
        return line.failure or _proposal(schema, line.proposal or {})


def read_transcript(path: Path) -> list[Line]:
    """The lines of a transcript; empty lines and those that start with # are skipped.

    Raises: Invalid `transcript_unreadable`, `transcript_invalid` with the line's number.
    """
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        message = f"The transcript {path} cannot be read ({type(error).__name__})."
        raise Invalid("transcript_unreadable", message) from None
    return [
        _line(number, text)
        for number, text in enumerate(texts, 1)
        if text.strip() and not text.startswith("#")
    ]


def _line(number: int, text: str) -> Line:
    try:
        return Line.model_validate(json.loads(text))
    except (ValueError, ValidationError) as error:
        message = f"Line {number} of the transcript is not valid: {str(error).splitlines()[0]}"
        raise Invalid("transcript_invalid", message, line=number) from None


def _waited(delay_s: float, deadline: dt.datetime) -> bool:
    left = (deadline - now()).total_seconds()
    time.sleep(max(0.0, min(delay_s, left)))
    return delay_s <= left


def _call(tools: Toolbox, name: str, argument: str) -> None:
    if name in ("render_schema", "join_paths"):
        tables = tuple(part.strip() for part in argument.split(","))
        getattr(tools, name)(tables)
    else:
        getattr(tools, name)(argument)


def _proposal(schema: type[Proposal], value: dict[str, object]) -> Proposal | ModelFailure:
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return ModelFailure(code="schema_invalid", message=f"{where}: {first['msg']}")
