from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from sessions_app.grants import grant_application_role


class Command(BaseCommand):
    help = (
        "Give THOTH_DB_APP_ROLE its rights: every table, but only INSERT and SELECT on the ledger."
    )

    def handle(self, *args: Any, **options: Any) -> str:
        role = settings.THOTH_DB_APP_ROLE
        if not role:
            raise CommandError("Set THOTH_DB_APP_ROLE to the role that serves requests.")
        try:
            grant_application_role(connection, role)
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from None
        return f"{role} may use the tables and append to the ledger."
