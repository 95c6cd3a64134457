"""Writing one batch of changes: one transaction, one segment.

Everything goes in by COPY. A large batch leaves the frequencies of words it did not make to the
end of the run (`compact`): updating a hundred thousand rows with every batch would take longer
than all the rest.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection, transaction

from thoth.warehouse.valueindex.models import ValueIndex
from thoth.warehouse.valueindex.normal import glued

COUNTED_WORDS = 20_000  # a batch that meets more known words leaves counting to compact()


class Added(NamedTuple):
    """A spelling that a column did not hold before, its normal form, and a number that is free
    among the column's spellings of that form. A million of them are made in a build."""

    column_id: int
    raw: str
    normal: str
    rows: int
    n: int


@dataclass
class Batch:
    """What a few columns' diffs add up to."""

    added: list[Added] = field(default_factory=list)
    changed: list[tuple[int, int, int, int]] = field(default_factory=list)  # item, column, n, rows
    gone: list[tuple[int, int, int]] = field(default_factory=list)  # item, column, n

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.gone)


def write_batch(index_id: int, batch: Batch) -> None:
    """Store the batch and move the index's version. The caller marks columns in the same
    transaction."""
    with transaction.atomic():
        index = ValueIndex.objects.select_for_update().get(pk=index_id)
        numbers = _items(index, batch.added)
        _copy(
            "value_occurrence (index_id, item_no, column_id, n, raw, rows)",
            "int4 int4 int8 int2 text int8",
            (
                (index_id, numbers[normal], column_id, n, raw, rows)
                for column_id, raw, normal, rows, n in batch.added
            ),
        )
        _update_rows(index.pk, batch.changed)
        _delete(index.pk, batch.gone)
        index.version += 1
        index.removed += len(batch.gone)
        index.save()


def _items(index: ValueIndex, added: Sequence[Added]) -> dict[str, int]:
    """Normal form → item number, making the items that are not stored yet."""
    hashes = {one.normal: 0 for one in added}
    for normal in hashes:
        hashes[normal] = glued(normal)
    numbers = _known_items(index, hashes)
    # Short values get low numbers: of equally good candidates the lower number is looked at.
    new = sorted((n for n in hashes if n not in numbers), key=lambda n: (n.count(" "), len(n), n))
    first, index_id = index.next_item, index.pk  # `pk` is a property: not for every row
    numbers.update(zip(new, range(first, first + len(new)), strict=True))
    index.next_item += len(new)
    _copy(
        "value_item (index_id, no, norm, glued)",
        "int4 int4 text int8",
        ((index_id, first + place, normal, hashes[normal]) for place, normal in enumerate(new)),
    )
    _post(index, new, first)
    return numbers


def _known_items(index: ValueIndex, hashes: dict[str, int]) -> dict[str, int]:
    if not index.next_item or not hashes:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.norm, i.no FROM unnest(%s::text[], %s::int8[]) AS new (norm, glued)"
            " JOIN value_item i ON i.index_id = %s AND i.glued = new.glued AND i.norm = new.norm",
            [list(hashes), list(hashes.values()), index.pk],
        )
        return dict(cursor.fetchall())


def _post(index: ValueIndex, norms: Sequence[str], first: int) -> None:
    """The new items' words, and their postings as a new segment."""
    lists: dict[str, array[int]] = {}
    for number, normal in enumerate(norms, first):
        for word in dict.fromkeys(normal.split(" ")):
            if word:
                lists.setdefault(word, array("i")).append(number)
    words = _words(index, lists)
    index_id, segment = index.pk, index.next_segment
    index.next_segment += 1
    _copy(
        "value_posting (index_id, word_no, segment, ids)",
        "int4 int4 int4 bytea",
        (
            (index_id, words[word], segment, ids.tobytes())
            for word, ids in sorted(lists.items(), key=lambda pair: words[pair[0]])
        ),
    )


def _words(index: ValueIndex, lists: dict[str, array[int]]) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT word, no FROM value_word WHERE index_id = %s AND word = ANY(%s)",
            [index.pk, list(lists)],
        )
        numbers: dict[str, int] = dict(cursor.fetchall())
    if len(numbers) <= COUNTED_WORDS:
        _count(index, {no: len(lists[word]) for word, no in numbers.items()})
    new = [word for word in sorted(lists) if word not in numbers]
    numbers |= {word: number for number, word in enumerate(new, index.next_word)}
    index.next_word += len(new)
    index_id = index.pk
    _copy(
        "value_word (index_id, no, word, df)",
        "int4 int4 text int4",
        ((index_id, numbers[word], word, len(lists[word])) for word in new),
    )
    return numbers


def _count(index: ValueIndex, more: dict[int, int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE value_word w SET df = w.df + more.df"
            " FROM unnest(%s::int4[], %s::int4[]) AS more (no, df)"
            " WHERE w.index_id = %s AND w.no = more.no",
            [list(more), list(more.values()), index.pk],
        )


def _copy(target: str, types: str, rows: Iterable[tuple[Any, ...]]) -> None:
    connection.ensure_connection()
    with (
        connection.connection.cursor() as cursor,
        cursor.copy(f"COPY {target} FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(types.split())
        for row in rows:
            copy.write_row(row)


def _update_rows(index_id: int, changed: Sequence[tuple[int, int, int, int]]) -> None:
    if not changed:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE value_occurrence o SET rows = new.rows"
            " FROM unnest(%s::int4[], %s::int8[], %s::int2[], %s::int8[])"
            "      AS new (item_no, column_id, n, rows)"
            " WHERE o.index_id = %s AND o.item_no = new.item_no"
            " AND o.column_id = new.column_id AND o.n = new.n",
            [*map(list, zip(*changed, strict=True)), index_id],
        )


def _delete(index_id: int, gone: Sequence[tuple[int, int, int]]) -> None:
    if not gone:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM value_occurrence o"
            " USING unnest(%s::int4[], %s::int8[], %s::int2[]) AS old (item_no, column_id, n)"
            " WHERE o.index_id = %s AND o.item_no = old.item_no"
            " AND o.column_id = old.column_id AND o.n = old.n",
            [*map(list, zip(*gone, strict=True)), index_id],
        )
