"""F7: the query itself, proved against the decisions, run once with a cap, approved by its hash."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.utils.translation import gettext as _

from sessions_app.gate import Outcome
from sessions_app.phases import consequences, shared
from sessions_app.phases.base import (
    Ask,
    Effects,
    Next,
    Present,
    Presented,
    ProposalRefused,
    Shown,
    StageContext,
)
from sessions_app.phases.report import Checked, checked, report_text
from sessions_app.types import Row
from sessions_app.warehouse import Departure
from sessions_app.widgets.request import Draft, Opens, Option, UiRequest, artifact_view, sha256_of
from thoth.contracts.decisions import (
    ConformanceOverridden,
    Decision,
    SqlApproved,
    SqlRejected,
    SqlRevised,
    decision,
)
from thoth.contracts.steps import FinalSqlProposal, Proposal, StepName
from thoth.lib.errors import Invalid

FILE = "sql_final.sql"
REPORT = "validation_report.md"
SUBJECT = "sql_final"
FINDINGS = "findings"


def next_step(ctx: StageContext) -> Next:
    """A reviewer's own text comes first with its findings; otherwise the model is asked."""
    if ctx.view.latest("sql_approved") is not None and not ctx.texts_of_stage:
        return Present("confirm", _kept)
    revised = _standing_revision(ctx)
    if revised is None or ctx.texts_of_stage:
        return Ask("final_sql")
    sql = ctx.content(str(revised.payload["sha256"]))
    return Present("sql_gate", partial(_reviewers_text, revised=revised, sql=sql))


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Presented:
    """The model's query. It must pass the guard and conform; only a reviewer may override."""
    final = shared.expect(proposal, FinalSqlProposal)
    if final.cannot is not None:
        return Shown(shared.cannot_widget(final.cannot, None))
    problem = ctx.warehouse.refusal(final.sql)
    if problem:
        raise ProposalRefused("sql_refused", problem)
    result = checked(ctx, final.sql)
    if result.findings:
        raise ProposalRefused("not_conformant", "; ".join(f.sentence for f in result.findings))
    return Shown(_gate(ctx, result, final.explanation, overridden=()))


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    """Approving writes the query and its report and closes the stage; revising stores the text."""
    if outcome.sql is not None:
        return _revision(ctx, outcome.sql)
    if "approve" not in outcome.chosen or request.artifact is None:
        return Effects()
    option = request.option("approve")
    report = str(option.meta.get("report", "")) if option else ""
    return Effects(
        artifacts=((FILE, request.artifact.text), (REPORT, report)),
        decisions=(shared.closing(ctx.stage.stage),),
    )


def closing_of_kept(ctx: StageContext) -> tuple[Decision, ...]:
    """A kept approval closes the stage as it did the first time."""
    kept = ctx.view.latest("sql_approved")
    return (shared.closing(ctx.stage.stage),) if kept is not None else ()


def _kept(ctx: StageContext) -> Shown:
    rows = ctx.view.of_type("sql_approved")[-1:]
    title, intro = _("The query stays as it was approved"), ""
    return Shown(shared.confirmation(ctx, title=title, intro=intro, rows=rows))


def _revision(ctx: StageContext, sql: str) -> Effects:
    problem = ctx.warehouse.refusal(sql)
    if problem:
        raise Invalid("sql_refused", problem)
    payload = SqlRevised(sha256=sha256_of(sql))
    revised = decision("sql_revised", SUBJECT, payload, detail=_("the reviewer's own text"))
    return Effects(contents=(sql,), decisions=(revised,))


def _standing_revision(ctx: StageContext) -> Row | None:
    last = ctx.view.latest("sql_revised", "sql_rejected")
    return last if last is not None and last.type == "sql_revised" else None


def _reviewers_text(ctx: StageContext, *, revised: Row, sql: str) -> Presented:
    result = checked(ctx, sql)
    overridden = tuple(
        row for row in ctx.view.of_type("conformance_overridden") if row.seq > revised.seq
    )
    known = {(row.subject, str(row.payload.get("node"))) for row in overridden}
    left = [f for f in result.findings if (f.rule, f.node) not in known]
    if left and not _asked_since(ctx, revised):
        return Shown(_findings(result, left))
    return Shown(_gate(ctx, result, "", overridden=overridden, blocking=left))


def _asked_since(ctx: StageContext, revised: Row) -> bool:
    numbers = {a.uid: a.number for a in ctx.history}
    since = numbers.get(revised.widget, 0)
    return any(a.number > since and _shows_findings(a.request) for a in ctx.history)


def _shows_findings(request: UiRequest) -> bool:
    return any(option.group == FINDINGS for option in request.options)


def _findings(result: Checked, left: list[Departure]) -> Draft:
    options = []
    for number, finding in enumerate(left, 1):
        payload = ConformanceOverridden(node=finding.node, reason=_("not given"))
        options.append(
            Option(
                id=f"finding{number}",
                label=finding.sentence,
                description=finding.fix,
                group=FINDINGS,
                decision=decision(
                    "conformance_overridden", finding.rule, payload, detail=finding.sentence
                ),
                opens=Opens(
                    widget="freetext",
                    title=_("Why is it right all the same?"),
                    into=("rationale", "payload.reason"),
                ),
            )
        )
    return Draft(
        widget="multiselect",
        title=_("Your text departs from what was decided"),
        intro=_(
            "Accept each departure that you mean, with a reason. The others block the approval."
        ),
        options=tuple(options),
        artifact=artifact_view("sql", FILE, "application/sql", result.sql),
        allow_empty=True,
    )


def _gate(
    ctx: StageContext,
    result: Checked,
    explanation: str,
    *,
    overridden: tuple[Row, ...],
    blocking: Sequence[Departure] = (),
) -> Draft:
    explained = ctx.warehouse.explain(result.sql)
    tested = ctx.warehouse.test(result.sql)
    report = report_text(result, explained, tested, overridden)
    sha256 = sha256_of(result.sql)
    approve = Option(
        id="approve",
        label=_("Approve"),
        recommended=True,
        meta=consequences.meta(count=tested.rows, preview=tested.preview, report=report),
        decision=decision(
            "sql_approved",
            SUBJECT,
            SqlApproved(sha256=sha256, conformance=result.summary(len(overridden))),
            detail=_("approved"),
        ),
    )
    options = [] if blocking or tested.error else [approve]
    problems = [_("Running it fails: %s") % tested.error] if tested.error else []
    if blocking:
        problems += [_("Departures that are not accepted block the approval.")]
        problems += ["\n".join(f"- {departure.sentence}" for departure in blocking)]
    return Draft(
        widget="artifact_gate",
        title=_("Is this the query?"),
        intro="\n\n".join([explanation, *problems]).strip(),
        options=(*options, _reject(sha256), _revise()),
        artifact=artifact_view("sql", FILE, "application/sql", result.sql),
    )


def _reject(sha256: str) -> Option:
    payload = SqlRejected(sha256=sha256)
    return shared.rejection(None, decision("sql_rejected", SUBJECT, payload, detail=_("rejected")))


def _revise() -> Option:
    return Option(
        id="revise",
        label=_("Change the text"),
        opens=Opens(widget="artifact", title=_("Your SQL")),
    )
