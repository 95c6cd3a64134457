"""What the reviewer was asked, what they answered, and every free text they wrote."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from sessions_app.models.session import Session


class Widget(models.Model):
    """One request and its answer. The request never changes; the answer is written once.

    `uid` is `uN`, unique in the session. `undone`: answered, then taken back by a rollback.
    `shown_version` is the session's version the widget was presented at.
    """

    class Status(models.TextChoices):
        PENDING = "pending"
        ANSWERED = "answered"
        SUPERSEDED = "superseded"
        UNDONE = "undone"

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="widgets")
    uid = models.CharField(max_length=12)
    number = models.PositiveIntegerField()
    phase = models.CharField(max_length=10)
    stage = models.CharField(max_length=64)
    activity = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=40)
    request = models.JSONField()
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.PENDING)
    shown_version = models.PositiveIntegerField()
    answer = models.JSONField(null=True, blank=True)
    answer_hash = models.CharField(max_length=64, blank=True)
    answered_by = models.CharField(max_length=200, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["session", "number"]
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="widget_number_once"),
            models.UniqueConstraint(fields=["session", "uid"], name="widget_uid_once"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(status="pending"), name="widget_one_pending"
            ),
            models.CheckConstraint(
                name="widget_status_known",
                condition=Q(status__in=["pending", "answered", "superseded", "undone"]),
            ),
            models.CheckConstraint(
                name="widget_answer_complete",
                condition=Q(
                    status__in=["answered", "undone"],
                    answer__isnull=False,
                    answered_at__isnull=False,
                )
                & ~Q(answer_hash="")
                & ~Q(answered_by="")
                | Q(status__in=["pending", "superseded"], answer__isnull=True, answer_hash=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.uid}"


class FreeText(models.Model):
    """A text the reviewer wrote. Unaddressed (`open`) until a proposal says how it was understood.

    `uid` is `tN`; `widget` is the one whose answer carried it (none for steering and rollback);
    `about` says in words what it answered.
    """

    class Kind(models.TextChoices):
        OTHER = "other"
        REJECTION = "rejection"
        STEERING = "steering"
        ROLLBACK = "rollback"
        LOOK_FURTHER = "look_further"

    class Status(models.TextChoices):
        OPEN = "open"
        ADDRESSED = "addressed"
        DROPPED = "dropped"
        LEFT_UNADDRESSED = "left_unaddressed"

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="texts")
    uid = models.CharField(max_length=12)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind.choices)
    text = models.TextField()
    about = models.CharField(max_length=1000, blank=True)
    author = models.CharField(max_length=200)
    phase = models.CharField(max_length=10)
    stage = models.CharField(max_length=64)
    widget = models.ForeignKey(
        Widget, null=True, blank=True, on_delete=models.PROTECT, related_name="texts"
    )
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.OPEN)
    reading = models.TextField(blank=True)
    addressed_by_widget = models.ForeignKey(
        Widget, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    addressed_by_run = models.ForeignKey(
        "sessions_app.Run", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["session", "number"]
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="freetext_number_once"),
            models.UniqueConstraint(fields=["session", "uid"], name="freetext_uid_once"),
            models.CheckConstraint(
                name="freetext_kind_known",
                condition=Q(
                    kind__in=["other", "rejection", "steering", "rollback", "look_further"]
                ),
            ),
            models.CheckConstraint(
                name="freetext_status_known",
                condition=Q(status__in=["open", "addressed", "dropped", "left_unaddressed"]),
            ),
            models.CheckConstraint(name="freetext_not_empty", condition=~Q(text="")),
            models.CheckConstraint(
                name="freetext_addressed_has_reading",
                condition=~Q(status="addressed") | ~Q(reading=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.uid}"
