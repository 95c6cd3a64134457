"""The main job: a drawn warehouse, two questions, from the empty page to what the gold says.

The seed of the data and the choice of questions are drawn anew each time and printed; with
THOTH_BROWSER_SEED they can be drawn again.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect
from pytest_django import DjangoDbBlocker

from sessions_app.evaluation import golds
from sessions_app.evaluation.compare import Rows, compare, normalise
from sessions_app.evaluation.policy import Refused, answer_oracle
from sessions_app.evaluation.questions import Question, questions_load
from sessions_app.evaluation.session import evaluation_of, question_run
from sessions_app.models import Widget
from sessions_app.templatetags.sessions_ui import short_number
from tests.browser.conftest import empty_database
from tests.browser.reviewer import ask, give, go_back, next_card, session_id, shown_rows
from tests.browser.stack import database, served, settings_of
from thoth.embedded.demo_data import load
from thoth.embedded.postgres import PostgresServer
from thoth.warehouse import facade as warehouse
from thoth.warehouse.catalog import catalog_get
from thoth.warehouse.valueindex.facade import values_preprocess
from thoth.workspaces.facade import workspace_write

WORKSPACE = "cardiologia"
SCALE = 0.05
WANTED = 2
EXAMPLE = Path(settings.BASE_DIR) / "workspaces" / WORKSPACE


@dataclass(frozen=True)
class Drawn:
    """The served product over the drawn warehouse, and the questions that the oracle gets right."""

    url: str
    questions: tuple[Question, ...]


@pytest.fixture(scope="module")
def drawn(
    browser: Browser,
    valkey: str,
    postgres_server: PostgresServer,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Drawn]:
    seed = int(os.environ.get("THOTH_BROWSER_SEED") or random.SystemRandom().randrange(10**6))
    print(f"THOTH_BROWSER_SEED={seed}")
    home = tmp_path_factory.mktemp("drawn")
    with (
        django_db_blocker.unblock(),
        database(postgres_server) as dsn,
        settings_of(home, THOTH_MODEL_RUNTIME="analyst"),
    ):
        load(dsn, seed, SCALE)
        _describe(dsn)
        values_preprocess(WORKSPACE)
        questions = _exact_ones(random.Random(seed))
        with served(home, {"THOTH_MODEL_RUNTIME": "analyst"}) as url:
            yield Drawn(url, questions)
        empty_database()


def test_two_drawn_questions_reach_their_golds(
    drawn: Drawn, open_page: Callable[..., Page]
) -> None:
    for number, question in enumerate(drawn.questions):
        page = open_page(drawn.url)
        expect(page.locator("#question")).to_have_value("")
        _walk(page, question, back=number == 0)
        assert _verdict(page, question) == "exact", (question.id, session_id(page))


def _describe(dsn: str) -> None:
    """The example's own workspace.yaml, over the drawn data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THOTH_CARDIOLOGIA_DSN", dsn)
        text = (EXAMPLE / "workspace.yaml").read_text(encoding="utf-8")
        workspace_write(document=text.replace("${THOTH_CARDIOLOGIA_DSN}", dsn))


def _exact_ones(draw: random.Random) -> tuple[Question, ...]:
    """Two drawn questions that the oracle answers exactly on this data, nothing of it masked."""
    questions = questions_load(EXAMPLE / "questions.jsonl")
    draw.shuffle(questions)
    evaluation = evaluation_of(WORKSPACE, "oracle", "browser test")
    found: list[Question] = []
    for question in questions:
        outcome = question_run(evaluation, question)
        if outcome.kind == "exact" and not _masked(outcome.sql):
            found.append(question)
        if len(found) == WANTED:
            print("questions", [question.id for question in found])
            return tuple(found)
    pytest.fail(f"the oracle answers only {len(found)} of {len(questions)} questions exactly")


def _masked(sql: str) -> bool:
    return any(column.masked for column in warehouse.query_run(WORKSPACE, sql).columns)


def _walk(page: Page, question: Question, *, back: bool) -> None:
    """Answer as the oracle does; with `back`, go back one phase from the SQL and keep its answers."""
    catalog = catalog_get(WORKSPACE)
    parts = [golds.parts_of_sql(sql, catalog) for sql in question.golds]
    ask(page, question.question)
    card = None
    for _ in range(60):
        if page.locator("#live[data-status=finalised]").count():
            return
        card = next_card(page, card)
        widget = _pending(page)
        if back and widget.stage == "final_sql":
            go_back(page, "The previous phase")
            back = False
            continue
        if widget.activity == "keep":
            page.locator(".card.pending [data-confirm]").click()
        else:
            body = answer_oracle(widget.request, parts)
            assert not isinstance(body, Refused), body
            give(page, dict(body))
        page.wait_for_function(
            "(id) => !document.getElementById(id)"
            " && document.querySelector('.card.pending, #stopped, #live[data-status=finalised]')",
            arg=card,
        )
    pytest.fail("the session does not end")


def _pending(page: Page) -> Widget:
    return Widget.objects.get(session__public_id=session_id(page), status="pending")


def _verdict(page: Page, question: Question) -> str:
    """The whole result as the page's grid gets it, against the gold computed on this data."""
    shown = shown_rows(page)
    response = page.request.get(f"{page.url}result?size=10000", headers={"Accept": "*/*"})
    result = response.json()
    # The page shortens an average's digits; the comparison below is of all of them.
    assert shown[0][0].replace("\u202f", "") == short_number(str(result["rows"][0][0]))
    families = [column["family"] for column in result["columns"]]
    rows = tuple(
        tuple(normalise(cell, family) for cell, family in zip(row, families, strict=True))
        for row in result["rows"]
    )
    gold = golds.rows_of(WORKSPACE, question.golds[0])
    keys = golds.order_keys(question.golds[0]) if question.ordered else None
    return compare(gold, Rows(len(families), rows), order_keys=keys)
