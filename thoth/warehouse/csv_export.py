"""CSV that keeps NULL apart from '' and that a spreadsheet does not execute."""

from __future__ import annotations

from collections.abc import Iterator

from thoth.warehouse.execute.rows import Cell
from thoth.warehouse.results import StoredResult, result_rows

# A spreadsheet takes a text that begins so for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_NEEDS_QUOTES = frozenset(',"\r\n')
_NUMBERS = frozenset({"integer", "decimal"})
_CHUNK_CHARS = 64 * 1024


def result_csv(result: StoredResult, *, with_bom: bool = False) -> Iterator[bytes]:
    """The result as UTF-8 CSV (RFC 4180) in chunks, headers first.

    NULL is an empty field, the empty text is `""`. Numbers are PostgreSQL's text, digit by digit.
    A text that a spreadsheet would take for a formula gets a leading apostrophe. `with_bom` is for
    Excel, which guesses the encoding otherwise.

    Raises: NotFound `result_gone`.
    """
    pending = ["\ufeff" if with_bom else ""]
    pending.append(_line([_text(column.header) for column in result.columns]))
    size_chars = 0
    numbers = [column.family in _NUMBERS and not column.masked for column in result.columns]
    for row in result_rows(result):
        line = _line([_field(cell, number) for cell, number in zip(row, numbers, strict=True)])
        pending.append(line)
        size_chars += len(line)
        if size_chars > _CHUNK_CHARS:
            yield "".join(pending).encode()
            pending, size_chars = [], 0
    yield "".join(pending).encode()


def _line(fields: list[str]) -> str:
    return ",".join(fields) + "\r\n"


def _field(cell: Cell, is_number: bool) -> str:  # noqa: FBT001 - private, beside its only caller
    if cell is None:
        return ""
    return cell if is_number else _text(cell)


def _text(text: str) -> str:
    if text.startswith(_FORMULA_STARTS):
        text = "'" + text
    if not text or _NEEDS_QUOTES.intersection(text) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
