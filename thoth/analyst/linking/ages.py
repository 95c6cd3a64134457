"""Numbers of years that are an age: "more than 70 years", "di almeno 75 anni", "18 anni o più"."""

from __future__ import annotations

from thoth.analyst.language.frame import Frame

_YEARS = frozenset({"anni", "anno", "years", "year"})
_UNITS = _YEARS | {
    "mesi", "mese", "months", "month", "giorni", "giorno", "days", "day", "ore", "hours", "minuti", "minutes",
}  # fmt: skip
_COMPARING = frozenset({"gt", "ge", "lt", "le", "eq", "between"})
_AFTER = frozenset({"ge_after", "le_after"})
_SAID = frozenset({"age", "ages", "aged", "eta"})
_OLDEST = 130
_REACH = 7


def unit_places(frame: Frame) -> frozenset[int]:
    """Tokens that are the unit of a compared number; they name no column."""
    return frozenset(
        n.end
        for n in frame.numbers
        if n.end < len(frame.tokens)
        and frame.tokens[n.end].norm in _UNITS
        and _compared(frame, n.start, n.end)
    )


def age_places(frame: Frame) -> list[int]:
    """Units that say by themselves that the number is an age: years, and no age was named before."""
    values = {n.end: float(n.value) for n in frame.numbers}
    return [
        index
        for index in sorted(unit_places(frame))
        if frame.tokens[index].norm in _YEARS
        and values[index] <= _OLDEST
        and not any(t.norm in _SAID for t in frame.tokens[max(0, index - _REACH) : index])
    ]


def _compared(frame: Frame, start: int, end: int) -> bool:
    before = {m.kind for m in frame.marks if 0 <= start - m.end <= 1}
    if start > 0 and frame.tokens[start - 1].norm in ("e", "and", "i", "ed"):
        before |= {m.kind for m in frame.marks if m.kind == "between" and start - m.end <= _REACH}
    after = {m.kind for m in frame.marks if m.start == end + 1}
    bare = start > 0 and frame.tokens[start - 1].norm == "di"
    return bool(before & _COMPARING or after & _AFTER) or bare
