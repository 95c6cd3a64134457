"""A real browser on the real product. Each folder's stack is started once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django import DjangoDbBlocker

from tests.browser.stack import APPLICATION_NAME, database, served, settings_of
from tests.sessions_app.kit import DATA, describe_workspace, read_sql
from thoth.embedded.postgres import PostgresServer

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
TIMEOUT_MS = 20_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db)


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for the folder. Its event loop runs in this thread, and Django's check for one
    would take every query of a test for one in a coroutine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        with sync_playwright() as playwright:
            chrome = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            yield chrome
            chrome.close()


@pytest.fixture(scope="package")
def scripted_url(
    browser: Browser,
    valkey: str,
    postgres_server: PostgresServer,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[str]:
    """The product over the small warehouse, with a transcript for a model."""
    home = tmp_path_factory.mktemp("home")
    variables = {
        "THOTH_MODEL_RUNTIME": "scripted",
        "THOTH_SCRIPT": str(DATA / "ablazioni.jsonl"),
    }
    with django_db_blocker.unblock(), database(postgres_server) as dsn, settings_of(home):
        _fill(dsn)
        describe_workspace(dsn)
        with served(home, variables) as url:
            yield url
        empty_database()


def empty_database() -> None:
    """Nothing of what the served product did is left, nor any connection of it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = %s",
            [APPLICATION_NAME],
        )
    call_command("flush", verbosity=0, interactive=False)
    connections.close_all()  # opened under Playwright's loop, where pytest-django does not look


def _fill(dsn: str) -> None:
    with psycopg.connect(dsn) as warehouse:
        warehouse.execute(read_sql("cardio.sql").encode())


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`open_page(url, width=…, scheme=…)`: a page of a fresh browser profile.

    Whatever the page's scripts complain about, or the browser refuses, fails the test.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def make(url: str, *, width: int = 1280, height: int = 800, scheme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            locale="en-GB",
        )
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.goto(url)
        return page

    yield make
    for context in contexts:
        context.close()
    # A refused answer is an answer: the browser reports its status as an error of the console.
    expected = ("status of 409", "status of 412", "status of 422")
    assert [c for c in complaints if not any(e in c for e in expected)] == []
