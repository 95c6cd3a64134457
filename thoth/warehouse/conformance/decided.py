"""The decided slice and the intent as the rules ask for them."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from thoth.contracts.intent import Filter, Measure, QueryIntent
from thoth.contracts.schema import Catalog
from thoth.contracts.task import DecidedSlice
from thoth.warehouse.conformance.canon import canon, stripped


@dataclass(frozen=True)
class ApprovedJoin:
    """`pairs` are (left column, right column) by full name."""

    subject: str
    pairs: frozenset[tuple[str, str]]
    kind: str
    cardinality: str

    def columns(self, table: str) -> frozenset[str]:
        """The join's columns of one table (all of them when it joins a table with itself)."""
        names = {name for pair in self.pairs for name in pair}
        return frozenset(name for name in names if name.rpartition(".")[0] == table)


@dataclass(frozen=True)
class ApprovedFormula:
    concept: str
    expression: exp.Expr
    text: str
    columns: frozenset[str]
    is_condition: bool = False
    aggregated: bool = False


class Decided:
    """What F4 decided about one intent, indexed for the rules."""

    def __init__(self, intent: QueryIntent, slice_: DecidedSlice, catalog: Catalog) -> None:
        self.intent = intent
        self.slice = slice_
        self.catalog = catalog
        self.filters = {f.id: f for f in intent.filters}
        self.joins = [_join(subject, j.kind, j.cardinality) for subject, j in slice_.joins.items()]
        self.formulas = {c: _formula(c, f.sql, f.columns) for c, f in slice_.formulas.items()}

    def columns(self, id_: str) -> list[str]:
        return [name for name, column in self.slice.columns.items() if id_ in column.serves]

    def formula(self, id_: str, concept: str | None) -> ApprovedFormula | None:
        for name, formula in self.slice.formulas.items():
            if id_ in formula.serves:
                return self.formulas[name]
        return self.formulas.get(concept) if concept else None

    def tables(self, id_: str) -> list[str]:
        return [name for name, table in self.slice.tables.items() if id_ in table.serves]

    def population(self) -> str | None:
        served = self.tables("population")
        counted = [t for m in self.intent.measures for t in self.tables(m.id)]
        return next(iter([*served, *counted]), None)

    def family(self, column: str) -> str:
        found = self.catalog.column(column)
        return found.family if found else "text"

    def key(self, table: str) -> frozenset[str]:
        found = self.catalog.table(table)
        return frozenset(f"{table}.{name}" for name in found.primary_key) if found else frozenset()

    def unique(self, table: str, columns: frozenset[str]) -> bool:
        """Whether these columns (full names) tell the table's rows apart, by its keys."""
        found = self.catalog.table(table)
        keys = (found.primary_key, *found.unique_keys) if found else ()
        return any(key and columns >= {f"{table}.{name}" for name in key} for key in keys)

    def same(self, one: str, other: str) -> bool:
        """Whether two columns are one value, because an approved inner join equates them."""
        return one == other or any(
            (one, other) in join.pairs or (other, one) in join.pairs for join in self.joins
        )

    def parity(self, filter_: Filter) -> bool:
        """Whether an odd number of negated `exists` encloses the filter's own conditions."""
        outer = self.filters.get(filter_.within or "")
        return False if outer is None else outer.negated != self.parity(outer)

    def depth(self, filter_: Filter) -> int:
        outer = self.filters.get(filter_.within or "")
        return 0 if outer is None else 1 + self.depth(outer)

    def measure(self, id_: str) -> Measure | None:
        return next((m for m in self.intent.measures if m.id == id_), None)


def _join(subject: str, kind: str, cardinality: str) -> ApprovedJoin:
    sides = [part.partition("=") for part in subject.split("&")]
    pairs = frozenset((left.strip(), right.strip()) for left, _, right in sides)
    return ApprovedJoin(subject, pairs, kind, cardinality)


def _formula(concept: str, sql: str, columns: tuple[str, ...]) -> ApprovedFormula:
    """An unreadable formula equals nothing, so its rule will say that it does not occur."""
    try:
        tree = sqlglot.parse_one(f"SELECT {sql}", read="postgres").expressions[0].unalias()
    except (SqlglotError, IndexError, RecursionError):
        return ApprovedFormula(concept, exp.null(), f"unreadable {sql}", frozenset())
    known = {name.rpartition(".")[2]: name for name in columns}
    full = tree.transform(lambda n: _full(n, known) if isinstance(n, exp.Column) else n)
    names = frozenset(c.name for c in full.find_all(exp.Column))
    root = full.unnest()
    condition = isinstance(root, (exp.Predicate, exp.Connector, exp.Not))
    aggregated = full.find(exp.AggFunc) is not None
    return ApprovedFormula(concept, full, canon(root), names, condition, aggregated)


def _full(column: exp.Column, known: dict[str, str]) -> exp.Column:
    parts = [p.name if p.args.get("quoted") else p.name.lower() for p in column.parts]
    name = ".".join(parts) if len(parts) > 1 else known.get(parts[0], parts[0])
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def measure_text(expression: exp.Expr) -> str:
    return canon(stripped(expression))
