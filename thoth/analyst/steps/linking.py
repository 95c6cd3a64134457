"""What the steps of F4 have in common: the fit that the approved intent and the decisions leave."""

from __future__ import annotations

from thoth.analyst.constraints import binding
from thoth.analyst.fits import Fit
from thoth.analyst.messages import cannot
from thoth.analyst.steps.base import Work
from thoth.contracts.steps import Cannot


def bound(work: Work) -> Fit | Cannot:
    """The fit to link. The intent binds: texts of F4 choose how it is served, not what is asked."""
    fits = work.without_texts.fits
    fit = binding(fits, work.task.intent, work.task.decided)
    if fit is not None:
        return fit
    if fits.best is None:
        return work.problem()
    population = work.task.intent.population if work.task.intent else ""
    return cannot("intent_not_served", work.language, (population,))


def preferred(work: Work) -> frozenset[str]:
    """Tables and columns that the open texts ask for."""
    return frozenset(name for text in work.followed for name in text.preferred)


def banned(work: Work) -> frozenset[str]:
    """Tables and columns that the open texts rule out."""
    return frozenset(name for text in work.followed for name in text.banned)


def without_effect(work: Work) -> Cannot:
    """The texts were understood, and yet they change nothing here."""
    texts = tuple(s.text for s in work.followed)
    return cannot("text_without_effect", work.language, texts)
