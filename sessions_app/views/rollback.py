"""Going back: the dialog that says what will be lost, and the step itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from django_htmx.http import retarget, trigger_client_event

from sessions_app import facade
from sessions_app.access import session_get_for_owner
from sessions_app.models import Session
from sessions_app.pages.answer_form import text_of
from sessions_app.pages.going_back import going_back
from sessions_app.views.common import (
    refused,
    render_page,
    session_action,
    shown,
    user_of,
)
from thoth.lib.errors import Conflict, Invalid, Stale, ThothError
from thoth.lib.http import is_fragment
from thoth.lib.text import whole_number


@require_GET
def dialog(request: HttpRequest, public_id: str) -> HttpResponse:
    session = session_get_for_owner(user_of(request), public_id)
    return _dialog(request, session, request.GET.get("target", ""))


@session_action
def rollback(request: HttpRequest, session: Session) -> HttpResponse:
    target, text = request.POST.get("target", ""), text_of(request.POST, "text")
    try:
        version = _version(request)
        facade.rollback(
            session.public_id, target, user=user_of(request), expected_version=version, text=text
        )
    except Invalid as error:
        if not is_fragment(request):
            raise
        response = _dialog(request, session, target, error=error, text=text)
        return retarget(response, "#dialog-host")
    except Conflict as error:
        return _closing(request, refused(request, session.public_id, error))
    return _closing(request, shown(request, session.public_id))


def _version(request: HttpRequest) -> int:
    """The version that the reviewer saw, from `If-Match` or the form."""
    given = request.headers.get("If-Match", "").strip('" ') or request.POST.get("version", "")
    version = whole_number(given)
    if version is None:
        raise Stale("session_version_missing", "Say which version of the session you saw.")
    return version


def _dialog(
    request: HttpRequest,
    session: Session,
    target: str,
    *,
    error: ThothError | None = None,
    text: str = "",
) -> HttpResponse:
    context = {"back": going_back(session, target), "error": error, "text": text}
    status = error.status if error else 200
    if is_fragment(request):
        return render(request, "sessions/_rollback.html", context, status=status)
    template = "sessions/rollback.html"
    return render_page(request, template, context, current=session.public_id, status=status)


def _closing(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response also closes the dialog it was asked from."""
    if not is_fragment(request):
        return response
    return trigger_client_event(response, "thoth:close-dialog")
