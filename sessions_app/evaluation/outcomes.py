"""What became of each question, and the figures over all of them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

Kind = Literal["exact", "superset", "refused", "wrong", "excluded", "answered"]
WrongKind = Literal["", "offered", "silent"]
KINDS: tuple[Kind, ...] = ("exact", "superset", "refused", "wrong", "excluded", "answered")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`reason` (a code) and `message` say why it was refused or excluded. `wrong_kind`: a wrong answer is `offered` when
    the oracle gets the question right (the right reading was on offer), else `silent`.

    `answered`: a question that the data cannot answer got an answer; refusing it is right.
    """

    id: str
    category: str
    kind: Kind
    question: str = ""
    session: str = ""
    reason: str = ""
    message: str = ""
    wrong_kind: WrongKind = ""
    sql: str = ""
    answers: int = 0
    seconds: float = 0.0

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def of(cls, value: dict[str, object]) -> Outcome:
        return cls(**{name: value[name] for name in cls.__slots__ if name in value})  # type: ignore[arg-type]


def totals(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many of each kind, wrong ones also by their kind."""
    counted = Counter(o.kind for o in outcomes)
    wrong = Counter(o.wrong_kind for o in outcomes if o.kind == "wrong")
    figures: dict[str, int] = {kind: counted[kind] for kind in KINDS}
    figures |= {"wrong_offered": wrong["offered"], "wrong_silent": wrong["silent"]}
    return figures | {"total": sum(counted.values())}


def refusals(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How often each reason, most frequent first."""
    return dict(Counter(o.reason for o in outcomes if o.kind == "refused").most_common())


_COLUMNS = ("exact", "superset", "refused", "wrong_offered", "wrong_silent", "excluded", "answered")


def table(groups: Sequence[tuple[str, list[Outcome]]], *, by: str = "category") -> str:
    """Figures per group and in total, as lines of equal width."""
    lines = [(by, "total", *(name.replace("_", "-") for name in _COLUMNS))]
    everything = [o for _, group in groups for o in group]
    for name, group in [*groups, ("total", everything)]:
        figures = totals(group)
        lines.append((name, str(figures["total"]), *(str(figures[c]) for c in _COLUMNS)))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def by_category(outcomes: Iterable[Outcome]) -> list[tuple[str, list[Outcome]]]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.category or "-", []).append(outcome)
    return sorted(groups.items())
