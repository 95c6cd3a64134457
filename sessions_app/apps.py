from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SessionsConfig(AppConfig):
    name = "sessions_app"
    verbose_name = _("Sessions")

    def ready(self) -> None:
        """Stop the start when workflow.yaml breaks a rule, in every kind of process."""
        import_module("sessions_app.workflow").default()
        import_module("sessions_app.checks")
