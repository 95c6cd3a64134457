"""What an option would mean in numbers and rows. Best effort: what fails or takes long is left out."""

from __future__ import annotations

from collections.abc import Sequence

from sessions_app.phases import conditions
from sessions_app.warehouse import SessionWarehouse
from thoth.contracts.decisions import Grounding

QUERIES_MAX = 12  # a widget never waits for more than these


def counts(warehouse: SessionWarehouse, queries: Sequence[str | None]) -> list[int | None]:
    """The one number of each query; None for no query, a failure, or one beyond the bound."""
    allowed = [sql if place < QUERIES_MAX else None for place, sql in enumerate(queries)]
    return [warehouse.count(sql) if sql else None for sql in allowed]


def of_grounding(
    warehouse: SessionWarehouse, groundings: Sequence[Grounding], combine: str
) -> dict[str, object]:
    """`count` and a three-row `preview` of what the groundings select, each only when it is had."""
    query = conditions.count_sql(groundings, combine)
    rows_query = conditions.preview_sql(groundings, combine, warehouse.catalog)
    count = warehouse.count(query) if query else None
    preview = warehouse.preview(rows_query) if rows_query and count else None
    return meta(count=count, preview=preview)


def meta(**values: object) -> dict[str, object]:
    """The values that say something."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}
