"""What stands in a FROM clause, as far as names matter: columns, in order, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from thoth.contracts.schema import Table


@dataclass(frozen=True, slots=True)
class OutColumn:
    """A column of a relation or result.

    `name` is None when PostgreSQL invents one that we do not predict. `sources` are the warehouse
    columns ("schema.table.column") whose stored values it can show; a count or a comparison shows none.
    """

    name: str | None
    sources: frozenset[str] = frozenset()
    hidden: bool = False

    def merged_with(self, other: OutColumn) -> OutColumn:
        return replace(
            self, sources=self.sources | other.sources, hidden=self.hidden or other.hidden
        )


@dataclass(frozen=True, slots=True)
class Relation:
    """One named item of a FROM clause. `schema` is set for a warehouse table under its own name."""

    name: str | None
    columns: tuple[OutColumn, ...]
    schema: str | None = None

    @property
    def has_hidden(self) -> bool:
        return any(column.hidden for column in self.columns)

    def renamed(self, name: str, columns: Sequence[str]) -> Relation:
        """Under an alias; `columns` rename the first ones by position."""
        renamed = [replace(old, name=new) for old, new in zip(self.columns, columns, strict=False)]
        return Relation(name, (*renamed, *self.columns[len(renamed) :]))


@dataclass(frozen=True, slots=True)
class Group:
    """Joined relations. `columns` is what `*` and bare names see: merged columns stand once, first."""

    relations: tuple[Relation, ...]
    columns: tuple[OutColumn, ...]

    @classmethod
    def of(cls, relation: Relation) -> Group:
        return cls((relation,), relation.columns)

    def joined(self, other: Group, shared: Iterable[str] = ()) -> Group:
        """The join; `shared` are the names of USING or NATURAL."""
        names = list(dict.fromkeys(shared))
        merged = [self._the(name).merged_with(other._the(name)) for name in names]
        rest = [c for c in (*self.columns, *other.columns) if c.name not in names]
        return Group((*self.relations, *other.relations), (*merged, *rest))

    def _the(self, name: str) -> OutColumn:
        return next(column for column in self.columns if column.name == name)

    def count(self, name: str) -> int:
        return sum(1 for column in self.columns if column.name == name)


@dataclass(slots=True)
class Scope:
    """The names that an expression may use: groups of this level, then the levels around it."""

    ctes: dict[str, tuple[OutColumn, ...]]
    parent: Scope | None = None
    groups: list[Group] = field(default_factory=list)

    def levels(self) -> Iterable[Scope]:
        level: Scope | None = self
        while level is not None:
            yield level
            level = level.parent

    def relations(self) -> Iterable[Relation]:
        return (relation for group in self.groups for relation in group.relations)

    def within(self, *groups: Group) -> Scope:
        """The scope of an ON clause: it sees its own join, not the other items of the FROM list."""
        return Scope(self.ctes, self.parent, list(groups))


def relation_of(table: Table) -> Relation:
    """A warehouse table under its own name, with the columns of the catalog."""
    columns = tuple(
        OutColumn(column.name, frozenset({f"{table.full_name}.{column.name}"}), column.hidden)
        for column in table.columns
    )
    return Relation(table.name, columns, table.schema_name)
