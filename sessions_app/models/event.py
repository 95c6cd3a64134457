"""What is told to whoever watches a session, and what other systems still have to be told."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from sessions_app.models.session import Session


class Event(models.Model):
    """`number` is gapless per session and taken under its row lock: commit order is its order."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="events")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["session", "number"]
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="event_number_once"),
            models.CheckConstraint(name="event_number_from_one", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}#{self.number} {self.kind}"


class OutboxRow(models.Model):
    """Work for another system, written with the decision that caused it; `key` makes it once."""

    class Status(models.TextChoices):
        PENDING = "pending"
        DONE = "done"
        FAILED = "failed"

    key = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=40)
    payload = models.JSONField(default=dict)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["status", "created_at"])]
        constraints = [
            models.CheckConstraint(
                name="outbox_status_known", condition=Q(status__in=["pending", "done", "failed"])
            )
        ]

    def __str__(self) -> str:
        return self.key
