"""Frozen results of the read-only tools. The analyst reads the fields, a language model gets `.text`.

Every result is bounded (thoth.lib.limits) and says in `omitted` what was left out.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal

from thoth.contracts.schema import Frozen, Table

MatchType = Literal["exact", "normalised", "glued", "fuzzy", "token"]


class ValueHit(Frozen):
    """One column that holds the value. `score` 0-100; `rows` is the value's frequency."""

    column: str  # "schema.table.column"
    value: str  # raw, as stored
    score: float
    match: MatchType
    rows: int
    indexed_at: dt.datetime | None = None


class WordColumns(Frozen):
    """How many indexed values of a column contain a word (for a "contains" filter)."""

    word: str
    column: str
    values: int


class ValueSpan(Frozen):
    """One place of the searched text: characters [start, end) and what the warehouse holds for it."""

    text: str
    start: int
    end: int
    hits: tuple[ValueHit, ...]
    words: tuple[WordColumns, ...] = ()


class ValueSearch(Frozen):
    spans: tuple[ValueSpan, ...]
    omitted: int = 0

    @property
    def text(self) -> str:
        lines = []
        for span in self.spans:
            lines.append(f"«{span.text}»")
            lines += [
                f"  {hit.column} = {hit.value!r} ({hit.match}, score {hit.score:.0f}, {hit.rows} rows)"
                for hit in span.hits
            ]
        if self.omitted:
            lines.append(f"({self.omitted} more left out)")
        return "\n".join(lines) or "No value of the warehouse matches."


class ColumnHit(Frozen):
    column: str  # "schema.table.column"
    score: float
    matched: tuple[str, ...] = ()  # words of the text that matched


class SchemaHit(Frozen):
    """One table with its best columns, best first. Scores are comparable within one search only."""

    table: str
    score: float
    columns: tuple[ColumnHit, ...] = ()
    matched: tuple[str, ...] = ()


class SchemaSearch(Frozen):
    hits: tuple[SchemaHit, ...]
    omitted: int = 0

    @property
    def text(self) -> str:
        lines = [
            f"{hit.table} ({hit.score:.2f}): "
            + ", ".join(c.column.rpartition(".")[2] for c in hit.columns)
            for hit in self.hits
        ]
        if self.omitted:
            lines.append(f"({self.omitted} more left out)")
        return "\n".join(lines) or "No table matches."


class ColumnSample(Frozen):
    """Some stored values of a column, most frequent first; never of an identifying column."""

    column: str
    values: tuple[str, ...]
    distinct: int | None = None  # number of distinct values when known


class SchemaSlice(Frozen):
    """Full description of at most eight tables."""

    tables: tuple[Table, ...]
    samples: tuple[ColumnSample, ...] = ()
    rendered: str = ""
    omitted: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.rendered


class JoinEdge(Frozen):
    """`left.columns[i] = right.columns[i]`. `cardinality` reads from left to right."""

    left: str  # "schema.table"
    left_columns: tuple[str, ...]
    right: str
    right_columns: tuple[str, ...]
    cardinality: Literal["one_to_one", "many_to_one", "one_to_many", "many_to_many"]
    declared: bool = True  # False: inferred from names and types, no foreign key says so

    @property
    def subject(self) -> str:
        """`a.b.c=d.e.f[&…]` with the sides sorted: the ledger's name of this join."""
        pairs = (
            sorted((f"{self.left}.{a}", f"{self.right}.{b}"))
            for a, b in zip(self.left_columns, self.right_columns, strict=True)
        )
        return "&".join(sorted(f"{a}={b}" for a, b in pairs))

    @property
    def subject_cardinality(
        self,
    ) -> Literal["one_to_one", "many_to_one", "one_to_many", "many_to_many"]:
        """The cardinality as a decision carries it: read from the subject's left table to its right."""
        turned: dict[str, Literal["one_to_many", "many_to_one"]] = {
            "many_to_one": "one_to_many",
            "one_to_many": "many_to_one",
        }
        left_first = self.subject.startswith(f"{self.left}.") and self.left != self.right
        return self.cardinality if left_first else turned.get(self.cardinality, self.cardinality)


class JoinPath(Frozen):
    """A tree that connects the asked tables, best first. `tables` includes those in between."""

    tables: tuple[str, ...]
    edges: tuple[JoinEdge, ...]
    score: float


class JoinSearch(Frozen):
    paths: tuple[JoinPath, ...]
    unconnected: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        lines = [" AND ".join(edge.subject for edge in path.edges) for path in self.paths]
        if self.unconnected:
            lines.append("No path to: " + ", ".join(self.unconnected))
        return "\n".join(lines)


class Explanation(Frozen):
    """What the planner expects of a guarded query; `error` is set when it was refused."""

    total_cost: float = 0.0
    rows: int = 0
    error_code: str | None = None
    error: str | None = None

    @property
    def text(self) -> str:
        if self.error:
            return f"refused ({self.error_code}): {self.error}"
        return f"cost {self.total_cost:.0f}, about {self.rows} rows"


class EvidenceHit(Frozen):
    id: str
    kind: str
    score: float
    excerpts: tuple[str, ...]
    citation: str = ""


class EvidenceSearch(Frozen):
    """`status` not_configured: the workspace has no Evidence; unavailable: see `message`."""

    status: Literal["available", "not_configured", "unavailable"]
    generation: str = ""
    hits: tuple[EvidenceHit, ...] = ()
    message: str = ""

    @property
    def text(self) -> str:
        if self.status != "available":
            return f"Evidence: {self.status}. {self.message}".strip()
        lines = [
            f"{hit.id} ({hit.kind}, {hit.score:.2f}): " + " … ".join(hit.excerpts)
            for hit in self.hits
        ]
        return "\n".join(lines) or "No Evidence matches."


class MemoryHit(Frozen):
    id: str  # mem-0001
    subject: str
    detail: str
    rationale: str
    score: float


class MemorySearch(Frozen):
    hits: tuple[MemoryHit, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(
            f"{hit.id} ({hit.score:.2f}) {hit.subject}: {hit.detail}" for hit in self.hits
        )
