"""Overrides for the test-suite; everything else is what production runs."""

from __future__ import annotations

from thoth.settings.base import *  # noqa: F403

SECRET_KEY = "tests"  # noqa: S105
THOTH_LEDGER_KEY = "tests"  # noqa: S105
