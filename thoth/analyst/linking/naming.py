"""Names of tables and columns as words: separators, case, common prefixes, glued words."""

from __future__ import annotations

import re

from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.vocabulary import vocabulary
from thoth.contracts.schema import Table

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\W]+|(?<=[a-zA-Z])(?=\d)")
_MOST = 0.9
_LAYER_WORDS = frozenset({"dim", "fact", "tbl", "tb", "vw", "stg", "dwh", "consumer", "div"})


def split_name(name: str) -> tuple[str, ...]:
    """`orderDate`, `order_date` -> (order, date)."""
    return tuple(fold(part) for part in _CAMEL.split(name) if part)


def glued_prefix(names: list[str]) -> str:
    """The beginning that most names share without a separator (`sbCust…`), else "".

    A prefix is only taken when it is followed by other letters in most names: `is_` or a real
    first word shared by two columns is no prefix.
    """
    if len(names) < 4:
        return ""
    folded = sorted(fold(name) for name in names)
    best = ""
    for first in folded:
        for length in range(2, min(len(first), 12)):
            prefix = first[:length]
            share = sum(name.startswith(prefix) for name in folded) / len(folded)
            if share >= _MOST and length > len(best) and "_" not in prefix:
                best = prefix
    return best


def schema_prefix(tables: list[Table]) -> str:
    """What all tables' names begin with, where their glued columns begin with it too."""
    columns = [glued_prefix([c.name for c in table.columns]) for table in tables]
    glued = [prefix for prefix in columns if len(prefix) > 2]
    if len(glued) < 2:
        return glued_prefix([table.name for table in tables])
    shared = _common_beginning([*glued, *(fold(table.name) for table in tables)])
    return shared if len(shared) >= 2 else ""


def _common_beginning(names: list[str]) -> str:
    first, last = min(names), max(names)
    size = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first)
    )
    return first[:size]


def table_words(table: Table, prefix: str) -> tuple[str, ...]:
    """Words of a table's name, without the layer (`dim_`, `fact_`) and the schema-wide prefix."""
    name = fold(table.name)
    if prefix and name.startswith(prefix) and len(name) > len(prefix) + 1:
        return tuple(_segment(name[len(prefix) :]))
    words = [word for part in split_name(table.name) for word in _segment(part)]
    kept = [word for word in words if word not in _LAYER_WORDS]
    return tuple(kept or words)


def column_words(name: str, prefix: str) -> tuple[str, ...]:
    folded = fold(name)
    if prefix and folded.startswith(prefix) and len(folded) > len(prefix):
        return tuple(_segment(folded[len(prefix) :]))
    return tuple(word for part in split_name(name) for word in _segment(part))


def _segment(word: str) -> list[str]:
    """A glued word cut into known words; unknown ones stay whole."""
    book = vocabulary()
    word = book.abbreviations.get(word, word)
    if len(word) < 5 or word in book.segments:
        return [word]
    for cut in range(2, len(word) - 1):
        left, right = word[:cut], word[cut:]
        if right in book.segments and left in book.segments | set(book.abbreviations):
            return [book.abbreviations.get(left, left), book.abbreviations.get(right, right)]
    return [word]
