"""The result of the approved SQL: panel, pages, CSV."""

from __future__ import annotations

import asyncio
import csv
import io
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from sessions_app import artifacts
from sessions_app.models import ResultFile
from sessions_app.views import results
from tests.sessions_app.kit import EXPECTED_ROWS, Reviewer, describe_workspace
from tests.sessions_app.pages.conftest import HTMX, url
from thoth.warehouse.facade import RunHandle

pytestmark = pytest.mark.django_db


def test_rows_are_a_table_with_the_sql_and_its_decisions(owner: Client, approved: Reviewer) -> None:
    page = owner.get(url(approved, "result/panel"), headers=HTMX).content.decode()
    for year, count in EXPECTED_ROWS:
        assert f'<td class="num">{year}</td><td class="num">{count}</td>' in page
    assert 'data-total="3"' in page
    assert '<span class="k">SELECT</span>' in page
    assert "The decisions it follows" in page


def test_pages_come_from_the_server(owner: Client, approved: Reviewer) -> None:
    page = owner.get(url(approved, "result") + "?offset=1&size=1").json()
    assert page["rows"] == [EXPECTED_ROWS[1]]
    assert (page["total"], page["truncated"]) == (3, False)
    assert [column["numeric"] for column in page["columns"]] == [True, True]
    assert owner.get(url(approved, "result") + "?offset=3").json()["rows"] == []


def test_the_sql_runs_once(owner: Client, approved: Reviewer) -> None:
    for rest in ("result/panel", "result", "result.csv"):
        assert owner.get(url(approved, rest)).status_code == 200
    assert ResultFile.objects.count() == 1


def test_csv_has_headers_and_rows(owner: Client, approved: Reviewer) -> None:
    response = owner.get(url(approved, "result.csv"))
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    assert rows[1:] == EXPECTED_ROWS
    assert "attachment" in response["Content-Disposition"]


def test_going_back_drops_the_result(
    owner: Client,
    approved: Reviewer,
    settings: Settings,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    owner.get(url(approved, "result"))
    assert list(Path(settings.THOTH_HOME, "results").glob("*.rows"))
    with django_capture_on_commit_callbacks(execute=True):
        approved.send(control="back", target="F7")
    assert owner.get(url(approved, "result")).status_code == 404
    assert not list(Path(settings.THOTH_HOME, "results").glob("*.rows"))
    assert not ResultFile.objects.exists()


def test_a_text_that_is_not_the_approved_one_is_not_run(owner: Client, approved: Reviewer) -> None:
    approved.session.artifacts.filter(name="sql_final.sql").update(
        content=artifacts.text_store("SELECT 1")
    )
    response = owner.get(url(approved, "result"), headers={"Accept": "application/json"})
    assert (response.status_code, response.json()["code"]) == (409, "sql_hash_mismatch")


def test_a_warehouse_that_is_gone_is_said_in_the_panel(
    owner: Client, approved: Reviewer, settings: Settings, tmp_path: Path
) -> None:
    settings.THOTH_HOME = tmp_path / "other"
    describe_workspace("postgresql://nobody@127.0.0.1:9/none")
    response = owner.get(url(approved, "result/panel"), headers=HTMX)
    page = response.content.decode()
    assert "warehouse_unreachable" in page
    assert "Try again" in page
    json = owner.get(url(approved, "result"), headers={"Accept": "application/json"})
    assert (json.status_code, json.json()["code"]) == (502, "warehouse_unreachable")


def test_before_the_approval_there_is_no_result(owner: Client, waiting: Reviewer) -> None:
    assert owner.get(url(waiting, "result")).status_code == 404
    assert "result/panel" not in owner.get(url(waiting)).content.decode()


@pytest.mark.parametrize("query", ["offset=-1", "size=0", "size=x", "offset=9999999999999"])
def test_a_window_that_is_none_is_refused(owner: Client, approved: Reviewer, query: str) -> None:
    assert owner.get(url(approved, f"result?{query}")).status_code == 422


@pytest.mark.parametrize("rest", ["result", "result.csv", "result/panel"])
def test_wrong_method_and_no_access(
    owner: Client, stranger: Client, approved: Reviewer, rest: str
) -> None:
    assert owner.post(url(approved, rest)).status_code == 405
    assert stranger.get(url(approved, rest)).status_code == 404


@pytest.mark.parametrize("offset", ["-1", "x", "1e3", "\u0663", "0" * 9 + "9" * 20, "9" * 5000])
def test_a_page_that_is_no_number_is_refused(
    owner: Client, approved: Reviewer, offset: str
) -> None:
    response = owner.get(
        url(approved, "result"), {"offset": offset}, headers={"accept": "application/json"}
    )
    assert (response.status_code, response.json()["code"]) == (422, "window_invalid")


def test_a_result_that_cannot_be_stored_is_explained(
    owner: Client, approved: Reviewer, settings: Settings
) -> None:
    Path(settings.THOTH_HOME, "results").write_text("in the way")
    problem = owner.get(url(approved, "result"), headers={"accept": "application/json"})
    assert (problem.status_code, problem.json()["code"]) == (502, "result_not_stored")
    panel = owner.get(url(approved, "result/panel"), headers=HTMX).content.decode()
    assert "result_not_stored" in panel
    assert "Try again" in panel
    Path(settings.THOTH_HOME, "results").unlink()
    assert owner.get(url(approved, "result")).json()["rows"] == EXPECTED_ROWS


def test_a_damaged_result_is_run_again(
    owner: Client, approved: Reviewer, settings: Settings
) -> None:
    owner.get(url(approved, "result"))
    (stored,) = Path(settings.THOTH_HOME, "results").glob("*.rows")
    stored.write_bytes(stored.read_bytes()[:20])
    assert owner.get(url(approved, "result")).status_code == 404
    assert owner.get(url(approved, "result")).json()["rows"] == EXPECTED_ROWS


def test_a_query_is_cancelled_when_the_browser_that_asked_has_gone() -> None:
    """That a cancelled handle stops a query is tested with the execution."""
    began, cancelled = threading.Event(), threading.Event()

    def ask(request: HttpRequest, public_id: str, handle: RunHandle) -> HttpResponse:
        began.set()
        for _ in range(200):
            if handle.is_cancelled:
                cancelled.set()
                break
            time.sleep(0.05)
        return HttpResponse(public_id)

    async def leave() -> None:
        view = results.stopped_with_its_client(ask)
        asked = asyncio.create_task(view(RequestFactory().get("/"), "x"))
        await asyncio.to_thread(began.wait, 10)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(leave())
    assert cancelled.wait(5)
