"""F6: named steps on the way to the query, each run and looked at before the next."""

from __future__ import annotations

import json
from functools import partial

from django.utils.translation import gettext as _

from sessions_app.documents import CtePlan
from sessions_app.gate import Outcome
from sessions_app.phases import consequences, shared
from sessions_app.phases.base import (
    Ask,
    AutoAdvance,
    Effects,
    Next,
    Present,
    Presented,
    ProposalRefused,
    Shown,
    StageContext,
)
from sessions_app.phases.cte_text import composed, plan_text, planned, with_draft
from sessions_app.warehouse import Tested
from sessions_app.widgets.request import Draft, Opens, Option, UiRequest, artifact_view, sha256_of
from thoth.contracts.decisions import CteApproved, CteRejected, PhaseSkipped, decision
from thoth.contracts.steps import CteDraft, CtePlanProposal, CteRewriteProposal, Proposal, StepName

PLAN = "cte_plan.json"
TESTS = "cte_tests.json"
GATE = "cte_gate"


def next_step(ctx: StageContext) -> Next:
    """Plan, then per step: gate, or write it again after a rejection; then the confirmation."""
    plan = planned(ctx.artifacts.get(PLAN))
    if _skipped(ctx):
        return AutoAdvance(_("The reviewer wanted no intermediate steps."))
    if plan is None or _wants_another_plan(ctx):
        return Ask("plan_ctes")
    if not plan.ctes:
        return AutoAdvance(_("No intermediate steps are needed."))
    return _next_of_plan(ctx, plan)


def _next_of_plan(ctx: StageContext, plan: CtePlan) -> Next:
    for draft in plan.ctes:
        state = _state(ctx, draft)
        if state == "approved":
            continue
        if state == "rejected" or _gate_answered_in_words(ctx):
            return Ask("rewrite_cte", target=draft.name)
        return Present(GATE, partial(_gate, plan=plan, draft=draft))
    return Present("confirm", _confirm)


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Presented:
    """The gate of the first step of a new plan, or of the step that was written again."""
    if proposal.cannot is not None:
        return Shown(shared.cannot_widget(proposal.cannot, _skip_option(ctx)))
    if isinstance(proposal, CtePlanProposal):
        return _present_plan(ctx, proposal)
    if isinstance(proposal, CteRewriteProposal):
        return _present_rewrite(ctx, proposal)
    raise ProposalRefused("schema_invalid", f"The step {step} needs another kind of proposal.")


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    """Approving a step writes its file and its test record."""
    approved = [w.decision for w in outcome.written if w.decision.type == "cte_approved"]
    if not approved or request.artifact is None:
        return Effects()
    chosen = approved[0]
    tests = json.loads(ctx.artifacts.get(TESTS, "{}"))
    tests[chosen.subject] = chosen.payload.get("tests", {})
    record = json.dumps(tests, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    name = f"ctes/{chosen.subject}.sql"
    return Effects(artifacts=((name, request.artifact.text), (TESTS, record)))


def _present_plan(ctx: StageContext, proposal: CtePlanProposal) -> Presented:
    plan = CtePlan(ctes=proposal.ctes)
    names = [draft.name for draft in plan.ctes]
    if len(set(names)) != len(names):
        raise ProposalRefused("cte_name_twice", "Two steps of the plan have the same name.")
    if not plan.ctes:
        # An empty plan is a plan: without its document nobody knows that it was made.
        reason = _("No intermediate steps are needed.")
        return AutoAdvance(reason, artifacts=((PLAN, plan_text(plan)),))
    for number in range(1, len(plan.ctes) + 1):
        _refuse_unsafe(ctx, CtePlan(ctes=plan.ctes[:number]))
    shown = _gate(ctx, plan=plan, draft=plan.ctes[0])
    return Shown(shown.draft, artifacts=((PLAN, plan_text(plan)),))


def _present_rewrite(ctx: StageContext, proposal: CteRewriteProposal) -> Presented:
    plan = planned(ctx.artifacts.get(PLAN))
    if plan is None or proposal.cte is None:
        raise ProposalRefused("schema_invalid", "The step must be written again.")
    known = [draft for draft in plan.ctes if draft.name == proposal.cte.name]
    if not known:
        raise ProposalRefused("cte_unknown", f"The plan has no step {proposal.cte.name}.")
    if known[0].sql == proposal.cte.sql and _state(ctx, known[0]) == "rejected":
        raise ProposalRefused("unchanged_after_text", "The step is what was rejected before.")
    changed = with_draft(plan, proposal.cte)
    _refuse_unsafe(ctx, changed)
    shown = _gate(ctx, plan=changed, draft=proposal.cte)
    return Shown(shown.draft, artifacts=((PLAN, plan_text(changed)),))


def _refuse_unsafe(ctx: StageContext, plan: CtePlan) -> None:
    last = plan.ctes[-1]
    problem = ctx.warehouse.refusal(composed(plan, last.name))
    if problem:
        raise ProposalRefused("sql_refused", f"{last.name}: {problem}")


def _gate(ctx: StageContext, *, plan: CtePlan, draft: CteDraft) -> Shown:
    sql = composed(plan, draft.name)
    explained = ctx.warehouse.explain(sql)
    tested = ctx.warehouse.test(sql, "cte_test")
    first = draft.name == plan.ctes[0].name
    options = [_approve(draft, tested, explained.total_cost), _reject(draft)]
    options += [_skip_option(ctx), _other_plan()] if first else []
    return Shown(
        Draft(
            widget="artifact_gate",
            title=_("Step “%s”") % draft.name,
            intro=_intro(plan, draft, tested),
            options=tuple(option for option in options if option),
            artifact=artifact_view("cte", f"ctes/{draft.name}.sql", "application/sql", draft.sql),
        )
    )


def _approve(draft: CteDraft, tested: Tested, cost: float) -> Option | None:
    """No approval without a test: a step that fails can only be rejected."""
    if tested.error:
        return None
    tests = {
        "rows": str(tested.rows),
        "truncated": "yes" if tested.truncated else "no",
        "columns": ", ".join(tested.columns),
        "estimated_cost": f"{cost:.0f}",
    }
    payload = CteApproved(sha256=sha256_of(draft.sql), tests=tests)
    return Option(
        id="approve",
        label=_("Approve"),
        recommended=True,
        meta=consequences.meta(count=tested.rows, preview=tested.preview),
        decision=decision("cte_approved", draft.name, payload, detail=draft.purpose),
    )


def _reject(draft: CteDraft) -> Option:
    payload = CteRejected(sha256=sha256_of(draft.sql))
    rejected = decision("cte_rejected", draft.name, payload, detail=draft.purpose)
    return shared.rejection(_("Reject this step"), rejected)


def _skip_option(ctx: StageContext) -> Option:
    reason = _("no steps, go to SQL")
    return Option(
        id="skip",
        label=_("No steps, go to SQL"),
        decision=decision(
            "phase_skipped", f"phase:{ctx.phase}", PhaseSkipped(reason=reason), detail=reason
        ),
    )


def _other_plan() -> Option:
    return Option(
        id="replan",
        label=_("Another plan"),
        opens=Opens(
            widget="freetext", title=_("How should it be divided?"), text_kind="look_further"
        ),
    )


def _intro(plan: CtePlan, draft: CteDraft, tested: Tested) -> str:
    steps = [
        f"{n}. **{c.name}**: {c.purpose}" if c.name == draft.name else f"{n}. {c.name}: {c.purpose}"
        for n, c in enumerate(plan.ctes, 1)
    ]
    columns = [f"- `{name}`: {comment}" for name, comment in draft.columns.items()]
    problem = [_("It fails: %s") % tested.error] if tested.error else []
    return "\n\n".join(["\n".join(steps), "\n".join(columns), *problem]).strip()


def _state(ctx: StageContext, draft: CteDraft) -> str:
    last = ctx.view.latest("cte_approved", "cte_rejected", subject=draft.name)
    if last is None or last.payload.get("sha256") != sha256_of(draft.sql):
        return "pending"
    return "approved" if last.type == "cte_approved" else "rejected"


def _skipped(ctx: StageContext) -> bool:
    return ctx.view.latest("phase_skipped", subject=f"phase:{ctx.phase}") is not None


def _open_activities(ctx: StageContext) -> set[str]:
    return {ctx.activity_of_text(text.id) for text in ctx.texts}


def _wants_another_plan(ctx: StageContext) -> bool:
    last = ctx.last
    asked = last is not None and (last.chosen == ("replan",) or last.activity == "confirm")
    return asked and bool(_open_activities(ctx) - {""})


def _gate_answered_in_words(ctx: StageContext) -> bool:
    return bool(_open_activities(ctx) & {GATE, "plan_ctes", "rewrite_cte"})


def _confirm(ctx: StageContext) -> Shown:
    rows = ctx.view.of_type("cte_approved")
    draft = shared.confirmation(
        ctx,
        title=_("All steps are approved"),
        intro=_("The query will be made of them."),
        rows=rows,
    )
    return Shown(draft)
