"""Fixtures of the session tests."""

from __future__ import annotations

from tests.sessions_app.kit import cardio, reviewer

__all__ = ["cardio", "reviewer"]
