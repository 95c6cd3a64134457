from __future__ import annotations

from tests.analyst.kit import ask

__all__ = ["ask"]
