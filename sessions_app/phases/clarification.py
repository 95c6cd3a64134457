"""F1: the one ambiguity that changes the answer most, again and again until none is left."""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions_app.gate import Outcome
from sessions_app.phases import consequences, shared
from sessions_app.phases.base import Ask, Effects, Next, ProposalRefused, Shown, StageContext
from sessions_app.widgets.request import Draft, Option, UiRequest
from thoth.contracts.decisions import AmbiguityOpen, Decision, decision
from thoth.contracts.steps import (
    Ambiguity,
    Cannot,
    ClarifyOption,
    ClarifyProposal,
    Proposal,
    StepName,
)

KINDS = ("concept_clarified", "ambiguity_open")


def next_step(ctx: StageContext) -> Next:
    return Ask("clarify")


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Shown:
    """A question about the ambiguity, or the confirmation that none is left."""
    clarify = shared.expect(proposal, ClarifyProposal)
    decided = {row.subject for row in ctx.view.of_type(*KINDS)}
    if clarify.cannot is not None:
        if shared.cannot_subject(clarify.cannot) in decided:
            return Shown(_confirmation(ctx))
        return Shown(_cannot(clarify.cannot))
    if clarify.ambiguity is None:
        return Shown(_confirmation(ctx))
    if clarify.ambiguity.concept in decided:
        message = f"“{clarify.ambiguity.concept}” has been decided already."
        raise ProposalRefused("already_decided", message)
    return Shown(_question(ctx, clarify.ambiguity))


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    return Effects()


def _question(ctx: StageContext, ambiguity: Ambiguity) -> Draft:
    counts = consequences.counts(ctx.warehouse, [o.count_sql for o in ambiguity.options])
    options = [
        _reading(ctx, ambiguity, option, count)
        for option, count in zip(ambiguity.options, counts, strict=True)
    ]
    return Draft(
        widget="select" if ambiguity.exclusive else "multiselect",
        title=ambiguity.title,
        intro=ambiguity.why,
        options=(*options, _leave_open(ambiguity), shared.look_further()),
    )


def _reading(
    ctx: StageContext, ambiguity: Ambiguity, option: ClarifyOption, count: int | None
) -> Option:
    parts = [
        option.description,
        ", ".join(f"`{column}`" for column in option.columns),
        f"`{option.filter}`" if option.filter else "",
    ]
    kept = ctx.kept_choices or frozenset()
    return Option(
        id=option.id,
        label=option.label,
        description=" · ".join(part for part in parts if part),
        recommended=option.recommended,
        selected=not ambiguity.exclusive and option.id in kept,
        meta=consequences.meta(
            count=count,
            risk=option.risk,
            evidence=option.evidence_id,
            evidence_score=option.evidence_score,
            columns=list(option.columns),
        ),
        decision=decision(
            "concept_clarified",
            ambiguity.concept,
            option.clarification,
            detail=option.label,
            rationale=option.description or ambiguity.why,
        ),
    )


def _leave_open(ambiguity: Ambiguity) -> Option:
    return Option(
        id="leave_open",
        label=_("Leave this open"),
        alone=True,
        decision=_open(ambiguity.concept, ambiguity.title, ambiguity.risk),
    )


def _cannot(cannot: Cannot) -> Draft:
    go_on = Option(
        id="leave_open",
        label=_("Leave this open and go on"),
        decision=_open(shared.cannot_subject(cannot), cannot.message, cannot.code),
    )
    return shared.cannot_widget(cannot, go_on)


def _open(concept: str, undetermined: str, risk: str) -> Decision:
    payload = AmbiguityOpen(undetermined=undetermined, risk=risk)
    return decision("ambiguity_open", concept, payload, detail=_("left open: %s") % undetermined)


def _confirmation(ctx: StageContext) -> Draft:
    rows = ctx.view.of_type(*KINDS)
    if not rows:
        title, intro = _("No ambiguity found"), _("The question can be read in one way only.")
    else:
        title, intro = _("Nothing ambiguous is left"), _("This is how the question is understood.")
    return shared.confirmation(ctx, title=title, intro=intro, rows=rows)
