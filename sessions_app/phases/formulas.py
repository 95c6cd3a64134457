"""F4, formulas: what a calculated concept is in SQL, approved by the reviewer or written by them."""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions_app.phases import consequences, linking_state, shared
from sessions_app.phases.base import ProposalRefused, StageContext
from sessions_app.widgets.request import Draft, Opens, Option, UiRequest, artifact_view
from thoth.contracts.decisions import ConceptFormulaApproved, Decision, decision
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import FormulaOption, FormulaProposal

OWN = "own"


def widget(ctx: StageContext, intent: QueryIntent, proposal: FormulaProposal) -> Draft:
    """One formula as a gate, several as a choice; both with the reviewer's own as a way out."""
    pending = linking_state.pending_concepts(intent, ctx.view)
    if proposal.concept not in pending:
        raise ProposalRefused("concept_unknown", f"No formula is needed for “{proposal.concept}”.")
    if not proposal.options:
        raise ProposalRefused("schema_invalid", "A formula needs at least one option.")
    serves = pending[proposal.concept]
    options = [_option(ctx, proposal, option, serves) for option in proposal.options]
    single = len(options) == 1
    return Draft(
        widget="artifact_gate" if single else "select",
        title=_("How is «%s» calculated?") % proposal.concept,
        options=(*options, _own(ctx, proposal, serves), shared.rejection()),
        artifact=artifact_view("formula", "formula.sql", "application/sql", proposal.options[0].sql)
        if single
        else None,
    )


def reviewers_own(ctx: StageContext, request: UiRequest, sql: str) -> Decision:
    """The decision for a formula that the reviewer wrote. Raises: Invalid of the SQL guard."""
    option = request.option(OWN)
    template = option.meta if option else {}
    columns = ctx.warehouse.expression_columns(sql)
    payload = ConceptFormulaApproved(
        sql=sql,
        columns=columns,
        source="reviewer",
        serves=tuple(str(item) for item in _list(template.get("serves"))),
    )
    concept = str(template.get("concept", ""))
    return decision("concept_formula_approved", concept, payload, detail=sql)


def _option(
    ctx: StageContext, proposal: FormulaProposal, option: FormulaOption, serves: tuple[str, ...]
) -> Option:
    columns = ctx.warehouse.try_expression(option.sql)
    if isinstance(columns, str):
        raise ProposalRefused("formula_refused", f"{option.label}: {columns}")
    payload = ConceptFormulaApproved(
        sql=option.sql,
        columns=tuple(dict.fromkeys((*option.columns, *columns))),
        source=option.source,
        evidence_id=option.evidence_id,
        findings=option.findings,
        serves=tuple(dict.fromkeys((*serves, *proposal.serves))),
    )
    parts = [f"`{option.sql}`", option.explanation, *option.findings]
    return Option(
        id=option.id,
        label=option.label,
        description=" · ".join(part for part in parts if part),
        recommended=option.recommended,
        meta=consequences.meta(evidence=option.evidence_id, risk=", ".join(option.findings)),
        decision=decision(
            "concept_formula_approved",
            proposal.concept,
            payload,
            detail=option.sql,
            rationale=option.explanation,
        ),
    )


def _own(ctx: StageContext, proposal: FormulaProposal, serves: tuple[str, ...]) -> Option:
    return Option(
        id=OWN,
        label=_("Write the formula"),
        description=_("One SQL expression over columns written schema.table.column."),
        meta={"concept": proposal.concept, "serves": list(serves)},
        opens=Opens(widget="artifact", title=_("SQL expression")),
    )


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
