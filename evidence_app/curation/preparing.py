"""The preparation as the browser runs it: STUB."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def takes_long() -> bool:
    return False


def prepare(root: Path) -> dict[str, Any]:
    return {}
