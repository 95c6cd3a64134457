"""Errors reach programs as problems, htmx as fragments and people as pages."""

from __future__ import annotations

import json
import logging

import pytest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django_htmx.middleware import HtmxDetails
from pytest_django import Settings

from thoth.lib import errors, http
from thoth.lib.errors import Conflict, ThothError, Upstream

pytestmark = pytest.mark.django_db


def request_with(**headers: str) -> HttpRequest:
    request = RequestFactory().get("/sessions/", headers=headers)
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]
    return request


STALE = Conflict("widget_answered", "Somebody answered this already.", widget="u42")


def test_a_program_gets_a_problem() -> None:
    response = http.error_response(request_with(accept="application/json"), STALE)
    assert (response.status_code, response["Content-Type"]) == (409, "application/problem+json")
    assert json.loads(response.content) == {
        "type": "urn:thoth:error:widget_answered",
        "title": "Conflict",
        "status": 409,
        "detail": "Somebody answered this already.",
        "code": "widget_answered",
        "extra": {"widget": "u42"},
    }


def test_a_person_gets_a_page_and_htmx_its_fragment() -> None:
    page = http.error_response(request_with(accept="text/html"), STALE)
    fragment = http.error_response(request_with(accept="text/html", hx_request="true"), STALE)
    assert b"<html" in page.content
    assert b"<html" not in fragment.content
    for response in (page, fragment):
        assert response.status_code == 409
        assert b"Somebody answered this already." in response.content
        assert b"widget_answered" in response.content
        assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, False),
        ({"hx_request": "true"}, True),
        ({"hx_request": "true", "hx_boosted": "true"}, False),
        ({"hx_request": "true", "hx_history_restore_request": "true"}, False),
    ],
)
def test_only_a_plain_htmx_request_gets_a_fragment(headers: dict[str, str], expected: bool) -> None:
    assert http.is_fragment(request_with(**headers)) is expected


def test_vary_keeps_what_a_view_has_set() -> None:
    request = request_with(accept="text/html")
    request.session = Client().session
    response = http.page_or_fragment(
        request, "errors/error.html", "errors/_error.html", {"problem": {}}
    )
    assert "HX-Request" in response["Vary"]


def test_markup_in_a_message_is_text() -> None:
    error = Conflict("x", "<script>alert(1)</script>")
    assert b"<script>" not in http.error_response(request_with(accept="text/html"), error).content


def subclasses(kind: type[ThothError]) -> list[type[ThothError]]:
    return [kind, *(deeper for direct in kind.__subclasses__() for deeper in subclasses(direct))]


def test_every_error_has_a_status_of_its_own_kind() -> None:
    for kind in subclasses(ThothError):
        if kind is not ThothError:
            assert 400 <= kind.status < 600
            assert kind.status != 500, kind
    assert errors.Stale.status == 412


def test_an_unknown_address_is_a_page_or_a_problem(client: Client) -> None:
    page = client.get("/nowhere", headers={"accept": "text/html"})
    problem = client.get("/api/v1/nowhere")
    assert (page.status_code, problem.status_code) == (404, 404)
    assert b"There is nothing at this address" in page.content
    assert problem.json()["code"] == "not_found"


def test_a_crash_shows_an_id_and_no_trace(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.lib.crashing_urls"
    client = Client(raise_request_exception=False)
    response = client.get("/crash", headers={"x-request-id": "abc-1"})
    assert response.status_code == 500
    assert b"abc-1" in response.content
    assert b"Traceback" not in response.content
    assert b"hunter2" not in response.content


def test_a_lost_database_is_said_to_be_lost(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.lib.crashing_urls"
    client = Client(raise_request_exception=False)
    problem = client.get("/lost", headers={"accept": "application/json"})
    page = client.get("/lost", headers={"accept": "text/html"})
    assert (problem.status_code, problem.json()["code"]) == (503, "database_unavailable")
    assert page.status_code == 503
    assert b"Nothing was lost" in page.content
    assert b"10.0.0.1" not in page.content


def test_an_error_from_a_view_is_logged_once_with_its_code(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ROOT_URLCONF = "tests.lib.crashing_urls"
    with caplog.at_level(logging.INFO, logger="thoth"):
        response = Client().get("/refuse", headers={"accept": "application/json"})
    assert response.json()["code"] == "warehouse_unreachable"
    lines = [r.getMessage() for r in caplog.records if r.name == "thoth.lib.http"]
    assert lines == ["request_refused code=warehouse_unreachable status=502"]


def test_a_post_without_the_token_is_explained() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/sign-out/")
    assert response.status_code == 403
    assert b"csrf_failed" in response.content


@pytest.mark.parametrize("given", ["ok-1", "a\nb", "x" * 65, ""])
def test_a_request_id_is_taken_only_when_harmless(client: Client, given: str) -> None:
    response = client.get("/healthz", headers={"x-request-id": given} if given else {})
    assert (response["X-Request-ID"] == given) is (given == "ok-1")


def test_every_page_carries_the_security_headers(client: Client) -> None:
    response = client.get("/admin/")
    policy = response["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"


def refuse(request: HttpRequest) -> HttpResponse:
    raise Upstream("warehouse_unreachable", "The warehouse does not answer.", transient=True)


def lose_database(request: HttpRequest) -> HttpResponse:
    raise OperationalError("connection to server at 10.0.0.1 failed")


def crash(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("password hunter2")


@pytest.mark.parametrize(
    "address",
    ["/sessions/%00/", "/sessions/a%00b/events", "/sessions/x/artifacts/%00", "/accounts/%00"],
)
def test_a_nul_in_an_address_leads_nowhere(client: Client, address: str) -> None:
    for method in (client.get, client.post):
        response = method(address, headers={"accept": "application/json"})
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_a_nul_in_a_query_is_a_bad_request(client: Client) -> None:
    response = client.get("/admin/auth/user/?q=a%00b", headers={"accept": "application/json"})
    assert (response.status_code, response.json()["code"]) == (400, "bad_request")


def test_a_method_that_an_address_does_not_take_is_explained(client: Client) -> None:
    problem = client.put("/", headers={"accept": "application/json"})
    page = client.put("/", headers={"accept": "text/html"})
    assert (problem.status_code, problem.json()["code"]) == (405, "method_not_allowed")
    assert problem["Allow"] == "GET"
    assert b"<html" in page.content
