"""One walk over the items, left to right: each mention gets the role that the phrases give it."""

from __future__ import annotations

from thoth.analyst.reading.walk_parts.common import GRAIN_WORDS
from thoth.analyst.reading.walk_parts.walker import Walker

__all__ = ["GRAIN_WORDS", "Walker"]
