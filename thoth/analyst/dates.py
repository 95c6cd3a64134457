"""The date that a reading's period is about, and the reading with another one."""

from __future__ import annotations

from dataclasses import replace

from thoth.analyst.reading.reading import ColumnUse, Reading

KEY = "period|"  # a clarification that names the date of the period
_PERIOD = "p1"


def date_of(reading: Reading) -> str | None:
    """The column that serves the period."""
    return next((c for (c, _), use in reading.columns.items() if _PERIOD in use.serves), None)


def moved(reading: Reading, column: str, subject: str) -> Reading:
    """The reading with its period, and groups cut from the same date, on another date of the table."""
    before = date_of(reading)
    if before is None or before == column or before.rpartition(".")[0] != column.rpartition(".")[0]:
        return reading
    columns: dict[tuple[str, str], ColumnUse] = {}
    for (name, role), use in reading.columns.items():
        target = column if name == before and role in ("period", "dimension") else name
        known = columns.get((target, role))
        serves = [*known.serves, *use.serves] if known else list(use.serves)
        columns[target, role] = ColumnUse(target, role, serves, use.why)
    intent = reading.intent
    if intent is not None and intent.period is not None:
        period = intent.period.model_copy(update={"subject": subject})
        intent = intent.model_copy(update={"period": period})
    return replace(reading, columns=columns, intent=intent, assumptions=())
