"""From the empty page to a result, by keyboard and by mouse, alone and together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from sessions_app.models import FreeText, LedgerRow, Session, Widget
from tests.browser.reviewer import (
    CARD,
    ask,
    go_back,
    next_card,
    option,
    recommended,
    session_id,
    shown_rows,
)
from tests.sessions_app.kit import EXPECTED_ROWS, QUESTION

OpenPage = Callable[..., Page]


@pytest.fixture
def page(scripted_url: str, open_page: OpenPage) -> Page:
    return open_page(scripted_url)


def finish(page: Page, card: str | None = None) -> None:
    """Accept recommendations until the session is done."""
    for _ in range(30):
        if page.locator("#live[data-status=finalised]").count():
            return
        card = next_card(page, card)
        recommended(page)
        page.wait_for_function(
            "(id) => !document.getElementById(id) || document.querySelector('#stopped')", arg=card
        )
        page.wait_for_function(
            "() => document.querySelector('.card.pending, #stopped, #live[data-status=finalised]')"
        )


def test_a_question_becomes_a_result_by_keyboard_alone(page: Page) -> None:
    ask(page, QUESTION)
    first = next_card(page)
    expect(page.locator(f"#{first}")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text(page.locator(f"#{first} h2").inner_text())
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_have_text("Choose an option first.")
    assert not LedgerRow.objects.filter(session__public_id=session_id(page)).exists()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    second = next_card(page, first)
    expect(page.locator(f"#{second}")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"#{second} input[name=choices]").first).to_be_focused()
    expect(page.locator(f"#{second} input[name=choices]").first).not_to_be_checked()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    card = next_card(page, second)
    for _ in range(20):
        if page.locator(f"#{card} input[name=choices]:checked").count() == 0:
            page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_function("(id) => !document.getElementById(id)", arg=card)
        page.wait_for_function(
            "() => document.querySelector('.card.pending, #stopped, #live[data-status=finalised]')"
        )
        if page.locator("#live[data-status=finalised]").count():
            break
        card = next_card(page, card)
    assert shown_rows(page) == EXPECTED_ROWS
    expect(page.locator(".flow li.done")).to_have_count(8)
    expect(page.locator(".steer")).to_be_hidden()


def test_a_key_that_chooses_an_option_with_words_leads_to_the_words(page: Page) -> None:
    ask(page, QUESTION)
    card = next_card(page)
    while not page.locator(f"#{card} [value=reject]").count():
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        card = next_card(page, card)
    page.keyboard.press("2")
    page.keyboard.type("Only 2023")  # the o is a shortcut outside a text field
    expect(page.locator(f"#{card} .child textarea")).to_have_value("Only 2023")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("(id) => !document.getElementById(id)", arg=card)
    text = FreeText.objects.get(session__public_id=session_id(page))
    assert (text.kind, text.text) == ("rejection", "Only 2023")


def test_going_back_keeps_the_answers_and_the_result(page: Page) -> None:
    ask(page, QUESTION)
    card = None
    while page.locator(".flow li.now").inner_text() != "SQL":
        card = next_card(page, card)
        recommended(page)
        page.wait_for_function("(id) => !document.getElementById(id)", arg=card)
        page.wait_for_selector(CARD)
    before = next_card(page)
    go_back(page, "Schema")
    kept = next_card(page, before)
    expect(page.locator(".flow li.now")).to_have_text("Schema")
    expect(page.locator(".flow li.reopened").first).to_be_attached()
    assert page.locator(f"#{kept} input[name=choices]:checked").count() > 2
    finish(page)
    assert shown_rows(page) == EXPECTED_ROWS


def test_words_are_taken_along_and_survive_a_refresh(page: Page) -> None:
    ask(page, QUESTION)
    card = next_card(page)
    page.keyboard.press("o")
    words = page.locator(f"#{card} textarea[name=other_text]")
    expect(words).to_be_focused()
    words.fill("half a thought")
    page.evaluate("document.querySelector('#live').dataset.state = '0.0'; refreshSoon()")
    page.wait_for_function("() => document.querySelector('#live').dataset.state !== '0.0'")
    expect(words).to_have_value("half a thought")
    expect(words).to_be_focused()


def test_leaving_and_coming_back(page: Page, scripted_url: str) -> None:
    ask(page, QUESTION)
    title = page.locator(f"#{next_card(page)} h2").inner_text()
    page.get_by_role("button", name="Leave").click()
    expect(page.locator("#stopped")).to_contain_text("You left this session")
    page.goto(scripted_url)
    page.locator(".list .row", has_text="paused").first.click()
    expect(page.locator("#stopped")).to_be_focused()
    page.keyboard.press("Enter")
    next_card(page, "stopped")
    expect(page.locator(f"{CARD} h2")).to_have_text(title)


def test_a_second_browser_sees_what_the_first_one_does(page: Page, open_page: OpenPage) -> None:
    ask(page, QUESTION)
    first = next_card(page)
    watching = open_page(page.url)
    assert next_card(watching) == first
    option(page, "calendar").check()
    page.locator(f"{CARD} [data-confirm]").click()
    second = next_card(page, first)
    assert next_card(watching, first) == second
    expect(watching.locator(".decision.answer")).to_have_count(1)


def test_two_browsers_answering_at_once_make_one_decision(page: Page, open_page: OpenPage) -> None:
    ask(page, QUESTION)
    first = next_card(page)
    other = open_page(page.url)
    next_card(other)
    option(page, "calendar").check()
    option(other, "fiscal").check()
    # Both clicks are on their way before either answer is back.
    page.evaluate("setTimeout(() => document.querySelector('[data-confirm]').click(), 50)")
    other.evaluate("setTimeout(() => document.querySelector('[data-confirm]').click(), 50)")
    second = next_card(page, first)
    assert next_card(other, first) == second
    session = Session.objects.get(public_id=session_id(page))
    assert session.ledger.filter(type="concept_clarified").count() == 1
    assert Widget.objects.filter(session=session, status="answered").count() == 1
    refused = [p.locator(".notice.error").count() for p in (page, other)]
    assert sum(refused) <= 1
    for window in (page, other):
        expect(window.locator(".decision.answer")).to_have_count(1)


def test_a_refused_question_keeps_its_text(page: Page) -> None:
    page.locator("#question").fill("   ")
    page.evaluate("document.querySelector('form.ask').submit()")
    expect(page.locator("#question-error")).to_contain_text("Write something first.")
    page.locator("#question").fill("x" * 50)
    expect(page.locator("#question-count")).to_have_text("50 / 2000")


def test_documents_and_runs_open_and_close(page: Page) -> None:
    ask(page, QUESTION)
    card = next_card(page)
    option(page, "calendar").check()
    page.locator(f"{CARD} [data-confirm]").click()
    next_card(page, card)
    page.locator("aside a", has_text="ambiguous").first.click()
    expect(page.locator("dialog[open]")).to_contain_text("Task document")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.get_by_role("button", name="Check the chain").click()
    expect(page.locator("#chain")).to_contain_text("chain verified")
