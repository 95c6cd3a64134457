"""The one ambiguity with the largest effect: readings that compete with the best one.

Where only the column of a cited value differs, F4 asks; here are differences of what is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from thoth.analyst import periods
from thoth.analyst.describe import comment_of, described
from thoth.analyst.evidence import CLEAR, support
from thoth.analyst.fits import Fit, Fits, shape
from thoth.analyst.interpret import Interpretation
from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.graph import JoinGraph
from thoth.analyst.linking.mentions import Candidate, Mention
from thoth.contracts.decisions import ConceptClarified
from thoth.contracts.steps import Ambiguity, ClarifyOption

NEAR = 0.2  # readings this close to the best compete with it
_OPTIONS_MAX = 6


@dataclass(frozen=True)
class _Place:
    """A mention on which competing fits differ: one fit for each reading of it, best first."""

    position: int
    fits: tuple[Fit, ...]
    effect: int


def ambiguity_of(found: Interpretation, fits: Fits, language: str) -> Ambiguity | None:
    """The place where the choice changes most, unless it was settled already; None without one."""
    best = fits.best
    if best is None:
        return None
    rivals = [f for f in fits.found if best.reading.score - f.reading.score <= NEAR]
    places = [p for p in _places(found, rivals) if not _settled(found, p)]
    if places:
        return _asked(found, max(places, key=lambda p: (p.effect, -p.position)), language)
    return periods.ambiguity(found, best, language)


def _places(found: Interpretation, rivals: list[Fit]) -> Iterator[_Place]:
    best = rivals[0]
    for position in range(len(found.mentions)):
        options: dict[str, Fit] = {}
        for fit in rivals:
            options.setdefault(fit.reading.keys[position], fit)
        kept = tuple(f for f in options.values() if f is best or not _left_to_grounding(best, f))
        if len(kept) > 1:
            effect = max(_effect(best, fit) for fit in kept[1:])
            yield _Place(position, kept[:_OPTIONS_MAX], effect)


def _settled(found: Interpretation, place: _Place) -> bool:
    return fold(concept_of(found, found.mentions[place.position])) in found.guide.settled


def concept_of(found: Interpretation, mention: Mention) -> str:
    """The words of a mention, which name it in decisions."""
    return found.frame.words(mention.start, mention.end).strip("'\"`“”«»")


def _left_to_grounding(best: Fit, other: Fit) -> bool:
    """Whether the two differ in nothing but the columns in which cited values are looked for."""
    pairs = zip(best.reading.keys, other.reading.keys, strict=True)
    values = all(a == b or (_is_value(a) and _is_value(b)) for a, b in pairs)
    return (
        values and best.population == other.population and shape(best.intent) == shape(other.intent)
    )


def _is_value(key: str) -> bool:
    return key.startswith("value|")


def _effect(one: Fit, other: Fit) -> int:
    """How deep the difference goes: whose rows, which measures, which tables, which columns."""
    if one.population != other.population:
        return 4
    if _aggregates(one) != _aggregates(other):
        return 3
    return 2 if set(one.reading.tables) != set(other.reading.tables) else 1


def _aggregates(fit: Fit) -> list[tuple[str, bool, bool]]:
    return [(m.agg, m.distinct, bool(m.when)) for m in fit.intent.measures]


def _asked(found: Interpretation, place: _Place, language: str) -> Ambiguity:
    mention = found.mentions[place.position]
    concept = concept_of(found, mention)
    weighed = _weighed(found, place, mention)
    clear = len(weighed) < 2 or weighed[0][0] - weighed[1][0] >= CLEAR
    options = [
        _option(found, fit, place.position, candidate, language, recommended=clear and rank == 0)
        for rank, (_, fit, candidate) in enumerate(weighed)
    ]
    italian = language == "it"
    return Ambiguity(
        concept=concept,
        title=f"Che cosa significa «{concept}»?" if italian else f"What does “{concept}” mean?",
        why="La domanda si può leggere in più modi; la scelta cambia il risultato."
        if italian
        else "The question can be read in more than one way; the choice changes the result.",
        options=tuple(options),
    )


def _weighed(
    found: Interpretation, place: _Place, mention: Mention
) -> list[tuple[float, Fit, Candidate | None]]:
    """Score and evidence of each option, best first."""
    graph = JoinGraph(found.schema)
    weighed = []
    for fit in place.fits:
        key = fit.reading.keys[place.position]
        candidate = next((c for c in mention.candidates if c.key == key), None)
        extra = support(found, graph, fit, mention, candidate) if candidate else 0.0
        weighed.append((fit.reading.score + extra, fit, candidate))
    return sorted(weighed, key=lambda w: (-w[0], w[1].reading.keys))


def _option(
    found: Interpretation,
    fit: Fit,
    position: int,
    candidate: Candidate | None,
    language: str,
    *,
    recommended: bool,
) -> ClarifyOption:
    key = fit.reading.keys[position]
    label, columns, filter_ = described(candidate, language)
    return ClarifyOption(
        id="r" + hashlib.sha256(key.encode()).hexdigest()[:8],
        label=label,
        description=comment_of(found.schema, candidate),
        recommended=recommended,
        columns=columns,
        filter=filter_,
        count_sql=count_sql(fit),
        clarification=ConceptClarified(
            definition=label, columns=columns, filter=filter_, reading=key
        ),
    )


def count_sql(fit: Fit) -> str | None:
    """A query of one number that shows what the reading leads to: its result, else how many rows."""
    if fit.sql.lstrip().upper().startswith("WITH"):
        return None
    single = not fit.intent.dimensions and len(fit.intent.measures) == 1
    rows = f"SELECT COUNT(*) AS result_rows FROM (\n{fit.sql}\n) AS result"  # noqa: S608 - compiled
    return fit.sql if single else rows
