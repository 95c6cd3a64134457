"""System checks of sessions: what would only show in the middle of somebody's work otherwise.

sessions_app.E001 (database): workflow.yaml changed under a version that sessions began with. Every
start migrates first, and `migrate` runs the checks of the database; creating a session refuses too.
sessions_app.E002: no key to sign the ledger with.
sessions_app.W001 (database): the serving role may change ledger rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.db import connections

from sessions_app import workflow
from sessions_app.errors import WorkflowChanged
from sessions_app.grants import APPEND_ONLY, can_change


@checks.register(checks.Tags.database)
def workflow_unchanged(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    """The installed workflow is the one that sessions of its version began with."""
    if "default" not in (databases or ()) or not _migrated():
        return []
    version = workflow.changed_under_use()
    if version is None:
        return []
    return [checks.Error(WorkflowChanged(version).message, id="sessions_app.E001")]


@checks.register(checks.Tags.database)
def ledger_closed(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    """The role that serves requests cannot change append-only rows."""
    role = settings.THOTH_DB_APP_ROLE
    if not role or "default" not in (databases or ()) or not _migrated():
        return []
    return [
        checks.Warning(
            f"The role {role} may change rows of {table}.",
            hint="Run `tht ledger_grants` as the owner of the tables.",
            id="sessions_app.W001",
        )
        for table in APPEND_ONLY
        if can_change(connections["default"], role, table)
    ]


@checks.register(checks.Tags.security)
def ledger_key_set(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    """There is a key to sign ledger rows with."""
    if settings.THOTH_LEDGER_KEY:
        return []
    message = "THOTH_LEDGER_KEY is not set: no decision can be recorded."
    return [checks.Error(message, id="sessions_app.E002")]


def _migrated() -> bool:
    return "sessions_app_workflowversion" in connections["default"].introspection.table_names()
