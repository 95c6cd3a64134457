"""Codes that are not stored: the warehouse is asked whether a near-unique column holds them."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from thoth.contracts.tools import ValueHit, ValueSpan
from thoth.lib.errors import ThothError
from thoth.warehouse.valueindex.loaded import Loaded
from thoth.warehouse.valueindex.normal import is_number
from thoth.warehouse.valueindex.source import ValueSource

logger = logging.getLogger(__name__)

_COLUMNS_MAX = 5
_CODES_MAX = 2
_SHORTEST = 5
_CODE = re.compile(r"(?<![\w./-])(?=[\w./-]*\d)[^\W_][\w./-]*\w")


def ask_spans(
    loaded: Loaded, text: str, allowed: dict[int, str], source: ValueSource
) -> list[ValueSpan]:
    """A span for each code of `text` that a near-unique column holds exactly as written or in
    capitals. At most two codes and five columns are asked; a failing column is left out."""
    columns = [
        allowed[column.id]
        for column in loaded.columns
        if column.policy == "ask" and column.id in allowed
    ][:_COLUMNS_MAX]
    spans: list[ValueSpan] = []
    for match in list(_codes(text))[:_CODES_MAX] if columns else []:
        hits = _ask(match.group(), columns, source)
        if hits:
            spans.append(
                ValueSpan(
                    text=match.group(), start=match.start(), end=match.end(), hits=tuple(hits)
                )
            )
    return spans


def _codes(text: str) -> list[re.Match[str]]:
    found = [match for match in _CODE.finditer(text) if len(match.group()) >= _SHORTEST]
    # A bare number of up to six digits is rather an amount, a year or a count.
    return [m for m in found if not (is_number(m.group()) and len(m.group()) <= _SHORTEST + 1)]


def _ask(code: str, columns: Sequence[str], source: ValueSource) -> list[ValueHit]:
    hits: list[ValueHit] = []
    for column in columns:
        for value in dict.fromkeys((code, code.upper())):
            try:
                rows = source.count_value(column, value)
            except ThothError as error:
                logger.info("value_not_asked column=%s code=%s", column, error.code)
                break
            if rows:
                match = "exact" if value == code else "normalised"
                score = 100.0 if value == code else 99.0
                hits.append(
                    ValueHit(column=column, value=value, score=score, match=match, rows=rows)
                )
                break
    return hits
