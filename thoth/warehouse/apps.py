from __future__ import annotations

from django.apps import AppConfig


class WarehouseConfig(AppConfig):
    name = "thoth.warehouse"
