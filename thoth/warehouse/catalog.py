"""The catalog of a workspace: read once from the warehouse, kept in the database, cached by version."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache

from thoth.contracts.schema import Catalog
from thoth.lib.clock import now
from thoth.warehouse.catalog_models import WarehouseCatalog
from thoth.warehouse.introspect import introspect
from thoth.workspaces.facade import workspace_get

_CACHED_VERSIONS = 16


def catalog_refresh(workspace: str, *, moment: dt.datetime | None = None) -> Catalog:
    """Introspect the warehouse and make the result the current catalog.

    Unchanged content keeps its version; row estimates are refreshed. Safe to run twice.

    Raises: as `workspace_get` and `introspect`.
    """
    catalog = introspect(workspace_get(workspace))
    WarehouseCatalog.objects.update_or_create(
        workspace=workspace,
        version=catalog.version,
        defaults={"content": catalog.model_dump(mode="json"), "read_at": moment or now()},
    )
    _parsed.cache_clear()
    return catalog


def catalog_get(workspace: str) -> Catalog:
    """The current catalog; a workspace without one is introspected first. One query when cached.

    Columns newly listed as hidden or identifying in workspace.yaml count at once, before the next
    introspection. Raises: as `catalog_refresh`.
    """
    described = workspace_get(workspace)
    version = (
        WarehouseCatalog.objects.filter(workspace=workspace)
        .order_by("-read_at")
        .values_list("version", flat=True)
        .first()
    )
    if version is None:
        return catalog_refresh(workspace)
    catalog = _parsed(workspace, version)
    flags = (frozenset(described.columns.identifying), frozenset(described.columns.hidden))
    return catalog if _flags_of(catalog) == flags else catalog_refresh(workspace)


@lru_cache(maxsize=_CACHED_VERSIONS)
def _parsed(workspace: str, version: str) -> Catalog:
    row = WarehouseCatalog.objects.get(workspace=workspace, version=version)
    return Catalog.model_validate(row.content)


@lru_cache(maxsize=_CACHED_VERSIONS)
def _flags(workspace: str, version: str) -> tuple[frozenset[str], frozenset[str]]:
    catalog = _parsed(workspace, version)
    columns = [
        (f"{table.full_name}.{column.name}", column)
        for table in catalog.tables
        for column in table.columns
    ]
    return (
        frozenset(name for name, column in columns if column.identifying),
        frozenset(name for name, column in columns if column.hidden),
    )


def _flags_of(catalog: Catalog) -> tuple[frozenset[str], frozenset[str]]:
    return _flags(catalog.workspace, catalog.version)
