"""Free texts of the reviewer, read with the same words as the question."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from thoth.analyst.guide import Guide
from thoth.analyst.language.frame import Frame, read_frame
from thoth.analyst.linking.mentions import find_mentions
from thoth.analyst.linking.schema_view import SchemaView
from thoth.contracts.tools import ValueSearch

_WEAK = 0.5  # a mention that scores less names nothing for sure


@dataclass(frozen=True)
class Steer:
    """What one text asks for; `understood` is False when nothing in it could be followed."""

    text: str
    preferred: frozenset[str] = frozenset()
    banned: frozenset[str] = frozenset()
    period: str = ""
    counted: str | None = None

    @property
    def understood(self) -> bool:
        return bool(self.preferred or self.banned or self.period or self.counted)

    def reading(self, language: str) -> str:
        """How the text was understood, as a sentence."""
        parts = []
        if self.counted:
            parts.append(("conta " if language == "it" else "count ") + _short(self.counted))
        if self.preferred - {self.counted}:
            use = "usa " if language == "it" else "use "
            parts.append(
                use + ", ".join(_short(n) for n in sorted(self.preferred - {self.counted}))
            )
        if self.banned:
            without = "senza " if language == "it" else "without "
            parts.append(without + ", ".join(_short(n) for n in sorted(self.banned)))
        if self.period:
            parts.append(("periodo " if language == "it" else "period ") + self.period)
        return "; ".join(parts)


def _short(name: str) -> str:
    return name.split(".", 1)[-1]


def steer(
    text: str, today: dt.date, language: str, schema: SchemaView, values: ValueSearch
) -> Steer:
    """Tables and columns after a negation are banned, the others preferred; periods are kept."""
    frame = read_frame(text, today, language)
    negations = [m.start for m in frame.marks if m.kind in ("neg", "exclude")]
    counts = [m.end for m in frame.marks if m.kind == "count"]
    counts += [t.index + 1 for t in frame.tokens if t.norm in ("count", "conta", "contare")]
    preferred: set[str] = set()
    banned: set[str] = set()
    counted = None
    for mention in find_mentions(frame, schema, values):
        best = mention.best
        if best.kind == "none" or best.score < _WEAK:
            continue
        denied = any(_between(frame, place, mention.start) for place in negations)
        (banned if denied else preferred).add(best.target)
        if best.kind == "table" and not denied and any(0 <= mention.start - c <= 2 for c in counts):
            counted = counted or best.target
    period = frame.periods[0][0].text if frame.periods else ""
    return Steer(text, frozenset(preferred - banned), frozenset(banned), period, counted)


def _between(frame: Frame, negation: int, mention: int) -> bool:
    """Whether the negation reaches the mention: no other clause begins in between."""
    if not negation < mention <= negation + 6:
        return False
    return all(
        frame.tokens[i].norm not in (",", ";", ".", "ma", "but")
        for i in range(negation + 1, mention)
    )


def steered(guide: Guide, steers: list[Steer]) -> Guide:
    """The guide with the texts' wishes added; later texts win over earlier ones."""
    preferred, banned = set(guide.preferred), set(guide.banned)
    for wish in steers:
        preferred = (preferred - wish.banned) | wish.preferred
        # "count patients, not visits": the visits still take part
        denied = frozenset[str]() if wish.counted else wish.banned
        banned = (banned - wish.preferred) | denied
    return replace(guide, preferred=frozenset(preferred), banned=frozenset(banned))
