"""F1: the ambiguity with the largest effect, or what cannot be read, or nothing."""

from __future__ import annotations

from thoth.analyst.ambiguity import ambiguity_of
from thoth.analyst.doubts import doubt_of
from thoth.analyst.guide import STEER
from thoth.analyst.steps.base import Work
from thoth.contracts.decisions import ConceptClarified
from thoth.contracts.steps import Ambiguity, ClarifyOption, ClarifyProposal

_QUESTIONS_MAX = 3
_CONCEPT_MAX_CHARS = 200


def propose(work: Work) -> ClarifyProposal:
    if work.followed:
        return ClarifyProposal(addressed=work.addressed, ambiguity=_confirm_texts(work))
    if work.unclear is not None:
        return ClarifyProposal(addressed=work.addressed, cannot=work.unclear)
    if work.fits.best is None:
        doubt = doubt_of(work.found, work.language, work.fits_under)
        return ClarifyProposal(ambiguity=doubt, cannot=None if doubt else work.problem())
    if _asked(work) >= _QUESTIONS_MAX:
        return ClarifyProposal()
    return ClarifyProposal(ambiguity=ambiguity_of(work.found, work.fits, work.language))


def _asked(work: Work) -> int:
    """How many questions about words were answered; texts of the reviewer do not count."""
    readings = [
        str(row.payload.get("reading") or "")
        for row in work.task.decisions
        if row.type in ("concept_clarified", "ambiguity_open")
    ]
    return sum(not reading.startswith(STEER) for reading in readings)


def _confirm_texts(work: Work) -> Ambiguity:
    """What the reviewer wrote becomes a clarification once they see how it was understood."""
    italian = work.language == "it"
    texts = "; ".join(s.text for s in work.followed)
    reading = "; ".join(s.reading(work.language) for s in work.followed)
    ignore = "Ignora questo testo" if italian else "Leave this text aside"
    options = (
        ClarifyOption(
            id="follow", label=reading, description=f"«{texts}»", recommended=True,
            clarification=ConceptClarified(definition=reading, reading=STEER + texts),
        ),
        ClarifyOption(id="ignore", label=ignore, clarification=ConceptClarified(definition=ignore)),
    )  # fmt: skip
    title = "Ho capito bene?" if italian else "Is this what you mean?"
    return Ambiguity(concept=_concept(work, texts), title=title, options=options)


def _concept(work: Work, texts: str) -> str:
    """The texts name the clarification; said a second time they need another name."""
    taken = {row.subject for row in work.task.decisions}
    name, number = texts[:_CONCEPT_MAX_CHARS], 2
    while name in taken:
        name, number = f"{texts[:_CONCEPT_MAX_CHARS]} ({number})", number + 1
    return name
