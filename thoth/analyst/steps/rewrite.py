"""F3: the question in full with its intent."""

from __future__ import annotations

from thoth.analyst.guide import remark
from thoth.analyst.steps.base import Work
from thoth.analyst.wording import in_words
from thoth.contracts.steps import RewriteProposal


def propose(work: Work) -> RewriteProposal:
    if work.unclear is not None:
        return RewriteProposal(addressed=work.addressed, cannot=work.unclear)
    reading = work.reading
    if reading is None or reading.intent is None:
        return RewriteProposal(addressed=work.addressed, cannot=work.problem())
    clarified = {s for s in _clarified(work)}
    remarks = tuple(remark(t, work.language) for t in work.guide.steering if t not in clarified)
    text = in_words(work.task.question, reading.intent, work.language, remarks)
    return RewriteProposal(
        addressed=work.addressed, text=text, intent=reading.intent, assumptions=reading.assumptions
    )


def _clarified(work: Work) -> list[str]:
    """Texts that a clarification of F1 keeps in force by itself."""
    from thoth.analyst.guide import STEER  # noqa: PLC0415

    readings = [
        str(row.payload.get("reading", ""))
        for row in work.task.decisions
        if row.type == "concept_clarified"
    ]
    return [r.removeprefix(STEER) for r in readings if r.startswith(STEER)]
