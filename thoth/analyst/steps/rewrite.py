"""F3: the question in full with its intent."""

from __future__ import annotations

from thoth.analyst.guide import STEER, remark
from thoth.analyst.messages import cannot
from thoth.analyst.steps.base import Work
from thoth.analyst.wording import assumptions_of, in_words
from thoth.contracts.steps import RewriteProposal


def propose(work: Work) -> RewriteProposal:
    if work.unclear is not None and not work.followed:
        return RewriteProposal(addressed=work.addressed, cannot=work.unclear)
    best = work.fits.best
    if best is None:
        return RewriteProposal(addressed=work.addressed, cannot=work.problem())
    if work.followed and _changes_nothing(work):
        texts = tuple(s.text for s in work.followed)
        problem = cannot("text_without_effect", work.language, texts)
        return RewriteProposal(addressed=work.addressed, cannot=problem)
    clarified = set(_clarified(work))
    remarks = [remark(t, work.language) for t in work.found.guide.steering if t not in clarified]
    text = in_words(best.intent, work.language)
    return RewriteProposal(
        addressed=work.addressed,
        text="\n".join([text, *remarks]),
        intent=best.intent,
        assumptions=assumptions_of(best.reading, work.left_open, work.language),
    )


def _changes_nothing(work: Work) -> bool:
    """Whether the question would be read the same had the texts not been written."""
    before, now = work.without_texts.fits.best, work.fits.best
    return before is not None and now is not None and before.sql == now.sql


def _clarified(work: Work) -> list[str]:
    """Texts that a clarification of F1 keeps in force by itself."""
    readings = [
        str(row.payload.get("reading") or "")
        for row in work.task.decisions
        if row.type == "concept_clarified"
    ]
    return [r.removeprefix(STEER) for r in readings if r.startswith(STEER)]
