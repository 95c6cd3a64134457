"""One attempt at a step, and what Evidence a stage was shown."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from sessions_app.models.session import Session


class Run(models.Model):
    """One step at one session version: unique, so two workers cannot both do it.

    A worker owns it while `lease_token` is its own and `lease_until` has not passed.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        SUPERSEDED = "superseded"

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="runs")
    session_version = models.PositiveIntegerField()
    step = models.CharField(max_length=64)
    phase = models.CharField(max_length=10)
    stage = models.CharField(max_length=64)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.RUNNING)
    lease_token = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=1)
    task_document = models.JSONField(null=True, blank=True)
    tool_calls = models.JSONField(default=list, blank=True)
    proposal = models.JSONField(null=True, blank=True)
    text_so_far = models.TextField(blank=True)
    usage = models.JSONField(default=dict, blank=True)
    failure_code = models.CharField(max_length=64, blank=True)
    failure_message = models.TextField(blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["session", "id"]
        indexes = [models.Index(fields=["status", "lease_until"])]
        constraints = [
            models.UniqueConstraint(
                fields=["session", "session_version", "step"], name="run_step_once"
            ),
            models.CheckConstraint(
                name="run_status_known",
                condition=Q(status__in=["running", "done", "failed", "superseded"]),
            ),
            models.CheckConstraint(
                name="run_failed_has_code", condition=~Q(status="failed") | ~Q(failure_code="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}@{self.session_version} {self.step}"


class Receipt(models.Model):
    """Which Evidence a stage was shown. `evidence_ids` keeps the order of the hits."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="receipts")
    phase = models.CharField(max_length=10)
    stage = models.CharField(max_length=64)
    purpose = models.CharField(max_length=40)
    vector_generation = models.CharField(max_length=100)
    evidence_ids = models.JSONField(default=list)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["session", "id"]

    def __str__(self) -> str:
        return f"{self.session_id} {self.stage} {self.purpose}"
