"""One session: its page and the part of it that changes by itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from sessions_app.views.common import session_response


@require_GET
def session(request: HttpRequest, public_id: str) -> HttpResponse:
    return session_response(request, public_id)


@require_GET
def live(request: HttpRequest, public_id: str) -> HttpResponse:
    return session_response(request, public_id)
