"""All URLs of the product."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver, include, path

from thoth.lib import http

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", login_not_required(http.healthz), name="healthz"),
    path("accounts/", include("thoth.accounts.urls")),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("sessions_app.urls")),
]

handler400 = http.bad_request
handler403 = http.permission_denied
handler404 = http.page_not_found
handler500 = http.server_error
