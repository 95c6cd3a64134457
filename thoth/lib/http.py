"""HTTP helpers every page and endpoint shares: request ids, headers, errors, fragments.

Errors leave as an RFC 9457 problem (`application/problem+json`) for programs, as the fragment
`errors/_error.html` for htmx and as the page `errors/error.html` for people.
"""

from __future__ import annotations

import logging
import re
import sys
import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from http import HTTPStatus

from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from thoth.lib.errors import ThothError

logger = logging.getLogger(__name__)

PROBLEM_TYPE = "application/problem+json"
REQUEST_ID_HEADER = "X-Request-ID"
request_id_var: ContextVar[str] = ContextVar("request_id", default="-")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")

# Scripts only from our own files. Styles inline too: Mermaid and the result grid write some.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class RequestIdFilter(logging.Filter):
    """Puts the current request's id, or `-`, on every log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id_var.get()
        return True


class RequestIdMiddleware(MiddlewareMixin):
    """Names each request: the caller's X-Request-ID when it is harmless, else a new one."""

    def process_request(self, request: HttpRequest) -> None:
        given = request.headers.get(REQUEST_ID_HEADER, "")
        request_id_var.set(given if _REQUEST_ID.match(given) else uuid.uuid4().hex[:12])

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:  # noqa: ARG002
        response[REQUEST_ID_HEADER] = request_id_var.get()
        return response


class AddressMiddleware(MiddlewareMixin):
    """Refuses what no address of ours contains and PostgreSQL cannot look up: NUL characters.

    It also gives a refused method a body: Django's own answer has none.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if "\x00" in request.path:
            return page_not_found(request, Http404())
        if _has_nul(request.META.get("QUERY_STRING", "")):
            return bad_request(request, SuspiciousOperation())
        return None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.streaming:
            return response
        message = _("The request could not be understood.")
        answer = _answer(request, 405, "method_not_allowed", message)
        answer["Allow"] = response.get("Allow", "")
        return answer


class SecurityHeadersMiddleware(MiddlewareMixin):
    """Adds the content security policy and switches off what no page uses."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:  # noqa: ARG002
        response.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response


class ErrorMiddleware(MiddlewareMixin):
    """Turns a ThothError that a view raised into the answer its caller understands."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ThothError):
            return None
        level = logging.ERROR if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR else logging.INFO
        logger.log(level, "request_refused code=%s status=%s", error.code, error.status)
        return error_response(request, error)


def error_response(request: HttpRequest, error: ThothError) -> HttpResponse:
    """The answer for one of our errors, in the form that this request's caller reads."""
    return _answer(request, error.status, error.code, error.message, error.extra)


def wants_json(request: HttpRequest) -> bool:
    """Is the caller a program? (The API's paths, or JSON asked for and no HTML.)"""
    return request.path.startswith("/api/") or not request.accepts("text/html")


def is_fragment(request: HttpRequest) -> bool:
    """Should only a fragment be rendered? Yes for htmx, but not for a boosted link, which
    replaces the page, nor when htmx restores a page that its history lost."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not (htmx.boosted or htmx.history_restore_request)


def page_or_fragment(
    request: HttpRequest,
    page: str,
    fragment: str,
    context: Mapping[str, object] | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """Render `fragment` for htmx, else `page` (which includes the fragment), kept apart in caches."""
    template = fragment if is_fragment(request) else page
    response = render(request, template, dict(context or {}), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Django's handler400."""
    return _answer(request, 400, "bad_request", _("The request could not be understood."))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Django's handler403."""
    return _answer(request, 403, "forbidden", _("You may not do this."))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Django's handler404."""
    return _answer(request, 404, "not_found", _("There is nothing at this address."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """settings.CSRF_FAILURE_VIEW."""
    logger.info("csrf_refused reason=%s", reason)
    message = _("This page is out of date or cookies are switched off. Reload it and try again.")
    return _answer(request, 403, "csrf_failed", message)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500; Django has logged the exception with the request's id."""
    # Called while the exception is handled. Middleware meets a lost database too, not views alone.
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        message = _("The database does not answer. Nothing was lost: try again in a moment.")
        return _answer(request, 503, "database_unavailable", message)
    message = _("Something went wrong on our side. The log has it under %(id)s.")
    return _answer(request, 500, "internal_error", message % {"id": request_id_var.get()})


def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The process answers, and in auth mode `none` the database too (it knows who `local` is)."""
    return HttpResponse("ok", content_type="text/plain")


def _has_nul(query: str) -> bool:
    return "\x00" in query or "%00" in query


def _answer(
    request: HttpRequest,
    status: int,
    code: str,
    message: str,
    extra: Mapping[str, object] | None = None,
) -> HttpResponse:
    problem = {
        "type": f"urn:thoth:error:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": message,
        "code": code,
        "extra": dict(extra or {}),
    }
    if wants_json(request):
        return JsonResponse(problem, status=status, content_type=PROBLEM_TYPE)
    context = {"problem": problem, "request_id": request_id_var.get()}
    return page_or_fragment(
        request, "errors/error.html", "errors/_error.html", context, status=status
    )
