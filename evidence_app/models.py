"""Rows that mirror the head of the workspace's Git repository, and proposals of a preparation.

The files are the truth: every row but a proposal's can be dropped and rebuilt by sync.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _


class Mirror(models.Model):
    """Which commit the rows of a workspace show."""

    workspace = models.CharField(_("workspace"), max_length=63, unique=True)
    commit = models.CharField(_("commit"), max_length=64)
    synced_at = models.DateTimeField(_("synced at"))

    class Meta:
        verbose_name = _("mirrored repository")
        verbose_name_plural = _("mirrored repositories")

    def __str__(self) -> str:
        return f"{self.workspace} @ {self.commit[:8]}"


class EvidenceUnit(models.Model):
    """One file below curated/. An unreadable one has `broken` set and what its path tells."""

    workspace = models.CharField(_("workspace"), max_length=63, db_index=True)
    path = models.CharField(_("file"), max_length=400)
    evidence_id = models.CharField(_("id"), max_length=200, db_index=True)
    kind = models.CharField(_("kind"), max_length=20, db_index=True)
    title = models.CharField(_("title"), max_length=400)
    purposes = ArrayField(models.CharField(max_length=20), verbose_name=_("purposes"), default=list)
    language = models.CharField(_("language"), max_length=20, blank=True)
    source_file = models.CharField(_("source"), max_length=400, blank=True)
    concepts = models.TextField(_("concepts"), blank=True)
    text = models.TextField(_("text"), blank=True)
    sha256 = models.CharField(max_length=64)
    broken = models.BooleanField(_("unreadable"), default=False)
    blocks_publication = models.BooleanField(_("blocks publication"), default=False, db_index=True)
    findings = models.JSONField(default=list)

    class Meta:
        verbose_name = _("Evidence unit")
        verbose_name_plural = _("Evidence units")
        ordering = ["workspace", "path"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "path"], name="evidence_unit_path"),
        ]

    def __str__(self) -> str:
        return self.title or self.path


class ReviewItem(models.Model):
    """One open question of a unit's file, in the file's order."""

    unit = models.ForeignKey(
        EvidenceUnit, models.CASCADE, related_name="review_items", verbose_name=_("unit")
    )
    position = models.PositiveSmallIntegerField()
    code = models.CharField(_("code"), max_length=100, db_index=True)
    message = models.TextField(_("message"))
    field = models.CharField(_("field"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("review item")
        verbose_name_plural = _("review items")
        ordering = ["unit", "position"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "position"], name="review_item_position"),
        ]

    def __str__(self) -> str:
        return f"{self.code}: {self.message[:80]}"


class Proposal(models.Model):
    """What `prepare` made of a commit's sources, waiting for a curator's word.

    `commit` holds the proposed tree; refs/proposals/<pk> keeps it. It is no row of the mirror.
    """

    class Status(models.TextChoices):
        RUNNING = "running", _("running")
        READY = "ready", _("waiting for you")
        FAILED = "failed", _("failed")
        EMPTY = "empty", _("nothing to do")
        ACCEPTED = "accepted", _("accepted")
        DISCARDED = "discarded", _("discarded")

    workspace = models.CharField(_("workspace"), max_length=63, db_index=True)
    status = models.CharField(
        _("status"), max_length=12, choices=Status.choices, default=Status.RUNNING
    )
    base = models.CharField(max_length=64)
    commit = models.CharField(max_length=64, blank=True)
    author = models.CharField(_("author"), max_length=150)
    report = models.JSONField(default=dict)
    error_code = models.CharField(max_length=100, blank=True)
    error_message = models.TextField(blank=True)
    created_at = models.DateTimeField(_("created at"))
    decided_by = models.CharField(_("decided by"), max_length=150, blank=True)
    decided_at = models.DateTimeField(_("decided at"), null=True)

    class Meta:
        verbose_name = _("proposal")
        verbose_name_plural = _("proposals")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.workspace} #{self.pk}"
