"""Signing in by name (auth mode `mock`) and out."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from thoth.accounts.forms import SignInForm
from thoth.accounts.middleware import BACKEND
from thoth.accounts.services import user_ensure
from thoth.lib.errors import NotFound


@login_not_required
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    _require_mock()
    target = _safe_next(request)
    form = SignInForm(request.POST or None)
    if form.is_valid():
        login(request, user_ensure(**form.as_arguments()), backend=BACKEND)
        return HttpResponseRedirect(target)
    status = 422 if request.method == "POST" else 200
    return render(request, "accounts/sign_in.html", {"form": form, "next": target}, status=status)


@login_not_required
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    _require_mock()
    logout(request)
    return HttpResponseRedirect(settings.LOGIN_REDIRECT_URL)


def _require_mock() -> None:
    if settings.THOTH_AUTH != "mock":
        raise NotFound("not_found", "Nobody signs in here: everybody is the local user.")


def _safe_next(request: HttpRequest) -> str:
    target = request.POST.get("next") or request.GET.get("next") or settings.LOGIN_REDIRECT_URL
    allowed = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if allowed else settings.LOGIN_REDIRECT_URL
