"""What the words say before tables are joined: measures, groups, conditions, order, output."""

from __future__ import annotations

from dataclasses import dataclass, field

from thoth.analyst.language.periods import PeriodSpan
from thoth.analyst.linking.mentions import Candidate


@dataclass
class MeasureDraft:
    """`target` None means rows of the population. `when` are filters (indexes) of this measure alone."""

    agg: str
    target: Candidate | None = None
    distinct: bool = False
    when: list[int] = field(default_factory=list)
    percent: bool = False
    share: bool = False
    numerator: int | None = None
    denominator: int | None = None
    shown: bool = True
    label: str = ""
    unit: str | None = None

    def same(self, other: MeasureDraft) -> bool:
        return (self.agg, self.target and self.target.target, sorted(self.when), self.numerator) == (
            other.agg, other.target and other.target.target, sorted(other.when), other.numerator)  # fmt: skip


@dataclass
class DimensionDraft:
    """`entity` True: a table, to be shown by its label columns."""

    target: Candidate | None
    grain: str | None = None
    entity: bool = False
    shown: bool = True
    label: str = ""
    grouped: bool = False  # announced by "per", "in each"


@dataclass
class FilterDraft:
    op: str
    target: Candidate | None
    values: list[str] = field(default_factory=list)
    kind: str = "none"
    negated: bool = False
    literal: str = ""
    role: str = "rows"  # rows | when | having
    measure: int | None = None  # having: which measure
    within: int | None = None  # filter index of the exists it belongs to
    any_of: str | None = None
    amount: int | None = None
    unit: str | None = None
    position: int = 0
    mention: int = -1
    alternatives: list[Candidate] = field(default_factory=list)


@dataclass
class PeriodDraft:
    span: PeriodSpan
    subject: Candidate | None = None
    position: int = 0


@dataclass
class SuperDraft:
    direction: str
    number: int | None
    position: int
    target: Candidate | None = None
    measure: int | None = None
    used: bool = False
    loose: bool = False  # the number stood before the listed thing ("the 3 provinces with …")


@dataclass
class OrderDraft:
    direction: str
    measure: int | None = None
    dimension: int | None = None
    target: Candidate | None = None


@dataclass
class Draft:
    """`trouble` is (code, words) of the first thing that could not be placed."""

    measures: list[MeasureDraft] = field(default_factory=list)
    dimensions: list[DimensionDraft] = field(default_factory=list)
    filters: list[FilterDraft] = field(default_factory=list)
    periods: list[PeriodDraft] = field(default_factory=list)
    supers: list[SuperDraft] = field(default_factory=list)
    orders: list[OrderDraft] = field(default_factory=list)
    outputs: list[tuple[str, int]] = field(default_factory=list)  # ("m"|"d", index), as asked
    explicit_output: bool = False
    entity: Candidate | None = None  # what is counted or listed
    context: list[Candidate] = field(default_factory=list)  # tables that take part
    distinct: bool = False
    trend: bool = False
    limit: int | None = None
    limit_per: int | None = None  # the dimension within each value of which the limit holds
    ratio_agg: str | None = None
    whole: bool = False  # "A out of all B": what is said of B holds for A too
    penalty: float = 0.0
    trouble: tuple[str, tuple[str, ...]] | None = None
    ignored: set[int] = field(default_factory=set)
    grains: set[str] = field(default_factory=set)
    used_mentions: set[int] = field(default_factory=set)

    def fail(self, code: str, *words: str) -> None:
        if self.trouble is None:
            self.trouble = (code, words)
