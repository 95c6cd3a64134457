"""F3: the question in full, with the intent that everything after it follows."""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions_app.gate import Outcome
from sessions_app.phases import shared
from sessions_app.phases.base import (
    Ask,
    Effects,
    Next,
    Present,
    ProposalRefused,
    Shown,
    StageContext,
)
from sessions_app.phases.question_text import question_document
from sessions_app.widgets.request import Draft, Opens, Option, UiRequest, artifact_view
from thoth.contracts.decisions import Decision, QuestionRewritten, decision
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import Proposal, Reopen, RewriteProposal, StepName

FILE = "question.md"


def next_step(ctx: StageContext) -> Next:
    if ctx.view.latest("question_rewritten") is not None and not ctx.texts:
        return Present("confirm", _kept)
    return Ask("rewrite")


def closing_of_kept(ctx: StageContext) -> tuple[Decision, ...]:
    """A kept rewriting closes the stage as approving it did."""
    kept = ctx.view.latest("question_rewritten")
    return (shared.closing(ctx.stage.stage),) if kept is not None else ()


def _kept(ctx: StageContext) -> Shown:
    """In a phase of several stages the kept rewriting waits for the stages before it."""
    rows = ctx.view.of_type("question_rewritten")[-1:]
    title, intro = _("The question stays as it was rewritten"), ""
    return Shown(shared.confirmation(ctx, title=title, intro=intro, rows=rows))


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Shown:
    """The rewriting to approve, or the proposal to go back for an ambiguity found only now."""
    rewrite = shared.expect(proposal, RewriteProposal)
    if rewrite.cannot is not None:
        return Shown(shared.cannot_widget(rewrite.cannot, None))
    if rewrite.reopen is not None:
        return Shown(_reopen(ctx, rewrite.reopen))
    if rewrite.intent is None or not rewrite.text.strip():
        raise ProposalRefused("schema_invalid", "A rewriting needs a text and an intent.")
    _check_intent(rewrite.intent)
    return Shown(_gate(ctx, rewrite, rewrite.intent))


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    """Approving the rewriting writes question.md and closes the stage."""
    if not any(item.decision.type == "question_rewritten" for item in outcome.written):
        return Effects()
    text = request.artifact.text if request.artifact else ""
    return Effects(artifacts=((FILE, text),), decisions=(shared.closing(ctx.stage.stage),))


def _gate(ctx: StageContext, rewrite: RewriteProposal, intent: QueryIntent) -> Draft:
    text = question_document(ctx, rewrite, intent)
    payload = QuestionRewritten(text=rewrite.text, intent=intent, assumptions=rewrite.assumptions)
    approve = Option(
        id="approve",
        label=_("Approve"),
        recommended=True,
        decision=decision("question_rewritten", "question", payload, detail=rewrite.text),
    )
    return Draft(
        widget="artifact_gate",
        title=_("Is this the question?"),
        intro=_("Everything that follows keeps to this text and its numbered parts."),
        options=(approve, shared.rejection()),
        artifact=artifact_view("question", FILE, shared.MARKDOWN, text),
    )


def _reopen(ctx: StageContext, reopen: Reopen) -> Draft:
    index = ctx.workflow.phase_index
    if reopen.phase not in index or index[reopen.phase] > index[ctx.phase]:
        raise ProposalRefused("reopening_later_phase", f"{reopen.phase} cannot be reopened here.")
    stay = Option(
        id="stay",
        label=_("Stay here and explain"),
        opens=Opens(widget="freetext", title=_("What do you mean?"), text_kind="look_further"),
    )
    back = shared.reopening(reopen.phase, reopen.reason, _("Go back to %s") % reopen.phase)
    return Draft(
        widget="select",
        title=_("Something earlier has to be settled first"),
        intro=reopen.reason,
        options=(back, stay),
    )


def _check_intent(intent: QueryIntent) -> None:
    """References inside the intent must lead somewhere, or nothing later can follow it."""
    ids = set(intent.ids())
    measures = {m.id for m in intent.measures}
    wanted = [(o.id, o.of) for o in intent.output] + [("order", o.by) for o in intent.order]
    wanted += [(m.id, w) for m in intent.measures for w in m.when]
    wanted += [(m.id, x) for m in intent.measures for x in (m.numerator, m.denominator) if x]
    wanted += [(f.id, f.within) for f in intent.filters if f.within]
    wanted += [("limit_per", intent.limit_per)] if intent.limit_per else []
    dangling = [f"{owner} → {target}" for owner, target in wanted if target not in ids]
    dangling += [f.id for f in intent.filters if f.role == "having" and f.subject not in measures]
    if len(ids) != _size(intent):
        raise ProposalRefused("intent_invalid", "An id of the intent is used twice.")
    if dangling:
        raise ProposalRefused(
            "intent_invalid", "The intent refers to nothing: " + ", ".join(dangling)
        )


def _size(intent: QueryIntent) -> int:
    parts = (intent.measures, intent.dimensions, intent.filters)
    return sum(len(part) for part in parts) + (1 if intent.period else 0)
