"""ui_request: what a reviewer is asked, in the one JSON shape that pages, API and command line share.

Stored with the session as it was shown and never changed. `widget` is an open field: a kind that
nobody knows is rendered as its JSON with a free-text answer.
"""

from __future__ import annotations

import hashlib
from typing import Literal, Self

from pydantic import Field, model_validator

from thoth.contracts.decisions import Decision
from thoth.contracts.schema import Frozen
from thoth.lib.limits import OPTIONS_MAX

SCHEMA_VERSION = 1
KNOWN_KINDS = frozenset({"info", "select", "multiselect", "freetext", "artifact_gate", "artifact"})
CHOICE_KINDS = frozenset({"select", "multiselect", "artifact_gate"})
RESERVED = ("other", "back", "exit")
ArtifactKind = Literal[
    "question", "schema_linking", "formula", "cte", "sql", "result", "decisions", "report"
]
TextKind = Literal["other", "rejection", "look_further"]


class Opens(Frozen):
    """The one child widget that an option may open; its answer arrives together with the parent's.

    freetext: `text_kind` says what the text is when it becomes one that a proposal must address;
    `into` names the fields of the decision that the text (or, for a multiselect, the chosen ids)
    goes to instead. select: the chosen option's decision replaces the parent's.
    artifact: an SQL text. `optional`: the child may be left out.
    """

    widget: Literal["freetext", "select", "multiselect", "artifact"]
    title: str = ""
    options: tuple[Option, ...] | None = None
    text_kind: TextKind = "rejection"
    into: tuple[str, ...] = ()
    optional: bool = False


class Option(Frozen):
    """One line of a widget with the decision that choosing (or not choosing) it means.

    `meta` is for the eye: `count` (whole number), `preview` ({columns, rows}), `risk`, `signals`,
    `provenance`, `evidence`. `alone`: cannot be combined with other choices of the widget.
    """

    id: str = Field(min_length=1, max_length=300)
    label: str
    description: str = ""
    group: str | None = None
    parent: str | None = None
    recommended: bool = False
    selected: bool = False
    alone: bool = False
    meta: dict[str, object] = {}
    decision: Decision | None = None
    decision_deselected: Decision | None = None
    opens: Opens | None = None


class ArtifactView(Frozen):
    """A document shown beside the question."""

    kind: ArtifactKind
    name: str
    media_type: str
    text: str
    sha256: str


class Draft(Frozen):
    """A widget before the gate gives it an id, a place and the reserved controls."""

    widget: str
    title: str
    intro: str = ""
    options: tuple[Option, ...] = Field(default=(), max_length=OPTIONS_MAX)
    artifact: ArtifactView | None = None
    allow_empty: bool = False

    @model_validator(mode="after")
    def _options_are_consistent(self) -> Self:
        ids = [option.id for option in self.options]
        if len(set(ids)) != len(ids):
            raise ValueError("two options have the same id")
        if self.widget == "select" and any(option.selected for option in self.options):
            raise ValueError("nothing is preselected in a select")
        for option in self.options:
            _check_nesting(option, frozenset(ids))
        return self


class UiRequest(Draft):
    """The widget as stored, shown and answered."""

    type: Literal["ui_request"] = "ui_request"
    id: str
    schema_version: int = SCHEMA_VERSION
    session_id: str
    phase: str
    stage: str
    reserved: tuple[str, ...] = RESERVED
    timeout_ms: None = None

    def option(self, option_id: str) -> Option | None:
        """The option with this id, or None."""
        return next((option for option in self.options if option.id == option_id), None)


class Info(Frozen):
    """A notice: no answer."""

    type: Literal["info"] = "info"
    level: Literal["info", "warning", "error"] = "info"
    text: str


def _check_nesting(option: Option, ids: frozenset[str]) -> None:
    if option.parent is not None and option.parent not in ids:
        raise ValueError(f"option {option.id} has an unknown parent {option.parent}")
    children = (option.opens.options or ()) if option.opens else ()
    if any(child.opens for child in children):
        raise ValueError(f"option {option.id} opens a widget whose option opens another")


def artifact_view(kind: ArtifactKind, name: str, media_type: str, text: str) -> ArtifactView:
    """The document under `name` with the sha256 (hex) of its UTF-8 text."""
    return ArtifactView(
        kind=kind, name=name, media_type=media_type, text=text, sha256=sha256_of(text)
    )


def sha256_of(text: str) -> str:
    """Hex sha256 of the text's UTF-8 bytes: what approvals bind to."""
    return hashlib.sha256(text.encode()).hexdigest()


def placed(draft: Draft, *, widget_id: str, session_id: str, phase: str, stage: str) -> UiRequest:
    """The draft under its id, with the reserved controls."""
    fields = {name: getattr(draft, name) for name in Draft.model_fields}
    return UiRequest(**fields, id=widget_id, session_id=session_id, phase=phase, stage=stage)
