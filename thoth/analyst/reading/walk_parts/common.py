"""Words that the walk knows, and small helpers of it."""

from __future__ import annotations

from thoth.analyst.reading.draft import (
    Draft,
    MeasureDraft,
)
from thoth.analyst.reading.items import Item

AGGREGATES = frozenset({"sum", "avg", "min", "max", "median", "stddev"})


GRAINS = {"yearly": "year", "quarterly": "quarter", "monthly": "month", "weekly": "week", "daily": "day",
          "weekdayly": "weekday"}  # fmt: skip


GRAIN_WORDS = {"year": "year", "years": "year", "anno": "year", "anni": "year", "month": "month", "months": "month",
               "mese": "month", "mesi": "month", "quarter": "quarter", "quarters": "quarter", "trimestre": "quarter",
               "week": "week", "weeks": "week", "settimana": "week", "day": "day", "days": "day", "giorno": "day"}  # fmt: skip


MONEY_WORDS = frozenset(
    {
        "amount",
        "amounts",
        "revenue",
        "revenues",
        "value",
        "importo",
        "ricavo",
        "ricavi",
        "fatturato",
    }
)


MONEY_COLUMNS = frozenset(
    {
        "amount",
        "price",
        "cost",
        "revenue",
        "importo",
        "prezzo",
        "costo",
        "ricavo",
        "rimborso",
        "fee",
        "total",
    }
)


COMPARISONS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "=", "ne": "!="}


UNITS = frozenset(
    {"day", "days", "giorno", "giorni", "week", "weeks", "hours", "ore", "minutes", "minuti"}
)


ARTICLES = frozenset({"il", "lo", "la", "i", "gli", "le", "l"})


AFTER = {"ge_after": ">=", "le_after": "<="}


COUNTING_SUPERS = ("frequent", "common", "comun", "numeros", "diffus", "popular")


BREAKERS = frozenset({",", ";", ":", "?", ".", "(", ")"})


def place(item: Item) -> int:
    """The index of the item's mention, -1 when it is none."""
    return -1 if item.mention is None else item.mention


def same_rows(known: MeasureDraft, new: MeasureDraft, draft: Draft) -> bool:
    entity = draft.entity.target if draft.entity else None
    one = known.target.target if known.target else entity
    other = new.target.target if new.target else entity
    return one == other


ROW_STATISTICS = frozenset({"avg", "min", "max", "median", "stddev"})
PREPOSITIONS = frozenset(
    [
        "of",
        "in",
        "from",
        "that",
        "for",
        "to",
        "at",
        "on",
        "di",
        "dei",
        "delle",
        "del",
        "della",
        "nel",
        "nei",
        "nella",
        "da",
        "al",
        "a",
    ]
)
POSSESSIVES = frozenset({"their", "its", "loro", "relativa", "relativo"})
VERBS = frozenset({"is", "are", "was", "were", "be", "sono", "e", "ha", "hanno"})
