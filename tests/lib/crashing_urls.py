"""Addresses whose views fail, for test_http."""

from __future__ import annotations

from django.urls import path

from tests.lib.test_http import crash, lose_database, refuse
from thoth.urls import handler404, handler500
from thoth.urls import urlpatterns as product

urlpatterns = [*product, path("crash", crash), path("refuse", refuse), path("lost", lose_database)]
__all__ = ["handler404", "handler500", "urlpatterns"]
