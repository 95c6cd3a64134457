"""Django's door to the models of the warehouse; each feature keeps its own module of them."""

from __future__ import annotations

from thoth.warehouse.catalog_models import WarehouseCatalog
from thoth.warehouse.valueindex.models import (
    ValueColumn,
    ValueIndex,
    ValueItem,
    ValueOccurrence,
    ValuePosting,
    ValueWord,
)

__all__ = [
    "ValueColumn",
    "ValueIndex",
    "ValueItem",
    "ValueOccurrence",
    "ValuePosting",
    "ValueWord",
    "WarehouseCatalog",
]
