"""Reading the index: five statements, all through psycopg's binary cursor.

Lists of numbers travel as one array literal: adapting them one by one costs more than the query.
Readers need no transaction: numbers are never reused, so a refresh between two statements can at
worst hide what it removed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from django.db import connection
from numpy.typing import NDArray

Ints = NDArray[np.int32]
_PREPARE_AFTER = 2


@dataclass(frozen=True, slots=True)
class Head:
    """The index of a workspace as it is now."""

    index_id: int
    version: int
    next_item: int


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A row of value_column."""

    id: int
    full_name: str
    policy: str
    truncated: bool
    refreshed_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One spelling of a value in one column."""

    item: int
    column_id: int
    raw: str
    rows: int


def array(numbers: Iterable[int]) -> str:
    """PostgreSQL's literal of an integer array."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _fetch(query: str, params: Sequence[object]) -> list[tuple[Any, ...]]:
    connection.ensure_connection()
    # Planning would take half of the time of these small statements. Django switches preparation
    # off for its own cursors, which do not use it anyway.
    connection.connection.prepare_threshold = _PREPARE_AFTER
    # Django's own cursors put parameters into the text and cannot read binary results.
    with psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(query.encode(), params, prepare=True, binary=True)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _ints(sent: bytes) -> Ints:
    """What int4send made, which is big-endian on every server."""
    return np.frombuffer(sent, np.dtype(">i4")).astype(np.int32)


def head(workspace: str) -> Head | None:
    """The index's id, version and size; None when the workspace was never indexed."""
    rows = _fetch(
        "SELECT id, version, next_item FROM value_index WHERE workspace = %s", [workspace]
    )
    return Head(*rows[0]) if rows else None


def columns(index_id: int) -> list[StoredColumn]:
    """Every column that the last refresh decided on."""
    rows = _fetch(
        "SELECT id, full_name, policy, truncated, refreshed_at FROM value_column"
        " WHERE index_id = %s ORDER BY full_name",
        [index_id],
    )
    return [StoredColumn(*row) for row in rows]


def words(index_id: int) -> tuple[list[str], Ints, Ints]:
    """All words by length, then code points; their numbers and document frequencies.

    One row: a tuple per word would triple the memory of a process that loads the vocabulary.
    """
    (text, numbers, counts) = _fetch(
        "SELECT string_agg(word, ' '), string_agg(int4send(no), ''), string_agg(int4send(df), '')"
        " FROM (SELECT word, no, df FROM value_word WHERE index_id = %s AND df > 0"
        '       ORDER BY length(word), word COLLATE "C") w',
        [index_id],
    )[0]
    if text is None:
        return [], np.empty(0, np.int32), np.empty(0, np.int32)
    return text.split(" "), _ints(numbers), _ints(counts)


def postings(index_id: int, word_nos: Iterable[int]) -> tuple[list[tuple[int, Ints]], int | None]:
    """(word number, item numbers) of every segment of the words, and the index's version at that
    moment: None when there is no such index any more. One statement: a search that asked for the
    version beforehand would wait for the server once more."""
    rows = _fetch(
        "SELECT word_no, ids, NULL::int8 FROM value_posting"
        " WHERE index_id = %s AND word_no = ANY(%s::int4[])"
        " UNION ALL SELECT NULL, NULL, version FROM value_index WHERE id = %s",
        [index_id, array(word_nos), index_id],
    )
    lists = [(word, np.frombuffer(ids, np.dtype("<i4"))) for word, ids, _ in rows if ids]
    return lists, next((version for word, _, version in rows if word is None), None)


def items(index_id: int, nos: Iterable[int], hashes: Iterable[int]) -> dict[int, str]:
    """Normalised values by number: those of `nos` and those that a glued hash equals.

    One row: reading hundreds of them costs more than finding them. Normal forms hold no line feed.
    """
    (numbers, norms) = _fetch(
        "SELECT string_agg(int4send(no), ''), string_agg(norm, E'\\n') FROM ("
        " SELECT no, norm FROM value_item WHERE index_id = %s AND no = ANY(%s::int4[]) UNION ALL"
        " SELECT no, norm FROM value_item WHERE index_id = %s AND glued = ANY(%s::int8[])) found",
        [index_id, array(nos), index_id, array(hashes)],
    )[0]
    if numbers is None:
        return {}
    return dict(zip(_ints(numbers).tolist(), norms.split("\n"), strict=True))


def occurrences(index_id: int, nos: Iterable[int]) -> list[Occurrence]:
    """Where the items occur, in whatever column: the caller knows which it may show.

    Filtering columns here too would make the planner probe every pair of item and column.
    """
    rows = _fetch(
        "SELECT item_no, column_id, raw, rows FROM value_occurrence"
        " WHERE index_id = %s AND item_no = ANY(%s::int4[])",
        [index_id, array(nos)],
    )
    return [Occurrence(*row) for row in rows]


def column_counts(index_id: int, nos: Iterable[int]) -> list[tuple[int, int]]:
    """(column id, number of the items that occur in it), most first."""
    rows = _fetch(
        "SELECT column_id, count(DISTINCT item_no) FROM value_occurrence"
        " WHERE index_id = %s AND item_no = ANY(%s::int4[]) GROUP BY column_id ORDER BY 2 DESC, 1",
        [index_id, array(nos)],
    )
    return [(column, count) for column, count in rows]
