"""Which of several dates a period is about: asked when nothing in the question or schema says it."""

from __future__ import annotations

import hashlib

from thoth.analyst.dates import KEY, date_of
from thoth.analyst.describe import first_words, short
from thoth.analyst.fits import Fit
from thoth.analyst.interpret import Interpretation
from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.reading.reading import Reading
from thoth.contracts.decisions import ConceptClarified
from thoth.contracts.steps import Ambiguity, ClarifyOption


def ambiguity(found: Interpretation, best: Fit, language: str) -> Ambiguity | None:
    """The choice between the dates of one table, when the reading only assumed one of them."""
    period = best.intent.period
    column = date_of(best.reading)
    view = found.schema.column(column) if column else None
    if period is None or view is None or not _assumed(best.reading, view):
        return None
    concept = period.text or period.subject
    if fold(concept) in found.guide.settled:
        return None
    dates = [c for c in found.schema.tables[view.table].dates if not c.technical]
    if len(dates) < 2:
        return None
    return _asked(concept, [view, *(c for c in dates if c.full != view.full)], language)


def _asked(concept: str, dates: list[ColumnView], language: str) -> Ambiguity:
    italian = language == "it"
    return Ambiguity(
        concept=concept,
        title=f"A quale data si riferisce «{concept}»?" if italian else f"Which date is “{concept}” about?",
        why="La tabella ha più date." if italian else "The table has several dates.",
        options=tuple(_option(view, language) for view in dates[:6]),
    )  # fmt: skip


def _option(view: ColumnView, language: str) -> ClarifyOption:
    label = ("La data " if language == "it" else "The date ") + short(view.full)
    return ClarifyOption(
        id="p" + hashlib.sha256(view.full.encode()).hexdigest()[:8],
        label=label,
        description=first_words(view.column.comment),
        columns=(view.full,),
        clarification=ConceptClarified(
            definition=label, columns=(view.full,), reading=KEY + view.full
        ),
    )


def _assumed(reading: Reading, view: ColumnView) -> bool:
    return any(view.column.name in assumption for assumption in reading.assumptions)
