"""Curation in Django's admin. The role curator opens it; being staff or superuser does not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.i18n import JavaScriptCatalog

from evidence_app.curation.access import View, curator_only, is_curator
from evidence_app.curation.forms import KIND_LABELS, PURPOSE_LABELS
from evidence_app.models import EvidenceUnit, Proposal, ReviewItem
from thoth.lib.errors import ThothError
from thoth.workspaces.facade import workspace_names

ACTIONS = {
    "settle": _("Settle their open questions"),
    "retire": _("Retire them"),
    "relink": _("Give them another source"),
}


# Whose texts the list's scripts use.
PACKAGES = ["django.contrib.admin"]


def _page(module: str, name: str) -> View:
    """The view, loaded by its first request: the units' model brings a SQL parser along."""

    @curator_only
    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        found = getattr(import_module(f"evidence_app.curation.{module}"), name)
        response: HttpResponse = found(request, *args, **kwargs)
        return response

    return view


def _ask(
    request: HttpRequest, how: str, units: list[EvidenceUnit], chosen: Iterable[int] = ()
) -> HttpResponse:
    """The page on which the curator decides about these units."""
    from evidence_app.curation import resolve_page  # noqa: PLC0415 - as _page

    return resolve_page.shown(request, resolve_page.open_order(how, units, list(chosen)))


def _units(items: QuerySet[ReviewItem]) -> list[EvidenceUnit]:
    """The units of the items, each once, with all their items."""
    units = EvidenceUnit.objects.filter(review_items__in=items).distinct()
    return list(units.prefetch_related("review_items"))


def _follow_repositories(names: list[str]) -> None:
    """What was pushed from a clone shows; a workspace without Evidence has no rows."""
    from evidence_app.sync import evidence_sync_if_moved  # noqa: PLC0415 - as _page

    for name in names:
        with contextlib.suppress(ThothError):
            evidence_sync_if_moved(name)


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
            path(
                "<path:object_id>/change/", _page("unit_page", "unit_view"), name=f"{unit}_change"
            ),
            path(
                "<path:object_id>/history/",
                _page("history_page", "history_view"),
                name=f"{unit}_history",
            ),
            path(
                "jsi18n/",
                curator_only(JavaScriptCatalog.as_view(packages=PACKAGES)),
                name="evidence_jsi18n",
            ),
            path("resolve/", _page("resolve_page", "resolve_view"), name="evidence_resolve"),
            path(f"{work}/", _page("workspace_page", "workspace_view"), name="evidence_workspace"),
            path(f"{work}/sync/", _page("workspace_page", "sync_view"), name="evidence_sync"),
            path(f"{work}/source/", _page("source_page", "source_view"), name="evidence_source"),
            path(f"{work}/upload/", _page("source_page", "upload_view"), name="evidence_upload"),
            path(
                f"{work}/prepare/", _page("proposal_page", "prepare_view"), name="evidence_prepare"
            ),
        ]

    def get_list_display(self, request: HttpRequest) -> Any:
        # Of one workspace alone the column says nothing.
        several = len(workspace_names()) > 1
        return [*self.list_display, "workspace"] if several else self.list_display

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        names = workspace_names()
        _follow_repositories(names)
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
        return _ask(request, "settle", units, chosen)

    @admin.action(description=ACTIONS["retire"])
    def retire(self, request: HttpRequest, queryset: QuerySet[EvidenceUnit]) -> HttpResponse:
        return _ask(request, "retire", list(queryset))

    @admin.action(description=ACTIONS["relink"])
    def relink(self, request: HttpRequest, queryset: QuerySet[EvidenceUnit]) -> HttpResponse:
        return _ask(request, "relink", list(queryset))


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
        return _ask(request, "settle", _units(queryset), [item.pk for item in queryset])

    @admin.action(description=_("Retire their units"))
    def retire(self, request: HttpRequest, queryset: QuerySet[ReviewItem]) -> HttpResponse:
        return _ask(request, "retire", _units(queryset))

    @admin.action(description=_("Give their units another source"))
    def relink(self, request: HttpRequest, queryset: QuerySet[ReviewItem]) -> HttpResponse:
        return _ask(request, "relink", _units(queryset))


@admin.register(Proposal)
class ProposalAdmin(Curated):
    list_display = ["__str__", "status", "author", "created_at", "decided_by"]
    list_filter = ["workspace", "status"]

    def page_urls(self) -> list[URLPattern]:
        name = "evidence_app_proposal_change"
        return [
            path("<path:object_id>/change/", _page("proposal_page", "proposal_view"), name=name)
        ]
