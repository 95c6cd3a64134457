"""The door of the value index."""

from __future__ import annotations

from collections.abc import Collection

from thoth.contracts.schema import Catalog
from thoth.lib.errors import NotFound
from thoth.warehouse.catalog import catalog_refresh
from thoth.warehouse.execute.target import Target
from thoth.warehouse.valueindex.models import ValueIndex
from thoth.warehouse.valueindex.refresh import (
    ColumnReport,
    Progress,
    Report,
    index_drop,
    index_refresh,
)
from thoth.warehouse.valueindex.search import values_search
from thoth.warehouse.valueindex.source import ValueSource
from thoth.warehouse.valueindex.warehouse_source import WarehouseSource
from thoth.workspaces.facade import workspace_get

__all__ = [
    "ColumnReport",
    "Progress",
    "Report",
    "index_drop",
    "index_refresh",
    "value_source",
    "values_indexed",
    "values_preprocess",
    "values_search",
]


def values_preprocess(
    workspace: str, *, tables: Collection[str] | None = None, progress: Progress | None = None
) -> Report:
    """Read the warehouse's schema and values again and bring the workspace's index up to date.

    With `tables` (schema.table) only theirs are read. `progress` gets one line per column.
    Columns that could not be read are in `report.failed`.
    Raises: as `catalog_refresh`; Conflict `value_index_busy`; NotFound `table_unknown`.
    """
    catalog = catalog_refresh(workspace)
    for name in tables or ():
        if catalog.table(name) is None:
            raise NotFound("table_unknown", f"The workspace has no table {name}.", table=name)
    return index_refresh(workspace, value_source(workspace, catalog), progress, tables=tables)


def value_source(workspace: str, catalog: Catalog) -> ValueSource:
    """The workspace's warehouse, for `values_search` to ask about codes that are not stored."""
    return WarehouseSource(Target.of(workspace_get(workspace)), catalog)


def values_indexed(workspace: str) -> bool:
    """Whether a refresh of the workspace's index has ever ended."""
    return ValueIndex.objects.filter(workspace=workspace, refreshed_at__isnull=False).exists()
