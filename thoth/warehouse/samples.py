"""A few stored values per column, from the planner's statistics: no table is read for them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import psycopg

from thoth.contracts.schema import Catalog, Table
from thoth.contracts.tools import ColumnSample
from thoth.warehouse.execute.errors import translated
from thoth.warehouse.execute.session import connect
from thoth.warehouse.execute.target import Target

SAMPLE_VALUES = 5
VALUE_MAX_CHARS = 60
_CACHED = 8

# pg_stats shows a column only to who may read it, and nothing of a table with row security.
_STATS = """
SELECT schemaname || '.' || tablename || '.' || attname,
       (most_common_vals::text::text[])[1:%(limit)s],
       CASE WHEN n_distinct > 0 THEN n_distinct::bigint END
FROM pg_catalog.pg_stats
WHERE schemaname = ANY(%(schemas)s) AND NOT inherited AND most_common_vals IS NOT NULL
"""


def samples_of(
    target: Target, catalog: Catalog, tables: Iterable[Table]
) -> tuple[ColumnSample, ...]:
    """The most frequent values of the text columns of `tables`; identifying and hidden ones never.

    Empty where the warehouse has no statistics (ANALYZE was never run). One query per catalog
    version. Raises: Upstream `warehouse_unreachable|timeout|died`.
    """
    known = _statistics(target, catalog.version)
    samples = []
    for table in tables:
        for column in table.columns:
            full_name = f"{table.full_name}.{column.name}"
            if column.family != "text" or column.identifying or column.hidden:
                continue
            if found := known.get(full_name):
                samples.append(found)
    return tuple(samples)


@lru_cache(maxsize=_CACHED)
def _statistics(target: Target, version: str) -> dict[str, ColumnSample]:  # noqa: ARG001
    """`version` is part of the key only: a new catalog means new statistics."""
    parameters = {"schemas": list(target.schemas), "limit": SAMPLE_VALUES}
    try:
        with connect(target) as connection:
            rows = connection.execute(_STATS.encode(), parameters).fetchall()
    except psycopg.Error as error:
        raise translated(error) from error
    return {
        name: ColumnSample(
            column=name,
            values=tuple(str(value)[:VALUE_MAX_CHARS] for value in values or ()),
            distinct=distinct,
        )
        for name, values, distinct in rows
    }
