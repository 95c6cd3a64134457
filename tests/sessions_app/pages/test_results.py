"""The result of the approved SQL: panel, pages, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from sessions_app import artifacts
from sessions_app.models import ResultFile
from tests.sessions_app.kit import EXPECTED_ROWS, Reviewer, describe_workspace
from tests.sessions_app.pages.conftest import HTMX, url

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
