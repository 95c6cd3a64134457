"""What the modules of the stages have in common: their context, what they return, shared widgets."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from sessions_app.decided import decided_slice, intent_of
from sessions_app.gate import Outcome
from sessions_app.view import EffectiveView
from sessions_app.warehouse import SessionWarehouse
from sessions_app.widgets.request import Draft, UiRequest
from sessions_app.workflow import Stage, Workflow
from thoth.contracts.decisions import Decision
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import Proposal, StepName
from thoth.contracts.task import DecidedSlice, PendingText


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What a stage may know about the session itself. `id` is the public one."""

    id: str
    version: int
    workspace: str
    question: str
    language: str
    today: dt.date
    author: str


@dataclass(frozen=True, slots=True)
class Answered:
    """An answered widget of this stage whose answer stands. `proposal` is what it presented."""

    uid: str
    number: int
    activity: str
    request: UiRequest
    answer: Mapping[str, object]
    answered_by: str
    proposal: Mapping[str, object] | None = None

    @property
    def control(self) -> str | None:
        value = self.answer.get("control")
        return str(value) if value else None

    @property
    def chosen(self) -> tuple[str, ...]:
        """Ids of the chosen options (those sent along with Other included)."""
        choices = self.answer.get("choices")
        if isinstance(choices, list | tuple):
            return tuple(str(choice) for choice in choices)
        choice = self.answer.get("choice")
        return (str(choice),) if choice else ()


@dataclass(frozen=True)
class StageContext:
    """Everything a stage decides by. Reading it costs no query and no warehouse call, except
    through `warehouse`, which only `build` and `present` may use (outside any transaction).

    `texts` are the unaddressed ones, `history` this stage's standing answers, oldest first;
    `artifacts` the session's live documents by name.
    """

    session: SessionFacts
    workflow: Workflow
    phase: str
    stage: Stage
    view: EffectiveView
    warehouse: SessionWarehouse
    texts: tuple[PendingText, ...] = ()
    text_activities: Mapping[str, str] = field(default_factory=dict)  # text id -> activity
    history: tuple[Answered, ...] = ()
    artifacts: Mapping[str, str] = field(default_factory=dict)
    contents: Mapping[str, str] = field(default_factory=dict)  # texts by hash that rows bind to

    @cached_property
    def decided(self) -> DecidedSlice:
        return decided_slice(self.view)

    @cached_property
    def intent(self) -> QueryIntent | None:
        return intent_of(self.view)

    @property
    def texts_of_stage(self) -> tuple[PendingText, ...]:
        """Unaddressed texts that answered a widget of this stage."""
        return tuple(text for text in self.texts if text.id in self.text_activities)

    def content(self, sha256: str) -> str:
        """The text that a row of this stage binds to."""
        return self.contents[sha256]

    def activity_of_text(self, text_id: str) -> str:
        """The activity of this stage that the text answered; empty for steering and other stages."""
        return self.text_activities.get(text_id, "")

    @property
    def last(self) -> Answered | None:
        """The latest answered widget of this stage."""
        return self.history[-1] if self.history else None

    @property
    def kept_choices(self) -> frozenset[str] | None:
        """What was chosen when the reviewer answered the last widget in their own words."""
        if self.last and self.last.control == "other" and self.last.request.widget == "multiselect":
            return frozenset(self.last.chosen)
        return None


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the model for a proposal; `target` names the CTE of `rewrite_cte`."""

    step: StepName
    target: str | None = None


@dataclass(frozen=True, slots=True)
class AutoAdvance:
    """Close the stage without the reviewer: nothing to decide here. `artifacts` become the session's."""

    reason: str
    artifacts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A widget to present, with the documents that become the session's when it is."""

    draft: Draft
    artifacts: tuple[tuple[str, str], ...] = ()


Presented = Shown | AutoAdvance


@dataclass(frozen=True, slots=True)
class Present:
    """Present a widget that needs no model. `build` runs outside any transaction."""

    activity: str
    build: Callable[[StageContext], Presented]


Next = Ask | Present | AutoAdvance


@dataclass(frozen=True, slots=True)
class Effects:
    """What an answer does besides its decisions: documents (written before them), and decisions
    that follow from them (appended after them: a closing row, for one)."""

    artifacts: tuple[tuple[str, str], ...] = ()
    contents: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()


class ProposalRefused(Exception):
    """The proposal breaks a rule of the gate; the model gets the reason once.

    `code` is stable: `text_unaddressed`, `unchanged_after_text`, `already_decided`, …
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Conduct(Protocol):
    """A stage's module."""

    def next_step(self, ctx: StageContext) -> Next:
        """What comes now. Pure: reads the context only."""
        ...

    def present(self, ctx: StageContext, step: StepName, proposal: Proposal) -> Presented:
        """The proposal as a widget. Raises ProposalRefused."""
        ...

    def on_answer(self, ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
        """What the answer does besides its decisions. Raises Invalid when it cannot stand."""
        ...
