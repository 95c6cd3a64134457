"""Questions, labels, values and SQL are data: whatever they hold, no page makes markup of it."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from re import sub

import pytest
from django.test import Client

from sessions_app import artifacts, services
from sessions_app.templatetags.sessions_ui import (
    code_spans,
    group_digits,
    highlight_sql,
    markdown,
)
from tests.sessions_app.kit import ADA, Reviewer, start, takes_up
from tests.sessions_app.pages.conftest import HTMX, tamper, url

EVIL = "<script>alert(1)</script>"
ATTRIBUTE = "\"><img src=x onerror=alert(1)>'"


def is_harmless(page: str) -> bool:
    return EVIL not in page and "<img src=x" not in page


@pytest.fixture
def evil(owner: Client, scripted: Callable[..., None]) -> Reviewer:
    """A session whose question, option, value, description and texts are markup."""
    options = [
        {
            "id": ATTRIBUTE,
            "label": f"`{EVIL}` {ATTRIBUTE}",
            "description": EVIL,
            "risk": EVIL,
            "clarification": {"definition": EVIL, "filter": EVIL},
        },
        {"id": "b", "label": "b", "clarification": {"definition": "b"}},
    ]
    ambiguity = {"concept": EVIL, "title": EVIL, "why": f"{EVIL} [x](javascript:alert(1))"}
    proposal = {"ambiguity": {**ambiguity, "options": options}}
    scripted(
        takes_up("clarify", EVIL, "t2", EVIL, ambiguity={**proposal["ambiguity"], "why": EVIL}),
        {"step": "clarify", "proposal": proposal},
    )
    reviewer = start("cardio", f"{EVIL} {ATTRIBUTE}")
    services.steer(reviewer.public_id, text=f"{EVIL} {ATTRIBUTE}", actor=ADA)
    return reviewer


@pytest.mark.django_db
def test_no_page_interprets_what_is_data(owner: Client, evil: Reviewer) -> None:
    pages = [owner.get(url(evil)), owner.get("/"), owner.get(url(evil, "live"), headers=HTMX)]
    tamper("UPDATE sessions_app_freetext SET status = 'dropped'")
    evil.drive()
    pages += [owner.get(url(evil)), owner.get(url(evil, "back"), headers=HTMX)]
    widget = evil.widget
    assert EVIL in widget["title"]
    form = {"choices": ATTRIBUTE, "other_text": EVIL, "child-b": EVIL}
    pages.append(owner.post(url(evil, f"widgets/{widget['id']}/other"), form, headers=HTMX))
    evil.drive()
    answer = f"widgets/{evil.widget['id']}/answer"
    pages.append(owner.post(url(evil, answer), {"choices": ATTRIBUTE}, headers=HTMX))
    pages.append(owner.get(url(evil)))
    for page in pages:
        assert page.status_code == 200, page.content.decode()[:500]
        assert is_harmless(page.content.decode())
    assert "&lt;script&gt;" in pages[-1].content.decode(), "it is shown, as text"
    assert "javascript:" not in pages[-1].content.decode()


@pytest.mark.django_db
def test_a_refused_question_is_shown_as_text(owner: Client) -> None:
    response = owner.post("/sessions/", {"workspace": EVIL, "question": EVIL + "x" * 2000})
    assert response.status_code == 422
    assert is_harmless(response.content.decode())


@pytest.mark.django_db
def test_values_of_the_warehouse_are_text(owner: Client, approved: Reviewer) -> None:
    value = ATTRIBUTE.replace("'", "")
    sql = f"SELECT '{EVIL}' AS x, '{value}' AS \"<b>y</b>\" FROM dw.fact_ablazione"
    digest = artifacts.text_store(sql)
    approved.session.artifacts.filter(name="sql_final.sql").update(content=digest)
    tamper(
        "UPDATE sessions_app_ledgerrow SET payload = "
        f"jsonb_build_object('sha256', '{digest}') WHERE type = 'sql_approved'"
    )
    page = owner.get(url(approved, "result/panel"), headers=HTMX).content.decode()
    assert "&lt;script&gt;" in page
    assert is_harmless(page)
    assert "<b>y</b>" not in page


@pytest.mark.django_db
def test_scripts_only_come_from_our_own_files(owner: Client, approved: Reviewer) -> None:
    response = owner.get(url(approved))
    assert "script-src 'self'" in response["Content-Security-Policy"]
    page = response.content.decode()
    for part in page.split("<script")[1:]:
        tag = part.split(">")[0]
        assert "src=" in tag or 'type="application/json"' in tag
    assert " onclick=" not in page
    assert "hx-on" not in page


@pytest.mark.parametrize(
    "text", [EVIL, ATTRIBUTE, f"`{EVIL}`", f"'{EVIL}'", f"--{EVIL}", f"/*{EVIL}*/"]
)
def test_filters_escape(text: str) -> None:
    for rendered in (code_spans(text), highlight_sql(text), markdown(text)):
        assert "<script" not in rendered
        assert "<img" not in rendered


def test_highlighting_keeps_every_character() -> None:
    sql = "SELECT a, 'it''s <b>', \"col\" -- why\nFROM t /* c */ WHERE x < 1 && y"
    assert unescape(sub(r"</?span[^>]*>", "", highlight_sql(sql))) == sql


def test_a_full_name_is_short_with_its_schema_in_the_tooltip() -> None:
    assert code_spans("`dw.t.c`") == '<code title="dw.t.c">t.c</code>'
    assert code_spans("`dw.t`") == "<code>dw.t</code>"


@pytest.mark.parametrize(
    ("number", "shown"),
    [("1204", "1\u202f204"), (-12345, "-12\u202f345"), ("1.5", "1.5"), ("x", "x")],
)
def test_digits_are_grouped(number: object, shown: str) -> None:
    assert group_digits(number) == shown
