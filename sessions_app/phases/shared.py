"""Widgets that several stages show: a confirmation, what a runtime cannot do, a list of decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from django.utils.translation import gettext as _

from sessions_app.phases.base import ProposalRefused, StageContext
from sessions_app.types import Row
from sessions_app.widgets.request import ArtifactView, Draft, Opens, Option, artifact_view
from thoth.contracts.decisions import (
    Decision,
    PhaseApproved,
    PhaseReopened,
    decision,
)
from thoth.contracts.steps import Cannot, Proposal

MARKDOWN = "text/markdown"
T = TypeVar("T", bound=Proposal)


def closing(stage: str, reason: str = "") -> Decision:
    """The row by which the reviewer closes a stage."""
    return decision("phase_approved", f"stage:{stage}", PhaseApproved(reason=reason), detail=reason)


def say_otherwise() -> Option:
    """The reviewer explains in their own words; the step is asked again with them."""
    return Option(
        id="rephrase",
        label=_("Say it in other words"),
        opens=Opens(widget="freetext", title=_("What do you mean?"), text_kind="look_further"),
    )


def look_further() -> Option:
    return Option(
        id="look_further",
        label=_("None of these: look further"),
        opens=Opens(
            widget="freetext", title=_("What should be looked for?"), text_kind="look_further"
        ),
        alone=True,
    )


def rejection(label: str | None = None, decided: Decision | None = None) -> Option:
    """The reviewer refuses and says why; the reason steers the next proposal."""
    return Option(
        id="reject",
        label=label or _("Reject"),
        decision=decided,
        opens=Opens(widget="freetext", title=_("What is wrong with it?"), text_kind="rejection"),
    )


def reopening(phase: str, reason: str, label: str) -> Option:
    """Going back as a proposal: choosing it reopens the phase."""
    return Option(
        id="reopen",
        label=label,
        description=reason,
        decision=decision(
            "phase_reopened", f"phase:{phase}", PhaseReopened(reason=reason), detail=reason
        ),
    )


def confirmation(
    ctx: StageContext, *, title: str, intro: str, rows: Iterable[Row], open_: Sequence[str] = ()
) -> Draft:
    """The stage's closing question with all its decisions. With something still `open_`, it cannot
    be confirmed: only the reviewer's own words and going back are left."""
    document = decisions_document(rows)
    options = () if open_ else (_confirm(ctx.stage.stage),)
    missing = "\n".join(f"- {item}" for item in open_)
    return Draft(
        widget="select",
        title=title,
        intro=f"{intro}\n\n{missing}".strip(),
        options=options,
        artifact=document,
    )


def decisions_document(rows: Iterable[Row]) -> ArtifactView:
    """The decisions as a Markdown list in ledger order."""
    lines = [f"- **{_cell(row.subject)}**: {_cell(row.detail or row.type)}" for row in rows]
    return artifact_view(
        "decisions", "decisions.md", MARKDOWN, "\n".join(lines) or _("Nothing was decided here.")
    )


def cannot_widget(cannot: Cannot, go_on: Option | None) -> Draft:
    """What the runtime cannot express. Nothing is recommended: going on is the reviewer's choice."""
    words = ", ".join(f"«{w}»" for w in cannot.words if w.lower() not in cannot.message.lower())
    options = [say_otherwise()]
    if go_on is not None:
        options.append(go_on)
    intro = cannot.message + (f"\n\n{words}" if words else "") + f"\n\n`{cannot.code}`"
    return Draft(
        widget="select",
        title=_("This part of the question is not understood"),
        intro=intro,
        options=tuple(options),
    )


def cannot_subject(cannot: Cannot) -> str:
    """What the ledger calls the thing that is not understood."""
    return (", ".join(cannot.words) or cannot.code)[:1000]


def expect(proposal: Proposal, kind: type[T]) -> T:
    """The proposal as what its step demands."""
    if not isinstance(proposal, kind):
        raise ProposalRefused("schema_invalid", f"The step needs a {kind.__name__}.")
    return proposal


def _confirm(stage: str) -> Option:
    return Option(
        id="confirm", label=_("Confirm and go on"), recommended=True, decision=closing(stage)
    )


def _cell(text: str) -> str:
    return " ".join(text.split())
