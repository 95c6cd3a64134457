"""What the owner of a session does in it, one action per address."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST
from django_htmx.http import trigger_client_event

from sessions_app import facade
from sessions_app.access import session_get_for_owner, session_get_for_user
from sessions_app.models import Session, Widget
from sessions_app.pages.answer_form import (
    answer_of_form,
    draft_of_form,
    other_of_form,
    text_of,
)
from sessions_app.pages.session_page import session_page
from sessions_app.views.common import refused, session_action, shown, user_of
from sessions_app.widgets.request import UiRequest
from thoth.lib.errors import Conflict, Invalid, NotFound, Upstream
from thoth.lib.http import is_fragment


@require_POST
def answer(request: HttpRequest, public_id: str, widget_id: str) -> HttpResponse:
    session = session_get_for_owner(user_of(request), public_id)
    try:
        body = answer_of_form(_request_of(session, widget_id), request.POST)
        facade.answer(public_id, body, user=user_of(request))
    except (Conflict, Invalid, Upstream) as error:
        return refused(request, public_id, error, draft_of_form(request.POST))
    return shown(request, public_id)


@require_POST
def other(request: HttpRequest, public_id: str, widget_id: str) -> HttpResponse:
    session = session_get_for_owner(user_of(request), public_id)
    try:
        body = other_of_form(_request_of(session, widget_id), request.POST)
        facade.answer(public_id, body, user=user_of(request))
    except (Conflict, Invalid, Upstream) as error:
        return refused(request, public_id, error, draft_of_form(request.POST))
    return shown(request, public_id)


@session_action
def pause(request: HttpRequest, session: Session) -> None:
    facade.pause(session.public_id, user=user_of(request))


@session_action
def resume(request: HttpRequest, session: Session) -> None:
    facade.resume(session.public_id, user=user_of(request))


@session_action
def retry(request: HttpRequest, session: Session) -> None:
    facade.retry(session.public_id, user=user_of(request))


@session_action
def not_meant(request: HttpRequest, session: Session, text_id: str) -> None:
    facade.not_what_i_meant(session.public_id, text_id, user=user_of(request))


@require_POST
def steer(request: HttpRequest, public_id: str) -> HttpResponse:
    user = user_of(request)
    session_get_for_owner(user, public_id)
    text, form_key = text_of(request.POST, "text"), request.POST.get("key") or uuid.uuid4().hex
    # Back and other words is another request; only the same form sent twice is the same.
    key = request.headers.get("Idempotency-Key") or f"{form_key}\n{text}"
    try:
        facade.steer(public_id, text, user=user, idempotency_key=key)
    except (Conflict, Invalid) as error:
        if not is_fragment(request):
            return refused(request, public_id, error)
        return _steer_box(request, public_id, error=error, text=text)
    if not is_fragment(request):
        return shown(request, public_id)
    return trigger_client_event(_steer_box(request, public_id, sent=True), "thoth:refresh")


@require_POST
def take_over(request: HttpRequest, public_id: str) -> HttpResponse:
    user = user_of(request)
    session_get_for_user(user, public_id)
    facade.take_over(public_id, user=user)
    return shown(request, public_id)


def _request_of(session: Session, widget_id: str) -> UiRequest:
    """The stored request. Raises: NotFound `widget_not_found`."""
    stored = Widget.objects.filter(session=session, uid=widget_id).values_list("request", flat=True)
    request = stored.first()
    if request is None:
        raise NotFound("widget_not_found", "There is no such question in this session.")
    return UiRequest.model_validate(request)


def _steer_box(
    request: HttpRequest,
    public_id: str,
    *,
    error: Conflict | Invalid | None = None,
    text: str = "",
    sent: bool = False,
) -> HttpResponse:
    user = user_of(request)
    page = session_page(session_get_for_user(user, public_id), user)
    context = {
        "session": page,
        "steer_error": error,
        "steer_text": text,
        "steer_sent": sent,
        "steer_key": uuid.uuid4().hex,
    }
    return render(request, "sessions/_steer.html", context, status=error.status if error else 200)
