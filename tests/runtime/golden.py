"""A model server that answers a session's steps with fixed golden proposals.

It knows only what a model would: the task document it is sent. From that it reads which step this
is, what is decided and which words are open, and takes the first line of a transcript that fits.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.runtime.endpoint import Body, Call, Say, propose
from thoth.contracts.steps import PROPOSALS, StepName
from thoth.contracts.task import BriefDecision, PendingText, TaskDocument
from thoth.runtime.document import FENCE, FENCE_END
from thoth.runtime.scripted import Line


def golden(lines: Iterable[dict[str, Any]]) -> Callable[[Body], Say]:
    """A script: each step looks one thing up (where it has a tool for it), then proposes."""
    known = [Line.model_validate(line) for line in lines]

    def answer(body: Body) -> Say:
        task = read_task(document_of(body))
        tools = {tool["function"]["name"] for tool in body["tools"]}
        if not any(message["role"] == "tool" for message in body["messages"]):
            if "search_values" in tools:
                return Say("Looking it up.", (Call("search_values", {"text": "transcatetere"}),))
            if "explain_sql" in tools:
                return Say(calls=(Call("explain_sql", {"sql": "SELECT 1"}),))
        line = next(x for x in known if x.step == task.step and x.when.holds(task))
        return propose(line.proposal)

    return answer


def document_of(body: Body) -> str:
    """The task document in a request."""
    text: str = next(m for m in body["messages"] if m["role"] == "user")["content"][0]["text"]
    return text


def read_task(text: str) -> TaskDocument:
    """As much of the task as the conditions of a transcript ask for."""
    step: StepName = next(s for s in PROPOSALS if f"# Step {s} (" in text)
    decisions = [BriefDecision.model_validate(d) for d in _json(text, "Decisions so far")]
    texts = [PendingText.model_validate(t) for t in _json(text, "Open texts of the reviewer")]
    return TaskDocument(
        session_id="s",
        session_version=1,
        workspace="w",
        language="en",
        today=dt.date(2024, 1, 1),
        step=step,
        stage="s",
        phase="F1",
        question="?",
        decisions=tuple(decisions),
        texts=tuple(texts),
        rewrite_target=_section(text, "CTE to write again") or None,
        rules=tuple(re.findall(r"^- (Correction: .*)$", text, re.MULTILINE)),
    )


def _section(text: str, title: str) -> str:
    found = re.search(f"^## {title}\n{FENCE}\n(.*?)\n{FENCE_END}$", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def _json(text: str, title: str) -> list[dict[str, Any]]:
    value: list[dict[str, Any]] = json.loads(_section(text, title) or "[]")
    return value
