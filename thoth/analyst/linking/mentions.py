"""Which places of the question may name which table, column, value, or flag."""

from __future__ import annotations

from thoth.analyst.language.frame import Frame
from thoth.analyst.linking.candidates import Candidate, Mention
from thoth.analyst.linking.names import (
    column_hits,
    counted_hits,
    formula_hits,
    table_hits,
    without_table_names,
)
from thoth.analyst.linking.phrases import usable_tokens
from thoth.analyst.linking.schema_view import SchemaView
from thoth.analyst.linking.selection import select, with_silent
from thoth.analyst.linking.stored import code_hits, place_hits, sample_hits, value_hits
from thoth.contracts.tools import ValueSearch

__all__ = ["Candidate", "Mention", "find_mentions", "segmentations"]


_SEGMENTATIONS_MAX = 3


def find_mentions(frame: Frame, schema: SchemaView, values: ValueSearch) -> tuple[Mention, ...]:
    """Non-overlapping mentions in question order; the strongest places win."""
    return segmentations(frame, schema, values)[0]


def segmentations(
    frame: Frame, schema: SchemaView, values: ValueSearch
) -> tuple[tuple[Mention, ...], ...]:
    """The mentions with the strongest places first, then with a contested long value taken apart."""
    usable = usable_tokens(frame)
    hits = [h for table in schema.tables.values() for h in table_hits(frame, table, usable)]
    for column in schema.columns:
        hits += column_hits(frame, column, schema.tables[column.table], usable)
        hits += code_hits(frame, column, usable)
        hits += sample_hits(frame, column, usable)
    hits = without_table_names(hits)
    hits += counted_hits(frame, schema)
    hits += formula_hits(frame, schema, usable)
    hits += value_hits(frame, schema, values)
    hits += place_hits(frame, schema)
    ways = [select(frame, hits)]
    for mention in ways[0]:
        if (
            mention.end - mention.start > 1
            and mention.best.kind == "value"
            and not _quoted(frame, mention)
        ):
            inner = [
                h
                for h in hits
                if not (
                    h.start <= mention.start
                    and h.end >= mention.end
                    and h.candidate.kind == "value"
                )
            ]
            other = select(frame, inner)
            if other not in ways and len(ways) < _SEGMENTATIONS_MAX:
                ways.append(other)
    return tuple(with_silent(frame, schema, way) for way in ways)


def _quoted(frame: Frame, mention: Mention) -> bool:
    return any(frame.tokens[i].kind == "quoted" for i in range(mention.start, mention.end))
