"""F4: what each cited literal means in the data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from thoth.analyst.constraints import alike
from thoth.analyst.describe import first_words, grounding_label, short
from thoth.analyst.evidence import CLEAR, support
from thoth.analyst.fits import Fit
from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.mentions import Candidate, Mention
from thoth.analyst.reading.reading import LiteralUse
from thoth.analyst.steps.base import Work
from thoth.analyst.steps.linking import banned, bound, preferred, without_effect
from thoth.contracts.decisions import Grounding
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import Cannot, GroundingOption, GroundingProposal, LiteralGrounding

_OPTIONS_MAX = 6
_NEAREST_MAX = 5
_EXACT = frozenset({"exact", "normalised", "glued", "value", "calendar", "comment"})
_LITERAL_OPS = frozenset({"=", "!=", "in", "contains", "starts_with", "ends_with"})
_METHODS = {"code": "comment"}  # the column's comment says what the code means


@dataclass(frozen=True)
class _Way:
    """One way to ground a literal, and how much speaks for it."""

    groundings: tuple[Grounding, ...]
    combine: str
    weight: float


def propose(work: Work) -> GroundingProposal:
    if work.unclear is not None:
        return GroundingProposal(addressed=work.addressed, cannot=work.unclear)
    fit = bound(work)
    if isinstance(fit, Cannot):
        return GroundingProposal(addressed=work.addressed, cannot=fit)
    intent = work.task.intent or fit.intent
    literals = [_literal(work, fit, text, ids) for text, ids in open_literals(work, intent).items()]
    if work.followed and not any(_follows(work, item) for item in literals):
        return GroundingProposal(addressed=work.addressed, cannot=without_effect(work))
    return GroundingProposal(addressed=work.addressed, literals=tuple(literals))


def open_literals(work: Work, intent: QueryIntent) -> dict[str, tuple[str, ...]]:
    """Every text literal of the intent that is not decided, with the filters that cite it."""
    decided = work.task.decided
    found: dict[str, tuple[str, ...]] = {}
    for item in intent.filters:
        cites = item.kind == "text" and item.op in _LITERAL_OPS and not item.concept
        for value in item.values if cites and item.role != "having" else ():
            known = decided.groundings.get(value) or decided.absent.get(value)
            if known is None or (known.serves and item.id not in known.serves):
                found[value] = (*found.get(value, ()), item.id)
    return found


def _literal(work: Work, fit: Fit, text: str, ids: tuple[str, ...]) -> LiteralGrounding:
    ways = _ways(work, fit, text, ids)
    if not ways:
        return _absent(work, text, ids)
    clear = len(ways) == 1 or ways[0].weight - ways[1].weight >= CLEAR
    options = tuple(
        _option(work, way, recommended=clear and rank == 0) for rank, way in enumerate(ways)
    )
    return LiteralGrounding(
        literal=text,
        serves=ids,
        obvious=len(ways) == 1 and all(g.method in _EXACT for g in ways[0].groundings),
        exclusive=not _jointly_possible(ways),
        options=options,
        searched=tuple(dict.fromkeys(g.column for way in ways for g in way.groundings)),
        why=_why(work, text, ways[0]),
    )


def _ways(work: Work, fit: Fit, text: str, ids: tuple[str, ...]) -> list[_Way]:
    """The ways that readings of this intent know, best supported first; texts decide before all."""
    uses = [(f, u) for f in alike(work.without_texts.fits, fit) for u in f.reading.literals]
    own = [(f, u) for f, u in uses if u.serves in ids and _about(u, text)]
    ways = [_joint(work, fit, [u for f, u in own if f is fit], text)]
    ways += [_single(work, fit, g, text) for _, u in own for g in (*u.groundings, *u.alternatives)]
    unique: dict[tuple[tuple[str, str, str], ...], _Way] = {}
    for way in ways:
        key = tuple((g.column, g.value, g.op) for g in way.groundings)
        if key and not {name for g in way.groundings for name in _names(g)} & banned(work):
            unique.setdefault(key, way)
    return sorted(unique.values(), key=lambda w: -w.weight)[:_OPTIONS_MAX]


def _about(use: LiteralUse, text: str) -> bool:
    """A literal said twice has its column's name added the second time."""
    return use.literal == text or use.literal.startswith(f"{text} (")


def _joint(work: Work, fit: Fit, uses: list[LiteralUse], text: str) -> _Way:
    """How the reading itself grounds the literal; cited by several filters, on all their columns."""
    groundings = tuple(dict.fromkeys(_named(g) for use in uses for g in use.groundings))
    several = len({use.serves for use in uses}) > 1
    alternatives = {f.any_of for f in fit.intent.filters if f.id in {u.serves for u in uses}}
    combine = "all" if several and alternatives == {None} else "any"
    weight = max((_weight(work, fit, g, text) for g in groundings), default=0.0)
    return _Way(groundings, combine, weight + (CLEAR if several else 0.01))


def _single(work: Work, fit: Fit, grounding: Grounding, text: str) -> _Way:
    return _Way((_named(grounding),), "any", _weight(work, fit, grounding, text))


def _named(grounding: Grounding) -> Grounding:
    method = _METHODS.get(grounding.method, grounding.method)
    return grounding.model_copy(update={"method": method})


def _weight(work: Work, fit: Fit, grounding: Grounding, text: str) -> float:
    """The reading's score with this column, else the candidate's, and what else speaks for it."""
    fits = alike(work.without_texts.fits, fit)
    holding = [f.reading.score for f in fits if _holds(f, grounding)]
    best = fits[0].reading.score
    weight = max(holding) - best if holding else float(grounding.score or 0) - 1.5
    wished = 2.0 if _names(grounding) & preferred(work) else 0.0
    return weight + wished + _evidence(work, fit, grounding, text)


def _holds(fit: Fit, grounding: Grounding) -> bool:
    wanted = (grounding.column, grounding.value)
    return any((g.column, g.value) == wanted for u in fit.reading.literals for g in u.groundings)


def _names(grounding: Grounding) -> set[str]:
    return {grounding.column, grounding.column.rpartition(".")[0]}


def _evidence(work: Work, fit: Fit, grounding: Grounding, text: str) -> float:
    read = work.without_texts
    place = _mention(work, text, grounding)
    return support(read.found, read.graph, fit, *place) if place else 0.0


def _mention(work: Work, text: str, grounding: Grounding) -> tuple[Mention, Candidate] | None:
    found = work.without_texts.found
    for mention in found.mentions:
        said = fold(found.frame.words(mention.start, mention.end))
        for candidate in mention.candidates:
            same = (candidate.target, candidate.value) == (grounding.column, grounding.value)
            if same and fold(text) in (said, said.strip("'\"`“”«»")):
                return mention, candidate
    return None


def _jointly_possible(ways: list[_Way]) -> bool:
    """The same value in several columns may be meant in more than one of them."""
    plain = all(len(w.groundings) == 1 and w.groundings[0].op == "=" for w in ways)
    return plain and len({fold(w.groundings[0].value) for w in ways}) == 1


def _option(work: Work, way: _Way, *, recommended: bool) -> GroundingOption:
    keys = "&".join(f"{g.column}|{g.op}|{g.value}" for g in way.groundings)
    view = work.without_texts.found.schema.column(way.groundings[0].column)
    return GroundingOption.model_validate(
        {
            "id": "g" + hashlib.sha256(keys.encode()).hexdigest()[:8],
            "label": grounding_label(way.groundings, way.combine, work.language),
            "description": first_words(view.column.comment) if view else "",
            "groundings": way.groundings,
            "combine": way.combine,
            "recommended": recommended,
        }
    )


def _absent(work: Work, text: str, ids: tuple[str, ...]) -> LiteralGrounding:
    """Not in the data: what comes nearest, and where it was looked for."""
    hits = [hit for span in work.tools.search_values(text).spans for hit in span.hits]
    return LiteralGrounding(
        literal=text,
        serves=ids,
        searched=tuple(dict.fromkeys(hit.column for hit in hits)),
        nearest=tuple(dict.fromkeys(hit.value for hit in hits))[:_NEAREST_MAX],
        why="Nessuna colonna contiene questo valore."
        if work.language == "it"
        else "No column holds this value.",
    )


def _follows(work: Work, item: LiteralGrounding) -> bool:
    """Whether what the texts wish for makes a difference to this literal."""
    columns = {name for o in item.options for g in o.groundings for name in _names(g)}
    chosen = [o for o in item.options if o.recommended]
    wished = {name for o in chosen for g in o.groundings for name in _names(g)} & preferred(work)
    return bool(wished) or bool(banned(work) and not columns & banned(work))


def _why(work: Work, text: str, way: _Way) -> str:
    italian = work.language == "it"
    first = way.groundings[0]
    if first.method == "comment":
        place = short(first.column)
        return (
            f"Il commento di {place} spiega «{first.value}» con queste parole."
            if italian
            else f"The comment of {place} explains “{first.value}” in these words."
        )
    return f"Dove compare «{text}» nei dati." if italian else f"Where the data holds “{text}”."
