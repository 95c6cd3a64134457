"""The stored catalog of a workspace's warehouse: a projection, rebuilt by `workspace introspect`."""

from __future__ import annotations

from django.db import models


class WarehouseCatalog(models.Model):
    """One version of a workspace's catalog. The newest by `read_at` is current.

    `content` is a `thoth.contracts.schema.Catalog`; only `thoth.warehouse.catalog` reads it.
    """

    workspace = models.TextField()
    version = models.CharField(max_length=64)
    content = models.JSONField()
    read_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "version"], name="one_row_per_version")
        ]
        indexes = [models.Index(fields=["workspace", "-read_at"], name="catalog_newest")]

    def __str__(self) -> str:
        return f"{self.workspace} {self.version}"
