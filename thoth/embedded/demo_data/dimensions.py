"""The small dimensions: calendar, departments, diagnoses, procedures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from thoth.embedded.demo_data import vocabulary as words
from thoth.embedded.demo_data.frames import (
    NULL,
    Ints,
    TableRows,
    day,
    day_key,
    flag,
    integer,
    label,
    table,
    text,
)
from thoth.embedded.demo_data.sampling import calendar, months, weekdays, years


def dimension_tables() -> Iterator[TableRows]:
    """dim_tempo, dim_reparto, dim_diagnosi, dim_procedura: the same for every seed and scale."""
    yield _calendar_table()
    yield _department_table()
    yield _diagnosis_table()
    yield _procedure_table()


def _ints(values: Sequence[int | bool | None]) -> Ints:
    return np.array([NULL if value is None else int(value) for value in values], dtype=np.int64)


def _calendar_table() -> TableRows:
    days = calendar()
    month, weekday = months(days), weekdays(days)
    day_of_month = (
        days
        - days.astype("datetime64[D]")
        .astype("datetime64[M]")
        .astype("datetime64[D]")
        .astype(np.int64)
    ) + 1
    holiday = np.isin(month * 100 + day_of_month, list(words.FIXED_HOLIDAYS))
    return table(
        "dim_tempo",
        [
            day_key("data_key", days),
            day("data", days),
            integer("anno", years(days)),
            integer("trimestre", (month - 1) // 3 + 1),
            integer("mese", month),
            label("nome_mese", month - 1, words.MONTH_NAMES),
            integer("giorno_settimana", weekday),
            label("nome_giorno", weekday - 1, words.DAY_NAMES),
            flag("fine_settimana", (weekday > 5).astype(np.int64)),
            flag("festivo", holiday.astype(np.int64)),
        ],
    )


def _department_table() -> TableRows:
    rows = words.DEPARTMENTS
    return table(
        "dim_reparto",
        [
            integer("id_reparto", np.arange(1, len(rows) + 1)),
            text("codice_reparto", [row.code for row in rows]),
            text("descrizione", [row.name for row in rows]),
            text("tipo_reparto", [row.kind for row in rows]),
            text("presidio", [row.site for row in rows]),
            integer("posti_letto", _ints([row.beds for row in rows])),
            flag("attivo", _ints([row.active for row in rows])),
        ],
    )


def _diagnosis_table() -> TableRows:
    rows = words.DIAGNOSES
    return table(
        "dim_diagnosi",
        [
            integer("id_diagnosi", np.arange(1, len(rows) + 1)),
            text("codice_icd9", [row.code for row in rows]),
            text("descrizione", [row.name for row in rows]),
            text("categoria", [row.category for row in rows]),
            flag("cronica", _ints([row.chronic for row in rows])),
        ],
    )


def _procedure_table() -> TableRows:
    rows = words.PROCEDURES
    return table(
        "dim_procedura",
        [
            integer("id_procedura", np.arange(1, len(rows) + 1)),
            text("codice_icd9", [row.code for row in rows]),
            text("descrizione", [row.name for row in rows]),
            text("categoria", [row.category for row in rows]),
            flag("invasiva", _ints([row.invasive for row in rows])),
        ],
    )
