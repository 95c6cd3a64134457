"""A warehouse of values in memory, and the catalog that describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from thoth.contracts.schema import Catalog, Column, Table
from thoth.contracts.tools import ValueSpan
from thoth.warehouse.valueindex.source import DistinctValue, SourceColumn

WORKSPACE = "valori"
Values = Mapping[str, int] | Iterable[str]


def _counted(values: Values) -> dict[str, int]:
    if isinstance(values, Mapping):
        return dict(values)
    return dict.fromkeys(values, 1)


@dataclass
class MemorySource:
    """`columns` is full name → values (with row counts, or one row each).

    `described` overrides a column's description; `before` is called with a column's name before
    it is read, and may raise. `read` and `asked` record what was asked for.
    """

    values: dict[str, Values]
    described: dict[str, SourceColumn] = field(default_factory=dict)
    before: Callable[[str], None] = lambda _column: None
    read: list[str] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def columns(self) -> list[SourceColumn]:
        return [self.described.get(name, SourceColumn(name)) for name in self.values]

    def distinct_values(self, column: str, limit: int) -> list[DistinctValue]:
        self.read.append(column)
        self.before(column)
        counted = _counted(self.values[column])
        ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        return [DistinctValue(*pair) for pair in ordered[:limit]]

    def count_value(self, column: str, value: str) -> int:
        self.asked.append((column, value))
        self.before(column)
        return _counted(self.values[column]).get(value, 0)


def catalog_of(
    source: MemorySource, *, identifying: Iterable[str] = (), version: str = "1"
) -> Catalog:
    """A catalog with the source's columns; those in `identifying` are marked."""
    tables: dict[str, list[Column]] = {}
    marked = set(identifying)
    for described in source.columns():
        table, _, name = described.full_name.rpartition(".")
        tables.setdefault(table, []).append(
            Column(
                name=name,
                type=described.family,
                family=described.family,
                identifying=described.identifying or described.full_name in marked,
                hidden=described.hidden,
            )
        )
    return Catalog(
        workspace=WORKSPACE,
        version=version,
        tables=tuple(
            Table(
                schema_name=table.partition(".")[0],
                name=table.partition(".")[2],
                columns=tuple(columns),
            )
            for table, columns in tables.items()
        ),
    )


def found(spans: Iterable[ValueSpan]) -> list[tuple[str, str]]:
    """(column, value) of every hit, in order."""
    return [(hit.column, hit.value) for span in spans for hit in span.hits]


def values(spans: Iterable[ValueSpan]) -> list[str]:
    """Distinct values in the order of their hits."""
    return list(dict.fromkeys(value for _, value in found(spans)))
