"""Conditions before they are placed: trees of atoms that know which tables they speak of.

Negation follows SQL: NULL satisfies neither a condition nor its negation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from sqlglot import exp

from thoth.analyst.compile.scope import Scope
from thoth.analyst.compile.serving import Ref

Make = Callable[[Scope], exp.Expr]


@dataclass(frozen=True)
class Atom:
    """A condition on columns of `tables`; `negative` is what it becomes under a negation."""

    tables: frozenset[str]
    positive: Make
    negative: Make


@dataclass(frozen=True)
class Group:
    """Conditions joined by OR (`any_of`) or AND."""

    parts: tuple[Condition, ...]
    any_of: bool

    @property
    def tables(self) -> frozenset[str]:
        return frozenset[str]().union(*(part.tables for part in self.parts))


@dataclass(frozen=True)
class Negated:
    of: Condition

    @property
    def tables(self) -> frozenset[str]:
        return self.of.tables


@dataclass(frozen=True)
class Related:
    """A related row of `table` exists for which all `inner` conditions hold.

    Related means: reached by the approved joins, or, when `table` is joined already, having the same
    `keys` (columns of that table).
    """

    table: str
    inner: tuple[Condition, ...] = ()
    keys: tuple[Ref, ...] = ()

    @property
    def tables(self) -> frozenset[str]:
        return frozenset({self.table}).union(*(part.tables for part in self.inner))


Condition = Atom | Group | Negated | Related


def negated(condition: Condition, *, really: bool) -> Condition:
    return Negated(condition) if really else condition


def all_of(parts: list[exp.Expr]) -> exp.Expr:
    """The conjunction, flat, with parentheses around alternatives."""
    wrapped = [exp.paren(p, copy=False) if isinstance(p, exp.Or) else p for p in parts]
    return reduce(lambda a, b: exp.And(this=a, expression=b), wrapped)


def one_of(parts: list[exp.Expr]) -> exp.Expr:
    wrapped = [exp.paren(p, copy=False) if isinstance(p, exp.And) else p for p in parts]
    return reduce(lambda a, b: exp.Or(this=a, expression=b), wrapped)
