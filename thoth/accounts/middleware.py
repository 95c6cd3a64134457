"""Who the request is from, by settings.THOTH_AUTH.

none   everybody is `local`, who has every role
mock   whoever one says one is: the sign-in form, or `?as=NAME&role=ROLE` on any address
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import cast
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject
from django.utils.http import escape_leading_slashes

from thoth.accounts.forms import SignInForm
from thoth.accounts.roles import LOCAL_USER, ROLES
from thoth.accounts.services import local_user_ensure, user_ensure
from thoth.lib.errors import Forbidden
from thoth.lib.http import error_response

BACKEND = "django.contrib.auth.backends.ModelBackend"


class AuthModeMiddleware(MiddlewareMixin):
    """Signs in without a password where the mode says so, and only on this machine."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not settings.THOTH_ALLOW_INSECURE_AUTH and not _arrived_locally(request):
            message = "This installation asks for no password and answers only on its own machine."
            return error_response(request, Forbidden("insecure_auth", message))
        if settings.THOTH_AUTH == "none":
            _sign_in_local(request)
        elif "as" in request.GET:
            return _sign_in_as(request)
        return None


def _arrived_locally(request: HttpRequest) -> bool:
    # The system check reads THOTH_BIND; this holds however the server was started. Only an IP
    # address is a socket's: a test client says "testserver", a UNIX socket gives its path.
    server = getattr(request, "scope", {}).get("server") or ("",)
    try:
        return ip_address(server[0]).is_loopback
    except ValueError:
        return True


def _sign_in_local(request: HttpRequest) -> None:
    def local() -> User:
        user = User.objects.filter(username=LOCAL_USER).first()
        return user or local_user_ensure()

    async def alocal() -> User:
        user = await User.objects.filter(username=LOCAL_USER).afirst()
        return user or await sync_to_async(local_user_ensure)()

    request.user = cast(User, SimpleLazyObject(local))
    request.auser = alocal


def _sign_in_as(request: HttpRequest) -> HttpResponse | None:
    roles = request.GET.getlist("role") or ["reviewer"]
    form = SignInForm({"username": request.GET["as"], "roles": roles})
    if not form.is_valid():
        message = "`as` must be a name of letters, digits, - and _; `role` one of " + ", ".join(
            ROLES
        )
        return error_response(request, Forbidden("mock_sign_in", message + "."))
    login(request, user_ensure(**form.as_arguments()), backend=BACKEND)
    if request.method != "GET":
        return None
    # Without the parameters, so that a reload or a shared address signs nobody in.
    rest = [
        (key, value)
        for key, values in request.GET.lists()
        if key not in ("as", "role")
        for value in values
    ]
    # A path like //elsewhere.org would be another host's address.
    path = escape_leading_slashes(request.path)
    return HttpResponseRedirect(path + (f"?{urlencode(rest)}" if rest else ""))
