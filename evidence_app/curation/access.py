"""Who may curate, and under which name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from thoth.accounts.services import require_role
from thoth.lib.errors import Forbidden
from thoth.workspaces.committing import Author

View = Callable[..., HttpResponseBase]


def user_of(request: HttpRequest) -> User:
    """The signed-in user: every page is behind LoginRequiredMiddleware."""
    return cast(User, request.user)


def is_curator(request: HttpRequest) -> bool:
    """Does the request come from a curator? Being a superuser is not enough."""
    try:
        require_role(user_of(request), "curator")
    except Forbidden:
        return False
    return user_of(request).is_active


def curator_only(view: View) -> View:
    """The view for curators; everybody else gets Forbidden `role_required`."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        require_role(user_of(request), "curator")
        return view(request, *args, **kwargs)

    return guarded


def author_of(user: User) -> Author:
    """The name under which the user's commits stand in the history."""
    return Author(user.get_full_name() or user.get_username(), user.email)
