"""The value index in plain tables: values → words → values, one index per workspace.

Numbers (`no`) are local to an index: they are positions of in-process arrays and four bytes in a
posting. The big tables carry the index's id without a foreign key: a constraint would cost one
look-up per row of a million-row COPY, and only `writer` and `compact` ever write here.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class ValueIndex(models.Model):
    """One workspace's index. `version` moves with every committed change; readers reload by it."""

    workspace = models.TextField(unique=True)
    version = models.BigIntegerField(default=0)
    next_item = models.IntegerField(default=0)
    next_word = models.IntegerField(default=0)
    next_segment = models.IntegerField(default=0)
    # Occurrences removed since postings were last rebuilt: what is dead in them is at most that.
    removed = models.BigIntegerField(default=0)
    # Set while a refresh is under way: one that finds it set takes up where that one stopped.
    run_started_at = models.DateTimeField(null=True)
    refreshed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "value_index"

    def __str__(self) -> str:
        return f"value index of {self.workspace}"


class ValueColumn(models.Model):
    """A column of the warehouse and why its values are, or are not, stored here."""

    class Policy(models.TextChoices):
        INDEX = "index", "values are stored"
        ASK = "ask", "near-unique codes: the warehouse is asked instead"
        OFF = "off", "values are not searched"

    index = models.ForeignKey(ValueIndex, on_delete=models.CASCADE, related_name="columns")
    full_name = models.TextField()  # "schema.table.column"
    policy = models.TextField(choices=Policy)
    reason = models.TextField(blank=True)
    distinct_values = models.IntegerField(default=0)
    fingerprint = models.TextField(blank=True)  # of what was read: equal means nothing to compare
    truncated = models.BooleanField(default=False)
    error = models.TextField(blank=True)  # why the last refresh could not read it; values stay
    refreshed_at = models.DateTimeField(null=True)
    moved = False  # not stored: whether this refresh found other values than the last

    class Meta:
        db_table = "value_column"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["index", "full_name"], name="value_column_name")
        ]

    def __str__(self) -> str:
        return self.full_name


class ValueWord(models.Model):
    """A distinct word and the number of values that hold it."""

    pk = models.CompositePrimaryKey("index_id", "no")
    index_id = models.IntegerField()
    no = models.IntegerField()
    word = models.TextField()
    df = models.IntegerField()

    class Meta:
        db_table = "value_word"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["index_id", "word"], name="value_word_word")
        ]

    def __str__(self) -> str:
        return self.word


class ValuePosting(models.Model):
    """The values that hold a word: ascending little-endian int32 numbers, one row per segment."""

    pk = models.CompositePrimaryKey("index_id", "word_no", "segment")
    index_id = models.IntegerField()
    word_no = models.IntegerField()
    segment = models.IntegerField()
    ids = models.BinaryField()

    class Meta:
        db_table = "value_posting"

    def __str__(self) -> str:
        return f"posting {self.word_no}/{self.segment}"


class ValueItem(models.Model):
    """A distinct normalised value. `glued` hashes it without blanks: "drg 123" = "drg123"."""

    pk = models.CompositePrimaryKey("index_id", "no")
    index_id = models.IntegerField()
    no = models.IntegerField()
    norm = models.TextField()
    glued = models.BigIntegerField()

    class Meta:
        db_table = "value_item"
        indexes: ClassVar = [models.Index(fields=["index_id", "glued"], name="value_item_glued")]

    def __str__(self) -> str:
        return self.norm


class ValueOccurrence(models.Model):
    """Provenance: this column holds this raw spelling `rows` times. `n` tells spellings apart."""

    pk = models.CompositePrimaryKey("index_id", "item_no", "column_id", "n")
    index_id = models.IntegerField()
    item_no = models.IntegerField()
    column_id = models.BigIntegerField()
    n = models.SmallIntegerField()
    raw = models.TextField()
    rows = models.BigIntegerField()

    class Meta:
        db_table = "value_occurrence"
        indexes: ClassVar = [models.Index(fields=["column_id"], name="value_occurrence_column")]

    def __str__(self) -> str:
        return self.raw
