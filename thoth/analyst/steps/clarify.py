"""F1: the ambiguity with the largest effect, or what cannot be read, or nothing."""

from __future__ import annotations

from thoth.analyst.ambiguity import ambiguity_of
from thoth.analyst.guide import STEER
from thoth.analyst.steps.base import Work
from thoth.contracts.decisions import ConceptClarified
from thoth.contracts.steps import Ambiguity, ClarifyOption, ClarifyProposal

_QUESTIONS_MAX = 3


def propose(work: Work) -> ClarifyProposal:
    if work.unclear is not None:
        return ClarifyProposal(addressed=work.addressed, cannot=work.unclear)
    if any(s.understood for s in work.steers):
        return ClarifyProposal(addressed=work.addressed, ambiguity=_confirm_texts(work))
    if work.reading is None:
        return ClarifyProposal(addressed=work.addressed, cannot=work.problem())
    asked = sum(row.type in ("concept_clarified", "ambiguity_open") for row in work.task.decisions)
    ambiguity = ambiguity_of(work.found) if asked < _QUESTIONS_MAX else None
    return ClarifyProposal(addressed=work.addressed, ambiguity=ambiguity)


def _confirm_texts(work: Work) -> Ambiguity:
    """What the reviewer wrote becomes a clarification once they see how it was understood."""
    italian = work.language == "it"
    texts = "; ".join(s.text for s in work.steers if s.understood)
    reading = "; ".join(s.reading(work.language) for s in work.steers if s.understood)
    ignore = "Ignora questo testo" if italian else "Leave this text aside"
    options = (
        ClarifyOption(
            id="follow", label=reading, description=texts, recommended=True,
            clarification=ConceptClarified(definition=reading, reading=STEER + texts),
        ),
        ClarifyOption(id="ignore", label=ignore, clarification=ConceptClarified(definition=ignore)),
    )  # fmt: skip
    title = "Ho capito bene?" if italian else "Is this what you mean?"
    return Ambiguity(concept=texts[:200], title=title, options=options)
