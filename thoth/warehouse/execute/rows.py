"""Rows as text, exactly as PostgreSQL writes them, with typed and uniquely named columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thoth.contracts.schema import TypeFamily

Cell = str | None
Row = tuple[Cell, ...]
MASK = "•••"

# Types by object id: fixed since PostgreSQL's beginnings. The rest is "other" and stays text.
_FAMILIES: dict[int, TypeFamily] = {
    16: "boolean", 20: "integer", 21: "integer", 23: "integer", 25: "text", 18: "text", 19: "text",
    1042: "text", 1043: "text", 700: "decimal", 701: "decimal", 790: "decimal", 1700: "decimal",
    1082: "date", 1083: "time", 1266: "time", 1114: "timestamp", 1184: "timestamp",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """`name` as the database gave it; `header` is unique within the result."""

    name: str
    header: str
    family: TypeFamily
    type_oid: int
    masked: bool = False


@dataclass(frozen=True, slots=True)
class QueryRows:
    """A result in memory. Cells are PostgreSQL's text or None for NULL; integers and decimals lose
    nothing. `truncated`: the query has more rows than were fetched."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    truncated: bool
    sha256: str
    elapsed_ms: int


def family_of(type_oid: int) -> TypeFamily:
    return _FAMILIES.get(type_oid, "other")


def unique_headers(names: Sequence[str]) -> list[str]:
    """`id, id` → `id, id_2`: two columns may share a name, and long ones do once they are cut."""
    taken = set(names)
    seen: set[str] = set()
    headers = []
    for name in names:
        header, number = name, 2
        while header in seen or (header != name and header in taken):
            header, number = f"{name}_{number}", number + 1
        seen.add(header)
        headers.append(header)
    return headers


def masked_rows(rows: Iterator[Row], columns: Sequence[ResultColumn]) -> Iterator[Row]:
    """Identifying values as •••; NULL stays NULL."""
    masked = [column.masked for column in columns]
    if not any(masked):
        yield from rows
        return
    for row in rows:
        yield tuple(
            MASK if hide and cell is not None else cell
            for cell, hide in zip(row, masked, strict=True)
        )
