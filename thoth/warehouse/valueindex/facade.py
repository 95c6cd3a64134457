"""The door of the value index."""

from __future__ import annotations

from thoth.warehouse.valueindex.refresh import ColumnReport, Report, index_refresh
from thoth.warehouse.valueindex.search import values_search

__all__ = ["ColumnReport", "Report", "index_refresh", "values_search"]
