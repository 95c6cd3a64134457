"""F4: values, formulas, tables and columns, joins: one after the other, each reviewed.

What is still pending follows from the intent and the ledger, so that going back, answering again
and new texts need no bookkeeping of their own.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions_app.gate import Outcome
from sessions_app.phases import formulas, grounding, linking_state, links, shared
from sessions_app.phases.base import (
    Ask,
    Effects,
    Next,
    Present,
    ProposalRefused,
    Shown,
    StageContext,
)
from sessions_app.types import Row
from sessions_app.widgets.request import Draft, Option, UiRequest
from thoth.contracts.decisions import ConceptFormulaRejected, decision
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import (
    Cannot,
    FormulaProposal,
    GroundingProposal,
    JoinsProposal,
    LinkProposal,
    Proposal,
    StepName,
)


def next_step(ctx: StageContext) -> Next:
    """The first activity with something pending; then the confirmation."""
    intent = required_intent(ctx)
    if linking_state.pending_literals(intent, ctx.view):
        return Ask("ground_values")
    if linking_state.pending_concepts(intent, ctx.view):
        return Ask("formulas")
    if linking_state.tables_pending(ctx.view) or _texts_after_all(ctx):
        return Ask("link_schema")
    if linking_state.unconnected(ctx.decided.tables, ctx.decided.joins):
        return Ask("link_joins")
    return Present("confirm", _confirm)


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Shown:
    """The widget of one activity."""
    if proposal.cannot is not None:
        return Shown(shared.cannot_widget(proposal.cannot, _go_on(ctx, step, proposal.cannot)))
    if isinstance(proposal, GroundingProposal):
        return Shown(grounding.widget(ctx, required_intent(ctx), proposal))
    if isinstance(proposal, FormulaProposal):
        return Shown(formulas.widget(ctx, required_intent(ctx), proposal))
    if isinstance(proposal, LinkProposal):
        return Shown(links.tables_widget(ctx, proposal))
    if isinstance(proposal, JoinsProposal):
        return Shown(links.joins_widget(ctx, proposal))
    raise ProposalRefused("schema_invalid", f"The step {step} needs another kind of proposal.")


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    """A formula that the reviewer wrote becomes a decision once it is checked."""
    if outcome.sql is None:
        return Effects()
    return Effects(decisions=(formulas.reviewers_own(ctx, request, outcome.sql),))


def required_intent(ctx: StageContext) -> QueryIntent:
    """The approved intent. F3 cannot have closed without it."""
    if ctx.intent is None:
        raise LookupError("schema linking needs the approved intent")
    return ctx.intent


def _texts_after_all(ctx: StageContext) -> bool:
    """Did the reviewer answer the confirmation in their own words? Then linking starts over."""
    return any(ctx.activity_of_text(text.id) == "confirm" for text in ctx.texts)


def _go_on(ctx: StageContext, step: StepName, cannot: Cannot) -> Option | None:
    """Going on without: only where the ledger has a word for it."""
    pending = linking_state.pending_concepts(required_intent(ctx), ctx.view)
    if step != "formulas" or not pending:
        return None
    concept = next(iter(pending))
    return Option(
        id="leave_open",
        label=_("Leave this without a formula and go on"),
        decision=decision(
            "concept_formula_rejected", concept, ConceptFormulaRejected(), detail=cannot.message
        ),
    )


def _confirm(ctx: StageContext) -> Shown:
    missing = linking_state.unserved(required_intent(ctx), ctx.decided)
    rows = [row for row in ctx.view.decisions if row.stage == ctx.stage.stage]
    return Shown(_confirmation(ctx, missing, rows))


def _confirmation(ctx: StageContext, missing: tuple[str, ...], rows: list[Row]) -> Draft:
    if missing:
        title = _("Parts of the question have nothing in the schema yet")
        intro = _("Say how they are to be found, or go back. Not served:")
    else:
        title = _("The schema is linked")
        intro = _("Every part of the question has its place in the warehouse.")
    return shared.confirmation(ctx, title=title, intro=intro, rows=rows, open_=missing)
