"""Doubts about what is measured: how many or how much, and which amount."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from thoth.analyst.ambiguity import count_sql
from thoth.analyst.describe import first_words, short
from thoth.analyst.fits import Fits
from thoth.analyst.guide import ANSWER, Guide
from thoth.analyst.interpret import Interpretation
from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.reading.walk_parts.measures import AMOUNT, COUNT, TOTAL
from thoth.contracts.decisions import ConceptClarified
from thoth.contracts.steps import Ambiguity, ClarifyOption

_OPTIONS_MAX = 6


@dataclass(frozen=True)
class _Answer:
    value: str
    label: str
    description: str = ""
    columns: tuple[str, ...] = ()


def doubt_of(
    found: Interpretation, language: str, read: Callable[[Guide], Fits]
) -> Ambiguity | None:
    """The question that settles what the best reading could not place; None when there is none.

    `read` reads the question again under another guide, for the consequence of each answer.
    """
    best = found.best
    code, words = best.trouble if best is not None and best.trouble else ("", ())
    if best is None or code not in (TOTAL, AMOUNT) or code in found.guide.answers or not words:
        return None
    columns = _columns(found, best.keys, words[1:])
    answers = [_answer(view, language) for view in columns]
    if code == TOTAL:
        answers.insert(0, _counted(language))
    if len(answers) < 2 or fold(words[0]) in found.guide.settled:
        return None
    concept = words[0]
    options = tuple(_option(found, a, code, concept, read) for a in answers[:_OPTIONS_MAX])
    title = f"Che cosa si misura con «{concept}»?" if language == "it" else f"What does “{concept}” measure?"  # fmt: skip
    return Ambiguity(concept=concept, title=title, options=options)


def _columns(
    found: Interpretation, keys: tuple[str, ...], names: tuple[str, ...]
) -> list[ColumnView]:
    """The columns of these names in the tables that the reading speaks of."""
    targets = [key.split("|")[1] for key in keys]
    tables = [
        t for t in found.schema.tables if any(x == t or x.startswith(f"{t}.") for x in targets)
    ]
    views = [found.schema.column(f"{table}.{name}") for table in tables for name in names]
    return [view for view in views if view is not None]


def _counted(language: str) -> _Answer:
    return _Answer(COUNT, "Quanti sono" if language == "it" else "How many there are")


def _answer(view: ColumnView, language: str) -> _Answer:
    label = ("La somma di " if language == "it" else "The sum of ") + short(view.full)
    return _Answer(view.full, label, first_words(view.column.comment), (view.full,))


def _option(
    found: Interpretation,
    answer: _Answer,
    code: str,
    concept: str,
    read: Callable[[Guide], Fits],
) -> ClarifyOption:
    key = f"{ANSWER}{code}|{answer.value}"
    readings = found.guide.readings | {fold(concept): key}
    fit = read(replace(found.guide, readings=readings)).best
    return ClarifyOption(
        id=f"a-{answer.value}",
        label=answer.label,
        description=answer.description,
        columns=answer.columns,
        count_sql=count_sql(fit) if fit else None,
        clarification=ConceptClarified(
            definition=answer.label, columns=answer.columns, reading=key
        ),
    )
