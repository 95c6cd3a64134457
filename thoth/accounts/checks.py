"""System checks of the auth mode. Tag `start`: an error keeps the servers from starting."""

from __future__ import annotations

from collections.abc import Sequence

from django.apps.config import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error

from thoth.workspaces.models import is_loopback


def check_auth_mode(
    app_configs: Sequence[AppConfig] | None,
    **_: object,
) -> list[CheckMessage]:
    """`oidc` is not there yet; `none` and `mock` are only for this machine."""
    if settings.THOTH_AUTH == "oidc":
        message = "THOTH_AUTH=oidc comes in a later version; use none or mock."
        return [Error(message, id="accounts.E001")]
    if is_loopback(settings.THOTH_BIND) or settings.THOTH_ALLOW_INSECURE_AUTH:
        return []
    message = (
        f"THOTH_AUTH={settings.THOTH_AUTH} asks for no password, and THOTH_BIND={settings.THOTH_BIND} "
        "is not this machine alone. Bind 127.0.0.1, or set THOTH_ALLOW_INSECURE_AUTH=1 when "
        "something in front keeps strangers out."
    )
    return [Error(message, id="accounts.E002")]
