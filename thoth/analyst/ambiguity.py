"""The one ambiguity with the largest effect: readings that compete with the best one."""

from __future__ import annotations

import hashlib

from thoth.analyst.compile import compile_query
from thoth.analyst.interpret import Interpretation
from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.mentions import Candidate, Mention
from thoth.analyst.reading.reading import Reading
from thoth.analyst.reading.slice import decided_slice
from thoth.contracts.decisions import ConceptClarified
from thoth.contracts.steps import Ambiguity, Cannot, ClarifyOption

NEAR = 0.2  # readings this close to the best compete with it
CLEAR = 0.06  # the best is recommended when it leads by this much
_OPTIONS_MAX = 6


def competing(found: Interpretation) -> list[Reading]:
    """The best reading and those near it that would give another query; one for each query."""
    best = found.best
    if best is None or not best.ok:
        return []
    seen = {signature(best)}
    rivals = [best]
    for reading in found.readings[1:]:
        if not reading.ok or best.score - reading.score > NEAR:
            continue
        mark = signature(reading)
        if mark not in seen:
            seen.add(mark)
            rivals.append(reading)
    return rivals


def signature(reading: Reading) -> tuple[object, ...]:
    """What decides the query; labels and scores do not."""
    intent = reading.intent
    assert intent is not None  # noqa: S101 - only complete readings are compared
    shape = intent.model_dump(exclude={"population": True, "output": True})
    for part in ("measures", "dimensions"):
        for item in shape[part]:
            item.pop("label")
            item.pop("of")
    for item in shape["filters"]:
        item.pop("subject")
    columns = sorted((name, tuple(use.serves)) for (name, _), use in reading.columns.items())
    literals = sorted(
        (u.serves, tuple((g.column, g.value, g.op) for g in u.groundings)) for u in reading.literals
    )
    base = [t for t, serves in reading.tables.items() if "population" in serves]
    outputs = [(o.of) for o in intent.output]
    return (repr(shape), tuple(columns), tuple(literals), tuple(base), tuple(outputs),
            tuple(sorted(e.subject for e in reading.joins)))  # fmt: skip


def ambiguity_of(found: Interpretation) -> Ambiguity | None:
    """The first words on which competing readings differ, unless they were settled already."""
    rivals = competing(found)
    for position, mention in enumerate(found.mentions):
        concept = found.frame.words(mention.start, mention.end).strip("'\"`“”«»")
        if fold(concept) in found.guide.settled:
            continue
        options: dict[str, Reading] = {}
        for reading in rivals:
            options.setdefault(reading.keys[position], reading)
        if len(options) > 1:
            return _ambiguity(
                found, concept, mention, position, list(options.values())[:_OPTIONS_MAX]
            )
    return None


def _ambiguity(
    found: Interpretation, concept: str, mention: Mention, position: int, readings: list[Reading]
) -> Ambiguity:
    lead = readings[0].score - readings[1].score
    options = []
    for rank, reading in enumerate(readings):
        key = reading.keys[position]
        candidate = next((c for c in mention.candidates if c.key == key), None)
        options.append(
            _option(
                found, concept, key, candidate, reading, recommended=rank == 0 and lead >= CLEAR
            )
        )
    italian = found.frame.language == "it"
    title = f"Che cosa significa «{concept}»?" if italian else f"What does “{concept}” mean?"
    why = (
        "La domanda si può leggere in più modi."
        if italian
        else "The question can be read in more than one way."
    )
    return Ambiguity(concept=concept, title=title, why=why, options=tuple(options))


def _option(
    found: Interpretation,
    concept: str,
    key: str,
    candidate: Candidate | None,
    reading: Reading,
    *,
    recommended: bool,
) -> ClarifyOption:
    label, columns, filter_ = _described(found, candidate)
    comment = _comment(found, candidate)
    return ClarifyOption(
        id="r" + hashlib.sha256(key.encode()).hexdigest()[:8],
        label=label,
        description=comment,
        recommended=recommended,
        columns=columns,
        filter=filter_,
        count_sql=count_sql(found, reading),
        clarification=ConceptClarified(
            definition=label, columns=columns, filter=filter_, reading=key
        ),
    )


def _described(
    found: Interpretation, candidate: Candidate | None
) -> tuple[str, tuple[str, ...], str | None]:
    italian = found.frame.language == "it"
    if candidate is None or candidate.kind == "none":
        return ("Non aggiunge condizioni" if italian else "It adds no condition"), (), None
    short = candidate.target.split(".", 1)[-1]
    if candidate.kind == "table":
        return ("Le righe di " if italian else "The rows of ") + short, (), None
    columns = (candidate.target,)
    if candidate.kind in ("value", "flag") and candidate.value is not None:
        condition = (
            f"{candidate.target} = '{candidate.value}'"
            if candidate.kind == "value"
            else f"{candidate.target} IS TRUE"
        )
        return f"{short} = {candidate.value}", columns, condition
    return ("La colonna " if italian else "The column ") + short, columns, None


def _comment(found: Interpretation, candidate: Candidate | None) -> str:
    if candidate is None:
        return ""
    view = found.schema.column(candidate.target) if candidate.column else None
    if view is not None:
        return view.column.comment
    table = found.schema.tables.get(candidate.table)
    return table.table.comment if table else ""


def count_sql(found: Interpretation, reading: Reading) -> str | None:
    """A query of one number that shows what the reading leads to: its result, else how many rows."""
    assert reading.intent is not None  # noqa: S101 - only complete readings are offered
    compiled = compile_query(reading.intent, decided_slice(reading), found.schema.described)
    if isinstance(compiled, Cannot) or compiled.ctes:
        return None
    single = not reading.intent.dimensions and len(reading.intent.measures) == 1
    return (
        compiled.sql
        if single
        else f"SELECT COUNT(*) AS result_rows FROM (\n{compiled.sql}\n) AS result"
    )
