"""F4, values: what each cited literal means in the data.

Obvious ones stand together in one checklist; every other literal is a question of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from sessions_app.gate import checked_at
from sessions_app.phases import consequences, linking_state, shared
from sessions_app.phases.base import ProposalRefused, StageContext
from sessions_app.widgets.request import Draft, Option
from thoth.contracts.decisions import (
    Decision,
    Grounding,
    ValueAbsent,
    ValueGrounded,
    decision,
)
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import GroundingOption, GroundingProposal, LiteralGrounding
from thoth.lib.clock import now


def widget(ctx: StageContext, intent: QueryIntent, proposal: GroundingProposal) -> Draft:
    """The checklist of obvious literals, or the question about the first other one."""
    pending = linking_state.pending_literals(intent, ctx.view)
    found = [item for item in proposal.literals if item.literal in pending]
    missing = pending.keys() - {item.literal for item in found}
    if missing:
        message = "Nothing is said about: " + ", ".join(sorted(missing))
        raise ProposalRefused("literal_missing", message)
    for item in found:
        _check_columns(ctx, item)
    refused = _asked_before(ctx)
    obvious = [x for x in found if x.obvious and len(x.options) == 1 and x.literal not in refused]
    if obvious:
        return _checklist(ctx, obvious, pending)
    return _question(ctx, found[0], pending[found[0].literal])


def _asked_before(ctx: StageContext) -> frozenset[str]:
    """Literals whose line in a checklist was not ticked: they get a question of their own."""
    return frozenset(
        option.decision.subject
        for answered in ctx.history
        if answered.activity == "ground_values"
        for option in answered.request.options
        if option.decision is not None
    )


def _check_columns(ctx: StageContext, item: LiteralGrounding) -> None:
    for option in item.options:
        for grounding in option.groundings:
            column = ctx.warehouse.catalog.column(grounding.column)
            if column is None or column.hidden:
                raise ProposalRefused("unknown_column", f"There is no column {grounding.column}.")


def _checklist(
    ctx: StageContext, items: list[LiteralGrounding], pending: Mapping[str, tuple[str, ...]]
) -> Draft:
    options = []
    for number, item in enumerate(items, 1):
        built = _option(ctx, item, item.options[0], pending[item.literal])
        label = f"«{item.literal}»: {built.label}"
        options.append(
            built.model_copy(update={"id": f"v{number}", "label": label, "selected": True})
        )
    return Draft(
        widget="multiselect",
        title=_("Are these values what you mean?"),
        intro=_("Each was found exactly in one column. What you untick is asked on its own."),
        options=tuple(options),
        allow_empty=True,
    )


def _question(ctx: StageContext, item: LiteralGrounding, serves: tuple[str, ...]) -> Draft:
    if not item.options:
        return _not_found(item, serves)
    kept = ctx.kept_choices or frozenset()
    options = [_option(ctx, item, option, serves) for option in item.options]
    if not item.exclusive:
        options = [o.model_copy(update={"selected": o.id in kept}) for o in options]
    absent = _absent(item, serves, _("None of these: record that this value is not in the data"))
    return Draft(
        widget="select" if item.exclusive else "multiselect",
        title=_("What does «%s» mean in the data?") % item.literal,
        intro=item.why,
        options=(*options, absent, shared.look_further()),
    )


def _option(
    ctx: StageContext, item: LiteralGrounding, option: GroundingOption, serves: tuple[str, ...]
) -> Option:
    meta = consequences.of_grounding(ctx.warehouse, option.groundings, option.combine)
    count = meta.get("count")
    description = option.description
    if count == 0:
        description = f"{description} {_('The source holds no such row now.')}".strip()
    return Option(
        id=option.id,
        label=option.label,
        description=description,
        recommended=option.recommended,
        alone=option.combine == "all" and len(option.groundings) > 1,
        meta={**meta, "signals": _signals(option)},
        decision=_grounded(item, option, serves, count if isinstance(count, int) else None),
    )


def _grounded(
    item: LiteralGrounding, option: GroundingOption, serves: tuple[str, ...], count: int | None
) -> Decision:
    groundings = option.groundings
    if count is not None and len(groundings) == 1:
        groundings = (groundings[0].model_copy(update={"rows": count}),)
    others = [g for other in item.options if other.id != option.id for g in other.groundings]
    payload = ValueGrounded(
        groundings=groundings, combine=option.combine, runners_up=tuple(others), serves=serves
    )
    made = decision(
        "value_grounded", item.literal, payload, detail=option.label, rationale=item.why
    )
    return checked_at(made, now()) if count is not None else made


def _not_found(item: LiteralGrounding, serves: tuple[str, ...]) -> Draft:
    searched = ", ".join(f"`{column}`" for column in item.searched)
    nearest = ", ".join(f"«{value}»" for value in item.nearest)
    lines = [item.why]
    lines += [_("Searched: %s") % searched] if searched else []
    lines += [_("Nearest values: %s") % nearest] if nearest else []
    absent = _absent(item, serves, _("Record that it is not in the data"))
    return Draft(
        widget="select",
        title=_("«%s» is not in the data") % item.literal,
        intro="\n\n".join(line for line in lines if line),
        options=(shared.say_otherwise(), absent),
    )


def _absent(item: LiteralGrounding, serves: tuple[str, ...], label: str) -> Option:
    payload = ValueAbsent(searched=item.searched, nearest=item.nearest, serves=serves)
    return Option(
        id="absent",
        label=label,
        alone=True,
        decision=decision("value_absent", item.literal, payload, detail=_("not in the data")),
    )


def _signals(option: GroundingOption) -> dict[str, str]:
    return {g.column: _signal(g) for g in option.groundings}


def _signal(grounding: Grounding) -> str:
    return " ".join(part for part in (grounding.method, grounding.score) if part)
