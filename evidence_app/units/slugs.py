"""Ids and file names from titles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

ID_PREFIX = "evidence:"
SLUG_MAX_CHARS = 100
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


def slug_of(title: str) -> str:
    """`title` in lower-case ASCII letters, digits and single hyphens; `unit` if none is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    # An apostrophe parts words: NFKD leaves the typographic one out, so it is done before.
    if "\u2019" in title:
        return slug_of(title.replace("\u2019", "'"))
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    return slug[:SLUG_MAX_CHARS].strip("-") or "unit"


def id_allocate(title: str, taken: Container[str]) -> str:
    """`evidence:<slug>` of the title, with -2, -3, … where that is taken."""
    base = candidate = ID_PREFIX + slug_of(title)
    number = 1
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate


def unit_path(evidence_id: str, kind: str) -> str:
    """Where a unit's file is, relative to evidence/."""
    return f"curated/{kind}/{evidence_id.removeprefix(ID_PREFIX)}.md"
