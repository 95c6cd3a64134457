"""Light and dark, wide and narrow: everything can be reached, nothing hangs over."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.reviewer import CARD, ask, next_card
from tests.sessions_app.kit import QUESTION

SIZES = [(1280, 800), (1600, 1000), (820, 1100), (390, 844)]


@pytest.fixture(scope="module")
def known() -> dict[str, str]:
    """The address of the session that all sizes look at."""
    return {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_pending_question_can_be_answered_at_every_size(
    scripted_url: str,
    open_page: Callable[..., Page],
    known: dict[str, str],
    width: int,
    height: int,
    scheme: str,
) -> None:
    page = open_page(known.get("url", scripted_url), width=width, height=height, scheme=scheme)
    if not known:
        ask(page, QUESTION)
        known["url"] = page.url
    card = page.locator(f"#{next_card(page)}")
    over = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert over <= 0, "the page scrolls sideways"
    confirm = card.locator("[data-confirm]")
    confirm.scroll_into_view_if_needed()
    expect(confirm).to_be_in_viewport()
    box = card.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def luminance(color: str) -> float:
    channels = [int(c) / 255 for c in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(scripted_url: str, open_page: Callable[..., Page], scheme: str) -> None:
    page = open_page(scripted_url, scheme=scheme)
    ask(page, QUESTION)
    next_card(page)
    script = """(selector) => {
      const node = document.querySelector(selector);
      let back = node;
      while (getComputedStyle(back).backgroundColor === 'rgba(0, 0, 0, 0)') back = back.parentElement;
      return [getComputedStyle(node).color, getComputedStyle(back).backgroundColor];
    }"""
    for selector in (
        "h1",
        f"{CARD} h2",
        f"{CARD} .muted",
        ".nav .group",
        ".pill.rec",
        ".btn.primary",
    ):
        assert contrast(*page.evaluate(script, selector)) >= 4.5, selector


def test_light_and_dark_can_be_switched_and_stay(
    scripted_url: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_url, scheme="light")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert luminance(dark) < luminance(before)
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_the_sides_come_when_called(scripted_url: str, open_page: Callable[..., Page]) -> None:
    page = open_page(scripted_url, width=390, height=844)
    expect(page.locator(".nav")).to_be_hidden()
    page.get_by_role("button", name="Sessions").click()
    expect(page.locator(".nav")).to_be_visible()
