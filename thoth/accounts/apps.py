"""Registers the app and its checks."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import register


class AccountsConfig(AppConfig):
    name = "thoth.accounts"

    def ready(self) -> None:
        """Register the check that guards unprotected auth modes."""
        from thoth.accounts.checks import check_auth_mode  # noqa: PLC0415 - apps must be loaded

        register(check_auth_mode, "start")
