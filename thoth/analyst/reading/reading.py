"""A complete reading of a question: intent and the linking that serves it."""

from __future__ import annotations

from dataclasses import dataclass, field

from thoth.contracts.decisions import Grounding
from thoth.contracts.intent import QueryIntent
from thoth.contracts.tools import JoinEdge


@dataclass
class ColumnUse:
    column: str
    role: str
    serves: list[str] = field(default_factory=list)
    why: str = ""


@dataclass
class LiteralUse:
    """`literal` of filter `serves` is grounded on `groundings`; `alternatives` are other groundings."""

    literal: str
    serves: str
    groundings: tuple[Grounding, ...]
    alternatives: tuple[Grounding, ...] = ()


@dataclass
class FormulaUse:
    concept: str
    sql: str
    columns: tuple[str, ...]
    serves: list[str] = field(default_factory=list)
    source: str = "synthesised"
    explanation: str = ""


@dataclass
class Reading:
    """`keys` name the chosen reading of each mention; `trouble` makes it unusable."""

    intent: QueryIntent | None = None
    tables: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[tuple[str, str], ColumnUse] = field(default_factory=dict)
    joins: list[JoinEdge] = field(default_factory=list)
    literals: list[LiteralUse] = field(default_factory=list)
    formulas: list[FormulaUse] = field(default_factory=list)
    score: float = 0.0
    widened: int = 0  # conditions on rows that one row of the population may have several of
    penalty: float = 0.0  # for weak constructions: a count of text, a condition that only a table's presence makes
    unexplained: tuple[str, ...] = ()
    ignored: set[int] = field(default_factory=set)  # tokens of remarks that ask for nothing
    grains: set[str] = field(default_factory=set)
    keys: tuple[str, ...] = ()
    trouble: tuple[str, tuple[str, ...]] | None = None
    assumptions: tuple[str, ...] = ()
    doubts: tuple[object, ...] = ()

    @property
    def ok(self) -> bool:
        return self.intent is not None and self.trouble is None and not self.unexplained
