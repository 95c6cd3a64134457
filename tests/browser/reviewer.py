"""What a person does with the pages."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

CARD = ".card.pending"
ANY_CARD = ".card.pending, #stopped"


def ask(page: Page, question: str) -> None:
    """Type the question and send it by keyboard."""
    page.locator("#question").fill(question)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile("/sessions/"))


def next_card(page: Page, after: str | None = None) -> str:
    """The id of the pending question that is not `after`; waits until it is there."""
    page.wait_for_function(
        "([selector, after]) => { const c = document.querySelector(selector);"
        " return c && c.id !== after }",
        arg=[ANY_CARD, after],
    )
    card = page.locator(ANY_CARD).get_attribute("id")
    assert card is not None
    assert card != "stopped", page.locator("#stopped").inner_text()
    return card


def session_id(page: Page) -> str:
    return page.url.rstrip("/").rpartition("/")[2]


def option(page: Page, value: str) -> Locator:
    """The input of the pending question's option with this id."""
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return page.locator(f'{CARD} input[name="choices"][value="{quoted}"]')


def give(page: Page, body: dict[str, Any]) -> None:
    """Fill in the pending question as a ui_response says, and confirm it."""
    wanted = {body["choice"]} if "choice" in body else set(body["choices"])
    # Children before parents when taking away, parents before children when adding.
    inputs = page.locator(f"{CARD} .opts .opt > input").all()
    for box in inputs:
        value = box.get_attribute("value")
        if value in wanted and not box.is_checked():
            box.check()
    for box in reversed(inputs):
        if box.get_attribute("value") not in wanted and box.is_checked():
            box.uncheck()
    children = dict(body.get("children") or {})
    if body.get("child"):
        children[body["choice"]] = body["child"]
    for owner, child in children.items():
        _give_child(page, owner, child)
    page.locator(f"{CARD} [data-confirm]").click()


def recommended(page: Page) -> None:
    """Confirm what is ticked, or choose what is recommended first."""
    card = page.locator(CARD)
    if card.locator("input[name=choices]:checked").count() == 0:
        card.locator(".opt:has(.pill.rec) > input").first.check()
    card.locator("[data-confirm]").click()


def go_back(page: Page, to: str) -> None:
    """Press B, choose where to, and confirm what will be lost."""
    page.locator(CARD).focus()
    page.keyboard.press("b")
    page.locator("dialog[open] .targets").get_by_text(to).click()
    expect(page.locator("dialog[open] .losses")).to_be_attached()
    page.locator("dialog[open] button[type=submit]").click()
    expect(page.locator("dialog[open]")).to_have_count(0)


def shown_rows(page: Page) -> list[list[str]]:
    """The cells of the result's grid, row by row in order; or its large figure."""
    panel = page.locator("[id^=result-]")
    expect(panel.locator(".figure, .ag-cell, #grid-plain td").first).not_to_be_empty()
    figure = panel.locator(".figure")
    if figure.count():
        return [[figure.inner_text()]]
    if panel.locator(".ag-cell").count():
        rows = panel.locator(".ag-row:has(.ag-cell)").all()
        rows.sort(key=lambda row: int(row.get_attribute("row-index") or 0))
        return [row.locator(".ag-cell").all_inner_texts() for row in rows]
    rows = panel.locator("#grid-plain tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def _give_child(page: Page, owner: str, child: dict[str, Any]) -> None:
    field = page.locator(f'{CARD} [name="child-{owner}"]')
    if child["kind"] == "select":
        field.select_option(child["choice"])
    elif child["kind"] != "multiselect":
        field.fill(child["text"])
