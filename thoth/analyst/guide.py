"""What the reviewer has decided so far, as constraints on how the question may be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.mentions import Candidate, Mention
from thoth.contracts.decisions import ConceptClarified
from thoth.contracts.task import TaskDocument

ANSWER = "answer|"  # a clarification that settles a doubt: `answer|code|value`
STEER = "steer|"  # a clarification that holds a text of the reviewer to be followed


@dataclass(frozen=True)
class Guide:
    """`readings` maps the folded words of a mention to the key of its chosen reading.

    `settled` are concepts that must not be asked again; `banned` and `preferred` are names of tables
    and columns; `groundings` fixes the columns of a literal; `replaced` maps a column to the one that
    the reviewer put in its place; `steering` are texts to follow.
    """

    readings: dict[str, str] = field(default_factory=dict)
    settled: frozenset[str] = frozenset()
    banned: frozenset[str] = frozenset()
    preferred: frozenset[str] = frozenset()
    groundings: dict[str, frozenset[str]] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)
    steering: tuple[str, ...] = ()

    @property
    def answers(self) -> dict[str, str]:
        """What the reviewer said to a doubt, by the doubt's code."""
        keys = [k.split("|", 2) for k in self.readings.values() if k.startswith(ANSWER)]
        return {code: value for _, code, value in keys}


def guide_of(task: TaskDocument) -> Guide:
    """The constraints that the task's effective decisions amount to."""
    readings: dict[str, str] = {}
    steering: list[str] = []
    settled: set[str] = set()
    for row in task.decisions:
        if row.type == "ambiguity_open":
            settled.add(fold(row.subject))
        if row.type == "concept_clarified":
            settled.add(fold(row.subject))
            reading = ConceptClarified.model_validate(row.payload).reading
            if reading and reading.startswith(STEER):
                steering.append(reading.removeprefix(STEER))
            elif reading:
                readings[fold(row.subject)] = reading
    steering += _remarks(task.rewritten)
    decided = task.decided
    replaced = {c.replaces: name for name, c in decided.columns.items() if c.replaces}
    groundings = {
        fold(literal): frozenset(g.column for g in value.groundings)
        for literal, value in decided.groundings.items()
    }
    return Guide(
        readings, frozenset(settled), frozenset(decided.excluded_tables), frozenset(),
        groundings, replaced, tuple(dict.fromkeys(steering)),
    )  # fmt: skip


REMARK = "» "
_REMARK_LINES = ("Precisazione: «", "Clarification: «")


def remark(text: str, language: str) -> str:
    """The line of a rewritten question that keeps a text of the reviewer in force."""
    clean = " ".join(text.split()).replace("»", "'")
    return f"{_REMARK_LINES[0] if language == 'it' else _REMARK_LINES[1]}{clean}»"


def _remarks(rewritten: str | None) -> list[str]:
    return [
        line.removeprefix(start).removesuffix("»")
        for line in (rewritten or "").splitlines()
        for start in _REMARK_LINES
        if line.startswith(start)
    ]


def guided(frame: Frame, mentions: Iterable[Mention], guide: Guide) -> tuple[Mention, ...]:
    """The mentions with the readings that the decisions leave."""
    found = (_guided(frame, mention, guide) for mention in mentions)
    return tuple(mention for mention in found if mention.candidates)


def _guided(frame: Frame, mention: Mention, guide: Guide) -> Mention:
    words = fold(frame.words(mention.start, mention.end)).strip("'\"`“”«»")
    chosen = guide.readings.get(words)
    candidates = [c for c in mention.candidates if c.key == chosen] if chosen else []
    candidates = candidates or [c for c in mention.candidates if not _banned(c, guide)]
    columns = guide.groundings.get(words)
    if columns:
        kept = [c for c in candidates if c.kind != "value" or c.target in columns]
        candidates = kept or candidates
    moved = tuple(_weighed(_replaced(c, guide), guide) for c in candidates)
    ranked = sorted(moved, key=lambda c: (-c.score, c.key))
    return Mention(mention.start, mention.end, tuple(ranked))


def _banned(candidate: Candidate, guide: Guide) -> bool:
    return bool(candidate.table) and ({candidate.table, candidate.target} & guide.banned != set())


def _replaced(candidate: Candidate, guide: Guide) -> Candidate:
    other = guide.replaced.get(candidate.target) if candidate.column else None
    if other is None:
        return candidate
    table, _, column = other.rpartition(".")
    return replace(candidate, table=table, column=column)


def _weighed(candidate: Candidate, guide: Guide) -> Candidate:
    if {candidate.table, candidate.target} & guide.preferred:
        return replace(candidate, score=candidate.score + 1.0)
    return candidate
