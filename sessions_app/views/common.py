"""What the views share: the typed request, pages with their navigation, refusals in place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST

from sessions_app.access import may_take_over, session_get_for_owner, session_get_for_user
from sessions_app.models import Session
from sessions_app.pages.navigation import navigation
from sessions_app.pages.session_page import session_page
from sessions_app.pages.widget_view import Draft
from thoth.lib.errors import Conflict, Invalid, ThothError, Upstream
from thoth.lib.http import is_fragment, wants_json

P = ParamSpec("P")
Action = Callable[Concatenate[HttpRequest, Session, P], HttpResponse | None]
View = Callable[..., HttpResponse]


def user_of(request: HttpRequest) -> User:
    """The signed-in user: every view is behind LoginRequiredMiddleware."""
    return cast(User, request.user)


def render_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, object],
    *,
    current: str = "",
    status: int = 200,
) -> HttpResponse:
    """A whole page with its left navigation."""
    nav = navigation(user_of(request), current=current)
    return render(request, template, {**context, "nav": nav}, status=status)


def session_response(
    request: HttpRequest,
    public_id: str,
    *,
    error: ThothError | None = None,
    draft: Draft | None = None,
) -> HttpResponse:
    """The session as it is now: the live fragment for htmx, else the page.

    A refusal is shown in place: an Invalid in the pending widget with what was filled in, anything
    else above it.
    """
    user = user_of(request)
    session = session_get_for_user(user, public_id)
    page = session_page(session, user, draft=draft)
    in_widget = isinstance(error, Invalid) and page.pending is not None and draft is not None
    context = {
        "session": page,
        "may_take_over": not page.mine and may_take_over(user, session),
        "widget_error": error if in_widget else None,
        "notice": error if error and not in_widget else None,
    }
    fragment = is_fragment(request)
    template = "sessions/_live_response.html" if fragment else "sessions/session.html"
    response = render_page(
        request, template, context, current=public_id, status=error.status if error else 200
    )
    patch_vary_headers(response, ["HX-Request"])
    return response


def session_action(action: Action[P]) -> View:
    """A POST by the session's owner. What is refused is shown on the session as it is now.

    `action` gets the session and may return its own response; by default the session is shown.
    """

    def view(
        request: HttpRequest, public_id: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        session = session_get_for_owner(user_of(request), public_id)
        try:
            response = action(request, session, *args, **kwargs)
        except (Conflict, Invalid, Upstream) as error:
            return refused(request, public_id, error)
        return response or shown(request, public_id)

    functools.update_wrapper(view, action)
    return require_POST(view)


def shown(request: HttpRequest, public_id: str) -> HttpResponse:
    """The session after an action: a fragment for htmx, a redirect for a plain form."""
    if is_fragment(request):
        return session_response(request, public_id)
    return HttpResponseRedirect(reverse("sessions:session", args=[public_id]))


def refused(
    request: HttpRequest, public_id: str, error: ThothError, draft: Draft | None = None
) -> HttpResponse:
    """The refusal in place for people; programs get the problem itself."""
    if wants_json(request):
        raise error
    return session_response(request, public_id, error=error, draft=draft)
