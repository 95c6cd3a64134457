"""Rules that every template of the pages keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR) / "templates"
NAMES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.html"))
FRAGMENT_LINES, PAGE_LINES = 60, 150


@pytest.mark.parametrize("name", NAMES)
def test_it_is_short_and_has_no_inline_script(name: str) -> None:
    text = (ROOT / name).read_text()
    limit = FRAGMENT_LINES if Path(name).name.startswith("_") else PAGE_LINES
    assert len(text.splitlines()) <= limit
    assert "|safe" not in text
    assert " onclick" not in text
    assert "autoescape off" not in text


@pytest.mark.parametrize("name", [n for n in NAMES if Path(n).name.startswith("_")])
def test_a_fragment_begins_with_its_context(name: str) -> None:
    first = (ROOT / name).read_text().splitlines()[0]
    assert first.lower().startswith("{# context:")
