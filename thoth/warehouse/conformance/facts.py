"""What a query does, collected once: tables, equalities, conditions, aggregates.

The walk goes from the outermost SELECT into CTEs and derived tables, where it keeps its context, and
into EXISTS and IN, where it notes depth and negation. Columns of inner queries are resolved to the
base columns they come from, so a condition means the same wherever it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

Place = Literal["rows", "measure", "having"]


@dataclass(frozen=True)
class Context:
    """Where a condition stands. `exists_negated`: inside an odd number of negated EXISTS."""

    place: Place = "rows"
    exists_negated: bool = False
    depth: int = 0
    or_id: int | None = None


@dataclass(frozen=True)
class Instance:
    """One appearance of a base table. `side` is the join's: "", LEFT, RIGHT, FULL; None after FROM."""

    id: str
    table: str
    node: exp.Table
    context: Context
    side: str
    anti: bool
    frame: int


@dataclass(frozen=True)
class Equality:
    """`left = right` between columns of two instances (or of one table's two rows)."""

    left: str  # schema.table.column
    left_instance: str
    right: str
    right_instance: str
    context: Context
    node: exp.Expr


@dataclass(frozen=True)
class Atom:
    """One condition `key op value`; `key` is a base column or the canonical text of an expression."""

    number: int
    key: str
    op: str
    value: str
    negated: bool
    context: Context
    node: exp.Expr
    expression: exp.Expr


@dataclass(frozen=True)
class Aggregate:
    """One aggregate: `func` in the words of the intent, its argument resolved, its own conditions."""

    func: str
    distinct: bool
    argument: exp.Expr | None  # None: rows
    atoms: tuple[Atom, ...]
    node: exp.Expr
    frame: int
    windowed: bool = False


@dataclass
class Frame:
    """One SELECT: its sources by alias."""

    number: int
    scope: Scope
    parent: Frame | None
    context: Context
    sources: dict[str, Instance | Frame] = field(default_factory=dict)

    @property
    def select(self) -> exp.Select:
        expression = self.scope.expression
        assert isinstance(expression, exp.Select)
        return expression

    def projection(self, name: str) -> exp.Expr | None:
        found = next((p for p in self.select.expressions if p.alias_or_name == name), None)
        return found.unalias() if found is not None else None

    def source(self, alias: str) -> tuple[Instance | Frame, Frame] | None:
        """The source of that alias here or in an enclosing query, with the frame it belongs to."""
        if alias in self.sources:
            return self.sources[alias], self
        return self.parent.source(alias) if self.parent else None


@dataclass
class Facts:
    """Everything the rules ask for."""

    frames: list[Frame] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    equalities: list[Equality] = field(default_factory=list)
    atoms: list[Atom] = field(default_factory=list)
    aggregates: dict[int, Aggregate] = field(default_factory=dict)
    columns: list[tuple[str, exp.Column, bool]] = field(
        default_factory=list
    )  # ref, node, only counted or tested for NULL

    @property
    def main(self) -> Frame:
        return self.frames[0]

    def instance(self, id_: str) -> Instance:
        return next(i for i in self.instances if i.id == id_)


def base_column(instance: Instance, name: str, node: exp.Column) -> exp.Column:
    """A column that is called by its full name; its `table` is the instance it belongs to."""
    full = exp.to_identifier(f"{instance.table}.{name}", quoted=True)
    resolved = exp.Column(this=full, table=exp.to_identifier(instance.id))
    resolved.meta.update(node.this.meta)
    return resolved


def resolve(node: exp.Expr, frame: Frame) -> exp.Expr:
    """A copy whose columns are base columns; subqueries inside are left out as `subquery`."""

    def visit(part: exp.Expr) -> exp.Expr:
        if isinstance(part, (exp.Subquery, exp.Exists, exp.Select)):
            return exp.var("subquery")
        return _resolved(part, frame) if isinstance(part, exp.Column) else part

    return node.copy().transform(visit)


def _resolved(column: exp.Column, frame: Frame) -> exp.Expr:
    found = frame.source(column.table) if column.table else None
    if found is None:
        return _by_label(column, frame)
    source, _ = found
    if isinstance(source, Instance):
        return base_column(source, column.name, column)
    inner = source.projection(column.name)
    return exp.paren(resolve(inner, source), copy=False) if inner is not None else column


def _by_label(column: exp.Column, frame: Frame) -> exp.Expr:
    """ORDER BY may name a column of the result instead of one of a table."""
    projected = frame.projection(column.name)
    return resolve(projected, frame) if projected is not None else column


def deeper(context: Context, *, negated: bool) -> Context:
    """The context inside an EXISTS or IN."""
    return replace(
        context, depth=context.depth + 1, exists_negated=context.exists_negated != negated
    )
