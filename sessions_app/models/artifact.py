"""Documents a stage produced, and files with results."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from sessions_app.models.session import Session


class Content(models.Model):
    """A text under its own hash: written once, shared by sessions, never changed."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.sha256


class Artifact(models.Model):
    """The live document under a name; a rollback deletes it, its versions and content stay."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="artifacts")
    name = models.CharField(max_length=200)
    phase = models.CharField(max_length=10)
    stage = models.CharField(max_length=64)
    content = models.ForeignKey(Content, on_delete=models.PROTECT, related_name="+")
    widget = models.CharField(max_length=12, blank=True)  # the answer that produced it
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["session", "name"]
        constraints = [
            models.UniqueConstraint(fields=["session", "name"], name="artifact_name_once"),
            models.CheckConstraint(name="artifact_has_name", condition=~Q(name="")),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.name}"


class ArtifactVersion(models.Model):
    """Every content that a name ever had: what "keep these answers" restores from."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="artifact_versions")
    name = models.CharField(max_length=200)
    content = models.ForeignKey(Content, on_delete=models.PROTECT, related_name="+")
    widget = models.CharField(max_length=12, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["session", "id"]
        indexes = [models.Index(fields=["session", "name", "-id"])]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.name}@{self.content_id[:8]}"


class ResultFile(models.Model):
    """The compressed rows of one executed approved SQL: kept until `expires_at` or a rollback.

    `path` is relative to the results folder; `file_sha256` is of the compressed file.
    """

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="results")
    phase = models.CharField(max_length=10)
    stage = models.CharField(max_length=64)
    sql_sha256 = models.CharField(max_length=64)
    path = models.CharField(max_length=300, unique=True)
    file_sha256 = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField()
    row_count = models.BigIntegerField()
    truncated = models.BooleanField(default=False)
    columns = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="resultfile_counts_not_negative",
                condition=Q(size_bytes__gte=0, row_count__gte=0),
            )
        ]

    def __str__(self) -> str:
        return self.path
