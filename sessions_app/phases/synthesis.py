"""F5: everything F4 decided, compiled into one document without any model, for a last look."""

from __future__ import annotations

import json

from django.utils.translation import gettext as _

from sessions_app.decided import open_questions
from sessions_app.documents import Candidate, SchemaLinking
from sessions_app.gate import Outcome
from sessions_app.phases import linking_state, shared
from sessions_app.phases.base import Effects, Next, Present, Presented, Shown, StageContext
from sessions_app.phases.conditions import table_of
from sessions_app.view import EffectiveView
from sessions_app.widgets.request import Draft, Option, UiRequest, artifact_view
from thoth.contracts.steps import Proposal, StepName
from thoth.contracts.task import DecidedSlice

FILE = "schema_linking.json"


def next_step(ctx: StageContext) -> Next:
    return Present("synthesis", _build)


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Presented:
    raise LookupError("the synthesis asks no model")


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    """Approving writes the document; the closing row is the option's own decision."""
    if "approve" not in outcome.chosen or request.artifact is None:
        return Effects()
    return Effects(artifacts=((FILE, request.artifact.text),))


def compile_linking(view: EffectiveView, decided: DecidedSlice) -> SchemaLinking:
    """The document for these decisions: the same ones always give the same document.

    A grounded value stands with each table that holds one of its columns. Raises
    pydantic.ValidationError when no table is promoted.
    """
    candidates = tuple(
        Candidate(
            table=name,
            decision=decision,
            columns={
                column.rpartition(".")[2]: payload
                for column, payload in sorted(decided.columns.items())
                if table_of(column) == name
            },
            grounded_values={
                literal: payload
                for literal, payload in sorted(decided.groundings.items())
                if any(table_of(item.column) == name for item in payload.groundings)
            },
        )
        for name, decision in sorted(decided.tables.items())
    )
    return SchemaLinking(
        candidates=candidates,
        joins=dict(sorted(decided.joins.items())),
        exclusions=tuple(sorted(decided.excluded_tables)),
        concept_formulas=dict(sorted(decided.formulas.items())),
        absent_values=dict(sorted(decided.absent.items())),
        open_questions=dict(sorted(open_questions(view).items())),
    )


def linking_text(linking: SchemaLinking) -> str:
    """The document's one text: indented JSON with sorted keys and a final line end."""
    value = linking.model_dump(mode="json")
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _build(ctx: StageContext) -> Presented:
    linking = compile_linking(ctx.view, ctx.decided)
    left = linking_state.unconnected(ctx.decided.tables, ctx.decided.joins)
    notes = [_("Not connected: %s") % ", ".join(left)] if left else []
    notes += (
        [_("Left open: %s") % ", ".join(linking.open_questions)] if linking.open_questions else []
    )
    approve = Option(
        id="approve",
        label=_("Confirm and go on"),
        recommended=True,
        decision=shared.closing(ctx.stage.stage),
    )
    return Shown(
        Draft(
            widget="artifact_gate",
            title=_("Is this the part of the warehouse that the question needs?"),
            intro="\n\n".join(notes),
            options=(approve,),
            artifact=artifact_view(
                "schema_linking", FILE, "application/json", linking_text(linking)
            ),
        )
    )
