"""Which columns are stored, which are asked of the warehouse, which are left alone, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from thoth.warehouse.valueindex.source import DistinctValue, SourceColumn

Policy = Literal["index", "ask", "off"]

DISTINCT_MAX = 100_000
VALUE_MAX_CHARS = 300
_FEW_ROWS = 200  # below this, distinct ≈ rows says nothing
_NEAR_UNIQUE = 0.9
_MOSTLY = 0.9
_FREE_TEXT_CHARS = 80
_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}([ T].*)?|\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{1,2}:\d{2}(:\d{2})?"
)
_CODE = re.compile(r"\S*\d\S*")


@dataclass(frozen=True, slots=True)
class Decision:
    """A policy and, unless values are stored, the reason in words."""

    policy: Policy
    reason: str = ""


def before_reading(column: SourceColumn) -> Decision:
    """What the column's description alone decides; "index" means: read it and look again."""
    if column.hidden:
        return Decision("off", "hidden in the workspace")
    if column.identifying:
        return Decision("off", "identifying in the workspace")
    if column.policy != "auto":
        return Decision(column.policy, "set by the workspace" if column.policy != "index" else "")
    if column.family != "text":
        return Decision("off", f"{column.family}: measures, dates and serials are not searched")
    return Decision("index")


def after_reading(column: SourceColumn, values: Sequence[DistinctValue]) -> Decision:
    """The same with its distinct values at hand."""
    if column.policy == "index" or not values:
        return Decision("index")
    texts = [value.raw for value in values[:1000]]
    if _share(texts, _DATE) > _MOSTLY:
        return Decision("off", "dates or times written as text")
    rows = sum(value.rows for value in values)
    unique = rows >= _FEW_ROWS and len(values) / rows >= _NEAR_UNIQUE
    if unique and _share(texts, _CODE) > _MOSTLY:
        return Decision("ask", "near-unique codes")
    if unique and sum(map(len, texts)) / len(texts) > _FREE_TEXT_CHARS:
        return Decision("off", "free text, nearly every row another")
    return Decision("index")


def _share(texts: Sequence[str], pattern: re.Pattern[str]) -> float:
    return sum(pattern.fullmatch(text.strip()) is not None for text in texts) / len(texts)
