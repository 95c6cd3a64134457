"""A place of the question and how it may be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["table", "column", "value", "flag", "formula", "none"]


How = Literal["name", "comment", "value", "code", "synonym"]


@dataclass(frozen=True)
class Candidate:
    """One reading of a place. `value`/`op` are the condition of a value or flag."""

    kind: Kind
    table: str
    column: str | None = None
    value: str | None = None
    op: str = "="
    score: float = 0.0
    how: How = "name"
    rows: int = 0
    method: str = ""
    formula: str | None = None  # sql of a calculated concept
    full: bool = True  # every word of the name was said

    @property
    def target(self) -> str:
        """`schema.table` or `schema.table.column`."""
        return f"{self.table}.{self.column}" if self.column else self.table

    @property
    def key(self) -> str:
        """Stable name of this reading."""
        parts = [
            self.kind,
            self.target,
            self.op if self.value is not None else "",
            self.value or self.formula or "",
        ]
        return "|".join(parts)


@dataclass(frozen=True)
class Mention:
    """Tokens [start, end) and how they may be read, best first."""

    start: int
    end: int
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


@dataclass(frozen=True)
class Hit:
    start: int
    end: int
    candidate: Candidate
    strength: float


NONE = Candidate("none", "", score=0.4)
