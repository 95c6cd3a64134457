"""A session and the workflow it is interpreted by."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from thoth.lib.clock import now

GENESIS = "0" * 64  # the previous hash of a session's first ledger row


class WorkflowVersion(models.Model):
    """One content of workflow.yaml under its version number. `sha256` is of the parsed content."""

    version = models.PositiveIntegerField(unique=True)
    sha256 = models.CharField(max_length=64)
    yaml = models.TextField()
    created_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"workflow {self.version}"


class Session(models.Model):
    """One question's way through the workflow.

    `version` counts what the reviewer did; `phase` and `stage` are a cache of the effective view
    (empty when finalised). The counters number rows, events, widgets and texts under the row lock.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        WAITING = "waiting"
        BLOCKED = "blocked"
        FAILED = "failed"
        PAUSED = "paused"
        FINALISED = "finalised"

    public_id = models.CharField(max_length=120, unique=True)
    workspace = models.CharField(max_length=100, db_index=True)
    question = models.TextField()
    title = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=10)
    author = models.CharField(max_length=200)
    # Hash of author and Idempotency-Key of the request that made the session.
    request_key = models.CharField(max_length=64, unique=True, null=True, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.RUNNING)
    version = models.PositiveIntegerField(default=1)
    phase = models.CharField(max_length=10, blank=True)
    stage = models.CharField(max_length=64, blank=True)
    workflow = models.ForeignKey(WorkflowVersion, on_delete=models.PROTECT, related_name="+")
    today = models.DateField()  # relative periods do not move under a reviewer
    ledger_count = models.PositiveIntegerField(default=0)
    ledger_head = models.CharField(max_length=64, default=GENESIS)
    event_count = models.PositiveIntegerField(default=0)
    widget_count = models.PositiveIntegerField(default=0)
    text_count = models.PositiveIntegerField(default=0)
    failure_code = models.CharField(max_length=64, blank=True)
    failure_message = models.TextField(blank=True)
    created_at = models.DateTimeField(default=now)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["status"]), models.Index(fields=["owner", "-created_at"])]
        constraints = [
            models.CheckConstraint(
                name="session_status_known",
                condition=Q(
                    status__in=["running", "waiting", "blocked", "failed", "paused", "finalised"]
                ),
            ),
            models.CheckConstraint(
                name="session_finalised_has_no_stage",
                condition=~Q(status="finalised") | Q(stage="", phase=""),
            ),
            models.CheckConstraint(
                name="session_empty_ledger_has_genesis_head",
                condition=Q(ledger_count=0, ledger_head=GENESIS)
                | (Q(ledger_count__gt=0) & ~Q(ledger_head=GENESIS)),
            ),
            models.CheckConstraint(
                name="session_question_not_empty", condition=~Q(question__regex=r"^\s*$")
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
