"""Fixtures of the session tests."""

from __future__ import annotations

from tests.sessions_app.kit import cardio, reviewer, scripted, steered_transcript

__all__ = ["cardio", "reviewer", "scripted", "steered_transcript"]
