"""Putting an index in order after a run: frequencies, segments, values that are gone."""

from __future__ import annotations

from django.db import connection, transaction

from thoth.warehouse.valueindex.models import ValueIndex

_SEGMENTS_MAX = 8
_DEAD_SHARE = 0.2

_DELETE_DEAD = """
DELETE FROM value_item i WHERE i.index_id = %s AND NOT EXISTS (
    SELECT FROM value_occurrence o WHERE o.index_id = i.index_id AND o.item_no = i.no)
"""
# Later segments hold higher numbers only, so lists stay sorted when they are strung together.
_MERGE = """
WITH old AS (
    DELETE FROM value_posting p USING (
        SELECT word_no FROM value_posting WHERE index_id = %(index)s
        GROUP BY word_no HAVING count(*) > 1) many
    WHERE p.index_id = %(index)s AND p.word_no = many.word_no
    RETURNING p.word_no, p.segment, p.ids)
INSERT INTO value_posting (index_id, word_no, segment, ids)
SELECT %(index)s, word_no, %(segment)s, string_agg(ids, ''::bytea ORDER BY segment)
FROM old GROUP BY word_no
"""
# Postings anew from the values that are left. int4send is big-endian, postings are little-endian.
_REBUILD = """
INSERT INTO value_posting (index_id, word_no, segment, ids)
SELECT %(index)s, w.no, %(segment)s,
    string_agg(substring(b from 4 for 1) || substring(b from 3 for 1)
            || substring(b from 2 for 1) || substring(b from 1 for 1), ''::bytea ORDER BY held.no)
FROM (SELECT DISTINCT i.no, t.word, int4send(i.no) AS b
      FROM value_item i, unnest(string_to_array(i.norm, ' ')) AS t (word)
      WHERE i.index_id = %(index)s) held
JOIN value_word w ON w.index_id = %(index)s AND w.word = held.word
GROUP BY w.no
"""
_SETTLE = """
UPDATE value_word w SET df = real.df FROM (
    SELECT w.no, coalesce(sum(octet_length(p.ids)) / 4, 0)::int4 AS df
    FROM value_word w LEFT JOIN value_posting p ON p.index_id = w.index_id AND p.word_no = w.no
    WHERE w.index_id = %s GROUP BY w.no) real
WHERE w.index_id = %s AND w.no = real.no AND w.df <> real.df
"""


def compact(index_id: int, *, settle: bool) -> None:
    """One transaction: drop what no column holds any more once it may be a fifth of the whole,
    merge segments once they are many, and move the version when anything changed.

    `settle` counts every word anew and refreshes the planner's statistics: after a large run.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        index = ValueIndex.objects.select_for_update().get(pk=index_id)
        before = index.next_segment
        places = {"index": index_id, "segment": before}
        if index.removed > index.next_item * _DEAD_SHARE:
            _rebuild(index, places)
        elif _segments(index_id) > _SEGMENTS_MAX:
            cursor.execute(_MERGE, places)
            index.next_segment += 1
        if settle or index.next_segment != before:
            # Statistics from before the change may say "empty": counting the words would then
            # compare each word with each posting, and the next search would scan whole tables.
            for table in ("value_word", "value_posting", "value_item", "value_occurrence"):
                cursor.execute(f"ANALYZE {table}")
            cursor.execute(_SETTLE, [index_id, index_id])
            index.version += 1
        index.save()


def _segments(index_id: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM value_posting"
            " WHERE index_id = %s GROUP BY word_no) s",
            [index_id],
        )
        return int(cursor.fetchone()[0])


def _rebuild(index: ValueIndex, places: dict[str, int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_DELETE_DEAD, [index.pk])
        cursor.execute("DELETE FROM value_posting WHERE index_id = %s", [index.pk])
        cursor.execute(_REBUILD, places)
        # Words that no value holds any more would still be offered as readings of a typo.
        cursor.execute(
            "DELETE FROM value_word w WHERE w.index_id = %s AND NOT EXISTS (SELECT FROM"
            " value_posting p WHERE p.index_id = w.index_id AND p.word_no = w.no)",
            [index.pk],
        )
    index.next_segment += 1
    index.removed = 0
