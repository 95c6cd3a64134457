"""F2: clarifications of earlier sessions that may hold here too. Nothing is applied by itself."""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions_app.gate import Outcome
from sessions_app.phases import shared
from sessions_app.phases.base import (
    AutoAdvance,
    Effects,
    Next,
    Present,
    Presented,
    Shown,
    StageContext,
)
from sessions_app.widgets.request import Draft, Opens, Option, UiRequest
from thoth.contracts.decisions import ConceptClarified, decision
from thoth.contracts.steps import Proposal, StepName
from thoth.contracts.tools import MemoryHit


def next_step(ctx: StageContext) -> Next:
    return Present("memory", _build)


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Presented:
    raise LookupError("the memory stage asks no model")


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    """The checklist's answer closes the stage; the reviewer's own words do not."""
    if outcome.control is not None:
        return Effects()
    return Effects(decisions=(shared.closing(ctx.stage.stage),))


def _build(ctx: StageContext) -> Presented:
    decided = {row.subject for row in ctx.view.of_type("concept_clarified")}
    hits = [h for h in ctx.warehouse.memory(ctx.session.question) if h.subject not in decided]
    if not hits:
        return AutoAdvance(_("No remembered clarification applies."))
    return Shown(
        Draft(
            widget="multiselect",
            title=_("Do these earlier clarifications hold here?"),
            intro=_("Tick what applies; leave the rest for now."),
            options=tuple(_option(hit, ctx.kept_choices or frozenset()) for hit in hits),
            allow_empty=True,
        )
    )


def _option(hit: MemoryHit, kept: frozenset[str]) -> Option:
    return Option(
        id=hit.id,
        label=hit.subject,
        description=hit.detail,
        selected=hit.id in kept,
        meta={"provenance": [hit.id], "signals": {"similarity": f"{hit.score:.3f}"}},
        decision=decision(
            "concept_clarified",
            hit.subject,
            ConceptClarified(definition=hit.detail, memory_id=hit.id),
            detail=hit.detail,
            rationale=f"{hit.id}: {hit.rationale}",
        ),
        opens=Opens(
            widget="freetext",
            title=_("Edit it for this session"),
            into=("detail", "payload.definition"),
            optional=True,
        ),
    )
