"""From a draft to a complete reading: the population, its joins, dates, and who serves what."""

from __future__ import annotations

from thoth.analyst.reading.resolve_parts.common import Unresolved
from thoth.analyst.reading.resolve_parts.resolver import Resolver

__all__ = ["Resolver", "Unresolved"]
