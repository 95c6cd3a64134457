"""Curation in Django's admin. The role curator opens it; being staff or superuser does not."""

from __future__ import annotations

import contextlib
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.i18n import JavaScriptCatalog

from evidence_app.curation import (
    history_page,
    proposal_page,
    resolve_page,
    source_page,
    unit_page,
    workspace_page,
)
from evidence_app.curation.access import curator_only, is_curator
from evidence_app.curation.forms import KIND_LABELS, PURPOSE_LABELS
from evidence_app.models import EvidenceUnit, Proposal, ReviewItem
from evidence_app.sync import evidence_sync_if_moved
from thoth.lib.errors import ThothError
from thoth.workspaces.facade import workspace_names

ACTIONS = {
    "settle": _("Settle their open questions"),
    "retire": _("Retire them"),
    "relink": _("Give them another source"),
}


# Whose texts the list's scripts use.
PACKAGES = ["django.contrib.admin"]


class KindFilter(admin.SimpleListFilter):
    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(KIND_LABELS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


class PurposeFilter(admin.SimpleListFilter):
    title = _("purpose")
    parameter_name = "purpose"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(PURPOSE_LABELS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(purposes__contains=[self.value()]) if self.value() else queryset


class Curated(admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable at run time
    """Rows mirror files: nothing is added, changed or deleted except through a commit."""

    change_list_template = "admin/evidence_app/unit_list.html"
    show_full_result_count = False
    list_per_page = 50

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_curator(request)

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return is_curator(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def page_urls(self) -> list[URLPattern]:
        """The pages beside the list, each guarded by itself."""
        return []

    def get_urls(self) -> list[URLPattern]:
        # Not admin_site.admin_view: a curator need not be staff.
        name = f"evidence_app_{self.opts.model_name}_changelist"
        return [*self.page_urls(), path("", curator_only(self.changelist_view), name=name)]


@admin.register(EvidenceUnit)
class EvidenceUnitAdmin(Curated):
    list_display = ["title", "kind_label", "purpose_labels", "source_file", "state"]
    list_filter = ["workspace", KindFilter, PurposeFilter, "blocks_publication"]
    search_fields = ["title", "evidence_id", "text", "concepts", "source_file"]
    actions = ["settle", "retire", "relink"]

    def page_urls(self) -> list[URLPattern]:
        unit, work = "evidence_app_evidenceunit", "workspace/<slug:workspace>"
        return [
            path("<path:object_id>/change/", unit_page.unit_view, name=f"{unit}_change"),
            path("<path:object_id>/history/", history_page.history_view, name=f"{unit}_history"),
            path(
                "jsi18n/",
                curator_only(JavaScriptCatalog.as_view(packages=PACKAGES)),
                name="evidence_jsi18n",
            ),
            path("resolve/", resolve_page.resolve_view, name="evidence_resolve"),
            path(f"{work}/", workspace_page.workspace_view, name="evidence_workspace"),
            path(f"{work}/sync/", workspace_page.sync_view, name="evidence_sync"),
            path(f"{work}/source/", source_page.source_view, name="evidence_source"),
            path(f"{work}/upload/", source_page.upload_view, name="evidence_upload"),
            path(f"{work}/prepare/", proposal_page.prepare_view, name="evidence_prepare"),
        ]

    def get_list_display(self, request: HttpRequest) -> Any:
        # Of one workspace alone the column says nothing.
        several = len(workspace_names()) > 1
        return [*self.list_display, "workspace"] if several else self.list_display

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        names = workspace_names()
        for name in names:
            # What was pushed from a clone shows; a workspace without Evidence has no rows.
            with contextlib.suppress(ThothError):
                evidence_sync_if_moved(name)
        context = {**(extra_context or {}), "workspaces": names}
        return super().changelist_view(request, context)

    @admin.display(description=_("kind"), ordering="kind")
    def kind_label(self, unit: EvidenceUnit) -> SafeString:
        return format_html(
            '<span class="pill tint">{}</span>', KIND_LABELS.get(unit.kind, unit.kind)
        )

    @admin.display(description=_("purposes"))
    def purpose_labels(self, unit: EvidenceUnit) -> SafeString:
        labels = ((PURPOSE_LABELS.get(purpose, purpose),) for purpose in unit.purposes)
        return format_html_join(" ", '<span class="pill">{}</span>', labels)

    @admin.display(description=_("state"), ordering="blocks_publication")
    def state(self, unit: EvidenceUnit) -> SafeString:
        if unit.broken:
            return format_html('<span class="pill bad">{}</span>', _("unreadable"))
        if unit.blocks_publication:
            return format_html('<span class="pill warn">{}</span>', _("blocks publication"))
        return format_html('<span class="pill good">{}</span>', _("publishable"))

    @admin.action(description=ACTIONS["settle"])
    def settle(self, request: HttpRequest, queryset: QuerySet[EvidenceUnit]) -> HttpResponse:
        units = list(queryset.prefetch_related("review_items"))
        chosen = [item.pk for unit in units for item in unit.review_items.all()]
        order = resolve_page.open_order("settle", units, chosen)
        return resolve_page.shown(request, order)

    @admin.action(description=ACTIONS["retire"])
    def retire(self, request: HttpRequest, queryset: QuerySet[EvidenceUnit]) -> HttpResponse:
        return resolve_page.shown(request, resolve_page.open_order("retire", list(queryset), []))

    @admin.action(description=ACTIONS["relink"])
    def relink(self, request: HttpRequest, queryset: QuerySet[EvidenceUnit]) -> HttpResponse:
        return resolve_page.shown(request, resolve_page.open_order("relink", list(queryset), []))


@admin.register(ReviewItem)
class ReviewItemAdmin(Curated):
    list_display = ["message", "code", "unit_link", "field"]
    list_display_links = None
    list_filter = ["unit__workspace", "code", "unit__kind"]
    list_select_related = ["unit"]
    search_fields = ["message", "unit__title", "unit__evidence_id"]
    actions = ["settle", "retire", "relink"]

    @admin.display(description=_("unit"), ordering="unit__title")
    def unit_link(self, item: ReviewItem) -> SafeString:
        return format_html('<a href="../evidenceunit/{}/change/">{}</a>', item.unit_id, item.unit)

    @admin.action(description=_("Settle them"))
    def settle(self, request: HttpRequest, queryset: QuerySet[ReviewItem]) -> HttpResponse:
        items = list(queryset)
        units = resolve_page.items_units(items)
        order = resolve_page.open_order("settle", units, [item.pk for item in items])
        return resolve_page.shown(request, order)

    @admin.action(description=_("Retire their units"))
    def retire(self, request: HttpRequest, queryset: QuerySet[ReviewItem]) -> HttpResponse:
        units = resolve_page.items_units(list(queryset))
        return resolve_page.shown(request, resolve_page.open_order("retire", units, []))

    @admin.action(description=_("Give their units another source"))
    def relink(self, request: HttpRequest, queryset: QuerySet[ReviewItem]) -> HttpResponse:
        units = resolve_page.items_units(list(queryset))
        return resolve_page.shown(request, resolve_page.open_order("relink", units, []))


@admin.register(Proposal)
class ProposalAdmin(Curated):
    list_display = ["__str__", "status", "author", "created_at", "decided_by"]
    list_filter = ["workspace", "status"]

    def page_urls(self) -> list[URLPattern]:
        name = "evidence_app_proposal_change"
        return [path("<path:object_id>/change/", proposal_page.proposal_view, name=name)]
