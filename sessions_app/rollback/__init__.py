"""Going back: one answer, one phase, or to a chosen phase; what is lost; what can be kept."""

from __future__ import annotations

from sessions_app.rollback.kept import (
    Reopening,
    keep_decisions,
    removed_decisions,
    reopening_of,
)
from sessions_app.rollback.losses import Losses, rollback_losses
from sessions_app.rollback.service import Rolled, rollback

__all__ = [
    "Losses",
    "Reopening",
    "Rolled",
    "keep_decisions",
    "removed_decisions",
    "reopening_of",
    "rollback",
    "rollback_losses",
]
