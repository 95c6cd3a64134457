"""F8: what becomes of the result. The answer, the closing row and evidence.json are one transaction."""

from __future__ import annotations

import json

from django.utils.translation import gettext as _

from sessions_app.gate import Outcome
from sessions_app.phases import shared
from sessions_app.phases.base import Effects, Next, Present, Presented, Shown, StageContext
from sessions_app.widgets.request import Draft, Opens, Option, UiRequest
from thoth.contracts.decisions import DatamartDeclined, DatamartRequested, decision
from thoth.contracts.steps import Proposal, StepName

FILE = "evidence.json"
FORMS = (("csv", "CSV"), ("xlsx", "Excel (XLSX)"), ("dbt", "dbt"))


def next_step(ctx: StageContext) -> Next:
    return Present("datamart", _build)


def present(ctx: StageContext, step: StepName, proposal: Proposal) -> Presented:
    raise LookupError("the closure asks no model")


def on_answer(ctx: StageContext, request: UiRequest, outcome: Outcome) -> Effects:
    """The datamart decision finalises the session."""
    if outcome.control is not None:
        return Effects()
    return Effects(
        artifacts=((FILE, evidence_text(ctx)),), decisions=(shared.closing(ctx.stage.stage),)
    )


def evidence_text(ctx: StageContext) -> str:
    """evidence.json: which Evidence was accepted or rejected, and what decisions rest on it."""
    entries: dict[str, dict[str, object]] = {}
    for row in ctx.view.of_type("evidence_accepted", "evidence_rejected"):
        entries[row.subject] = {
            "status": row.type.removeprefix("evidence_"),
            "generation": row.payload.get("generation", ""),
            "stage": row.payload.get("stage", row.stage),
            "decisions": [],
        }
    for row in ctx.view.decisions:
        cited = row.payload.get("evidence_id")
        if cited:
            entry = entries.setdefault(str(cited), {"status": "cited", "decisions": []})
            entry["decisions"] = [*_list(entry["decisions"]), row.seq]
    value = {"session": ctx.session.id, "question": ctx.session.question, "evidence": entries}
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _build(ctx: StageContext) -> Presented:
    columns = identifying_columns(ctx)
    decline = Option(
        id="decline",
        label=_("No, the answer is enough"),
        recommended=True,
        decision=decision(
            "datamart_declined", "datamart", DatamartDeclined(), detail=_("declined")
        ),
    )
    forms = [_form(form, label, columns) for form, label in FORMS]
    return Shown(
        Draft(
            widget="select",
            title=_("Should the result become a datamart?"),
            intro=_intro(ctx, columns),
            options=(decline, *forms),
        )
    )


def identifying_columns(ctx: StageContext) -> tuple[str, ...]:
    """Promoted columns that identify a person, sorted."""
    catalog = ctx.warehouse.catalog
    found = [name for name in ctx.decided.columns if (c := catalog.column(name)) and c.identifying]
    return tuple(sorted(found))


def _form(form: str, label: str, columns: tuple[str, ...]) -> Option:
    payload = DatamartRequested.model_validate({"form": form})
    return Option(
        id=form,
        label=label,
        description=_("The request is recorded; nothing is built yet."),
        decision=decision("datamart_requested", "datamart", payload, detail=label),
        opens=_pseudonyms(columns) if columns else None,
    )


def _pseudonyms(columns: tuple[str, ...]) -> Opens:
    """The confirmation that identifying columns need before anything leaves."""
    return Opens(
        widget="multiselect",
        title=_("Replace these identifying columns by pseudonyms"),
        options=tuple(Option(id=name, label=name, selected=True) for name in columns),
        into=("payload.pseudonymised",),
    )


def _intro(ctx: StageContext, columns: tuple[str, ...]) -> str:
    parts = [_("After this answer the session is closed and can only be read.")]
    if columns:
        parts.append(_("It holds columns that identify persons: %s") % ", ".join(columns))
    if ctx.texts:
        parts.append(_("Your words that no step has taken up:"))
        parts += [f"- {text.id}: «{text.text}»" for text in ctx.texts]
    return "\n\n".join(parts)


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []
