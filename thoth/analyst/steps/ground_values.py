"""F4: what each cited literal means in the data."""

from __future__ import annotations

from thoth.analyst.reading.reading import LiteralUse
from thoth.analyst.steps.base import Work
from thoth.contracts.decisions import Grounding
from thoth.contracts.steps import GroundingOption, GroundingProposal, LiteralGrounding

_OPTIONS_MAX = 6


def propose(work: Work) -> GroundingProposal:
    if work.unclear is not None:
        return GroundingProposal(addressed=work.addressed, cannot=work.unclear)
    if work.reading is None:
        return GroundingProposal(addressed=work.addressed, cannot=work.problem())
    decided = work.task.decided
    open_ = [
        u
        for u in work.reading.literals
        if not _decided(u, decided.groundings.keys() | decided.absent.keys())
    ]
    return GroundingProposal(
        addressed=work.addressed, literals=tuple(_grounding(work, use) for use in open_)
    )


def _decided(use: LiteralUse, subjects: set[str]) -> bool:
    return use.literal in subjects


def _grounding(work: Work, use: LiteralUse) -> LiteralGrounding:
    options = [_option(work, use.groundings, recommended=True)]
    options += [_option(work, (other,), recommended=False) for other in use.alternatives]
    unique = {o.id: o for o in reversed(options)}
    ordered = sorted(unique.values(), key=lambda o: (not o.recommended, o.id))[:_OPTIONS_MAX]
    exact = all(g.method in ("exact", "normalised", "value", "calendar") for g in use.groundings)
    return LiteralGrounding(
        literal=use.literal,
        serves=(use.serves,),
        obvious=exact and len(ordered) == 1,
        exclusive=True,
        options=tuple(ordered),
        why=_why(work, use),
    )


def _option(work: Work, groundings: tuple[Grounding, ...], *, recommended: bool) -> GroundingOption:
    first = groundings[0]
    values = ", ".join(g.value for g in groundings)
    view = work.found.schema.column(first.column)
    op = {"=": "=", "contains": "∋", "starts_with": "…", "ends_with": "…"}.get(first.op, first.op)
    return GroundingOption(
        id=f"{first.column}|{first.op}|{values}"[:200],
        label=f"{first.column.split('.', 1)[-1]} {op} {values}",
        description=view.column.comment if view else "",
        groundings=groundings,
        recommended=recommended,
    )


def _why(work: Work, use: LiteralUse) -> str:
    method = use.groundings[0].method
    if work.language == "it":
        return f"«{use.literal}»: trovato per {method}."
    return f"“{use.literal}”: found by {method}."
