from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"

    def ready(self) -> None:
        """Stop the start when workflow.yaml breaks a rule, in every kind of process."""
        import_module("sessions_app.workflow").default()
        import_module("sessions_app.checks")
