"""People, signed in, and sessions at the places that pages show.

Walking a session to its end takes seconds, so it is done once for this folder and committed; each
test sees it in a transaction of its own, which is rolled back.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from psycopg import sql
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

from tests.sessions_app.kit import DATA, Reviewer, describe_workspace, read_sql, start
from thoth.accounts.services import user_ensure
from thoth.embedded.postgres import PostgresServer

HTMX = {"HX-Request": "true"}


@pytest.fixture(scope="package")
def small_home(
    postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A THOTH_HOME with the workspace `cardio` over a small warehouse."""
    name = f"wh_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    with psycopg.connect(postgres_server.dsn(name)) as warehouse:
        warehouse.execute(read_sql("cardio.sql").encode())
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        _use(patch, home)
        describe_workspace(postgres_server.dsn(name))
    yield home
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="package")
def walked(
    small_home: Path, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, str]]:
    """Public ids of committed sessions of Ada: at the first question, and at the last one."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        _use(patch, small_home)
        first, last = start("cardio"), start("cardio")
        assert first.widget["stage"] == "clarification"
        last.until("closure")
        yield {"waiting": first.public_id, "approved": last.public_id}
        call_command("flush", verbosity=0, interactive=False)


def _use(patch: pytest.MonkeyPatch, home: Path) -> None:
    from django.conf import settings

    patch.setattr(settings, "THOTH_HOME", home)
    patch.setattr(settings, "THOTH_MODEL_RUNTIME", "scripted")
    patch.setattr(settings, "THOTH_SCRIPT", str(DATA / "ablazioni.jsonl"))


@pytest.fixture(autouse=True)
def _here(settings: Settings, small_home: Path, tmp_path: Path) -> None:
    """The folder's workspace, in a home whose other files are this test's own."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "workspaces").symlink_to(small_home / "workspaces")
    settings.THOTH_HOME = home
    settings.THOTH_MODEL_RUNTIME = "scripted"
    settings.THOTH_SCRIPT = str(DATA / "ablazioni.jsonl")
    settings.THOTH_AUTH = "mock"
    settings.THOTH_LEASE_RENEW_S = 60.0  # another connection would not see this test's Runs


@pytest.fixture
def sign_in(db: None) -> Callable[..., Client]:
    """`sign_in("ada", "reviewer")` is a browser of that person."""

    def make(name: str, *roles: str) -> Client:
        user: User = user_ensure(username=name, roles=roles)
        client = Client()
        client.force_login(user)
        return client

    return make


@pytest.fixture
def owner(sign_in: Callable[..., Client]) -> Client:
    """Ada, whose sessions the tests are about."""
    return sign_in("ada", "reviewer")


@pytest.fixture
def teammate(sign_in: Callable[..., Client]) -> Client:
    """Another reviewer: reads, does not act."""
    return sign_in("bea", "reviewer")


@pytest.fixture
def curator(sign_in: Callable[..., Client]) -> Client:
    """May take sessions over."""
    return sign_in("carla", "curator")


@pytest.fixture
def stranger(sign_in: Callable[..., Client]) -> Client:
    """Signed in, without a role."""
    return sign_in("dino")


@pytest.fixture
def fresh(db: None) -> Reviewer:
    """Ada's new session: nothing has been done yet."""
    return start("cardio")


@pytest.fixture
def waiting(walked: dict[str, str], db: None) -> Reviewer:
    """Ada's session with its first question pending."""
    return Reviewer(walked["waiting"])


@pytest.fixture
def approved(walked: dict[str, str], db: None) -> Reviewer:
    """Ada's session after the SQL was approved, at the last question."""
    return Reviewer(walked["approved"])


def url(reviewer: Reviewer, rest: str = "") -> str:
    """An address of the reviewer's session."""
    return f"/sessions/{reviewer.public_id}/{rest}"


def tamper(statement: str) -> None:
    """Run what the append-only triggers refuse, within the test's transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement)
        cursor.execute("SET LOCAL session_replication_role = origin")
