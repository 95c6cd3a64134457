"""Read-only pages of what sessions recorded: nothing here may be added, changed or deleted."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from sessions_app.models import (
    Artifact,
    FreeText,
    LedgerRow,
    OutboxRow,
    Receipt,
    Run,
    Session,
    Widget,
    WorkflowVersion,
)


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable at run time
    """Viewing needs the ordinary view permission; everything else is refused to all."""

    list_select_related = True
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Session)
class SessionAdmin(ReadOnly):
    list_display = ["public_id", "workspace", "status", "phase", "author", "created_at"]
    list_filter = ["status", "workspace", "phase"]
    search_fields = ["public_id", "question", "title"]
    date_hierarchy = "created_at"


@admin.register(LedgerRow)
class LedgerRowAdmin(ReadOnly):
    list_display = ["session", "seq", "type", "phase", "subject", "author", "created_at"]
    list_filter = ["type", "phase"]
    search_fields = ["session__public_id", "subject"]


@admin.register(Widget)
class WidgetAdmin(ReadOnly):
    list_display = ["session", "uid", "stage", "kind", "status", "answered_by", "answered_at"]
    list_filter = ["status", "kind", "stage"]
    search_fields = ["session__public_id"]


@admin.register(FreeText)
class FreeTextAdmin(ReadOnly):
    list_display = ["session", "uid", "kind", "status", "text", "reading"]
    list_filter = ["status", "kind"]
    search_fields = ["session__public_id", "text"]


@admin.register(Run)
class RunAdmin(ReadOnly):
    list_display = ["session", "step", "session_version", "status", "attempts", "started_at"]
    list_filter = ["status", "step"]
    search_fields = ["session__public_id"]


@admin.register(Artifact)
class ArtifactAdmin(ReadOnly):
    list_display = ["session", "name", "stage", "content_id", "created_at"]
    list_filter = ["stage"]
    search_fields = ["session__public_id", "name"]


@admin.register(Receipt)
class ReceiptAdmin(ReadOnly):
    list_display = ["session", "stage", "purpose", "vector_generation", "created_at"]
    list_filter = ["purpose"]
    search_fields = ["session__public_id"]


@admin.register(OutboxRow)
class OutboxRowAdmin(ReadOnly):
    list_display = ["key", "kind", "status", "attempts", "created_at"]
    list_filter = ["status", "kind"]
    search_fields = ["key"]


@admin.register(WorkflowVersion)
class WorkflowVersionAdmin(ReadOnly):
    list_display = ["version", "sha256", "created_at"]
