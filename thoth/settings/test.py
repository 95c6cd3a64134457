"""Overrides for the test-suite; everything else is what production runs."""

from __future__ import annotations

from thoth.settings.base import *  # noqa: F403

SECRET_KEY = "tests-" + "x" * 50
THOTH_LEDGER_KEY = "tests-ledger-key"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True  # no scan of every static file at each test client's start
