"""Who a request is from, and where that is not believed."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from django.test import AsyncRequestFactory, Client
from pytest_django import DjangoAssertNumQueries, Settings

from thoth.accounts.checks import check_auth_mode
from thoth.accounts.middleware import AuthModeMiddleware
from thoth.accounts.roles import ROLES
from thoth.accounts.services import require_role, user_ensure
from thoth.lib.errors import Forbidden
from thoth.settings.start import require_safe_start

pytestmark = pytest.mark.django_db


def test_in_mode_none_everybody_is_local_with_every_role(client: Client) -> None:
    response = client.get("/admin/")
    assert response.status_code == 200
    user = response.wsgi_request.user
    assert user.username == "local"
    assert {group.name for group in user.groups.all()} == set(ROLES)


def test_a_deleted_local_user_comes_back(client: Client) -> None:
    User.objects.all().delete()
    assert client.get("/admin/").status_code == 200
    assert User.objects.get().groups.count() == len(ROLES)


def test_mode_none_has_no_sign_in_page(client: Client) -> None:
    assert client.get("/accounts/sign-in/").status_code == 404


@pytest.fixture
def mock(settings: Settings) -> None:
    settings.THOTH_AUTH = "mock"


@pytest.mark.usefixtures("mock")
class TestMock:
    def test_a_stranger_is_sent_to_the_form(self, client: Client) -> None:
        response = client.get("/admin/auth/user/")
        assert response.status_code == 302

    def test_the_form_signs_in_and_returns(self, client: Client) -> None:
        data = {"username": "rosa", "roles": ["reviewer", "curator"], "next": "/admin/?x=1"}
        response = client.post("/accounts/sign-in/", data)
        assert (response.status_code, response["Location"]) == (302, "/admin/?x=1")
        user = User.objects.get(username="rosa")
        assert client.session["_auth_user_id"] == str(user.pk)
        assert sorted(group.name for group in user.groups.all()) == ["curator", "reviewer"]
        assert not user.is_staff

    @pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:1"])
    def test_it_never_returns_elsewhere(self, client: Client, target: str) -> None:
        data = {"username": "rosa", "roles": ["reviewer"], "next": target}
        assert client.post("/accounts/sign-in/", data)["Location"] == "/"

    @pytest.mark.parametrize("name", ["local", "", "a b", "x" * 65, "<script>"])
    def test_a_bad_name_signs_nobody_in(self, client: Client, name: str) -> None:
        response = client.post("/accounts/sign-in/", {"username": name, "roles": ["reviewer"]})
        assert response.status_code == 422
        assert "_auth_user_id" not in client.session

    def test_as_signs_in_and_drops_out_of_the_address(self, client: Client) -> None:
        response = client.get("/healthz?as=ugo&role=curator&keep=1")
        assert (response.status_code, response["Location"]) == (302, "/healthz?keep=1")
        assert User.objects.get(username="ugo").groups.get().name == "curator"

    def test_as_cannot_become_local(self, client: Client) -> None:
        assert client.get("/admin/?as=local").status_code == 403

    def test_sign_out_ends_the_session(self, client: Client) -> None:
        client.get("/?as=ugo")
        client.post("/accounts/sign-out/")
        assert "_auth_user_id" not in client.session

    def test_sign_out_needs_post(self, client: Client) -> None:
        assert client.get("/accounts/sign-out/").status_code == 405


@pytest.mark.parametrize(
    ("auth", "bind", "allow", "expected"),
    [
        ("none", "127.0.0.1", False, []),
        ("none", "::1", False, []),
        ("mock", "localhost", False, []),
        ("none", "0.0.0.0", False, ["accounts.E002"]),
        ("mock", "192.0.2.7", False, ["accounts.E002"]),
        ("mock", "0.0.0.0", True, []),
        ("oidc", "127.0.0.1", True, ["accounts.E001"]),
    ],
)
def test_unprotected_modes_need_a_loopback_bind(
    settings: Settings, auth: str, bind: str, allow: bool, expected: list[str]
) -> None:
    settings.THOTH_AUTH, settings.THOTH_BIND = auth, bind
    settings.THOTH_ALLOW_INSECURE_AUTH = allow
    assert [message.id for message in check_auth_mode(None)] == expected


def test_the_servers_refuse_to_start_unprotected(settings: Settings) -> None:
    settings.THOTH_BIND = "0.0.0.0"
    with pytest.raises(ImproperlyConfigured, match=r"accounts\.E002"):
        require_safe_start()


@pytest.mark.parametrize("missing", ["THOTH_SECRET_KEY", "THOTH_LEDGER_KEY"])
def test_the_servers_refuse_to_start_without_secrets(settings: Settings, missing: str) -> None:
    settings.THOTH_LEDGER_KEY = "" if missing == "THOTH_LEDGER_KEY" else "k"
    if missing == "THOTH_SECRET_KEY":
        settings.SECRET_KEY = settings.INSECURE_SECRET_KEY
    with pytest.raises(ImproperlyConfigured, match=missing):
        require_safe_start()


@pytest.mark.parametrize(
    ("server", "status"),
    [
        (("127.0.0.1", 80), 200),
        (("::1", 80), 200),
        (("192.0.2.7", 80), 403),
        (("/run/x", None), 200),
    ],
)
def test_requests_from_outside_are_refused_however_the_server_was_started(
    server: tuple[str, int | None], status: int
) -> None:
    scope = AsyncRequestFactory()._base_scope(  # type: ignore[attr-defined]
        path="/healthz", server=server
    )
    middleware = AuthModeMiddleware(lambda _: HttpResponse("in"))
    response = middleware(ASGIRequest(scope, BytesIO()))
    assert isinstance(response, HttpResponse)
    assert response.status_code == status


def test_making_sure_of_a_person_twice_changes_nothing() -> None:
    first = user_ensure(username="eva", roles=["reviewer"])
    second = user_ensure(username="eva", roles=["reviewer"])
    assert first == second
    assert not second.has_usable_password()
    with pytest.raises(Forbidden, match="role publisher"):
        require_role(second, "publisher")
    require_role(second, "reviewer")


def test_the_local_user_costs_one_query(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/healthz")  # the user may have to be made first
    with django_assert_num_queries(1):
        client.get("/healthz")


def test_signing_in_by_address_never_leads_to_another_host(
    client: Client, settings: Settings
) -> None:
    settings.THOTH_AUTH = "mock"
    response = client.get("/", {"as": "ada"}, PATH_INFO="//elsewhere.org/")
    assert response.status_code == 302
    assert response["Location"] == "/%2Felsewhere.org/"
