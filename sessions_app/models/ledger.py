"""The ledger's table. Rows are inserted by sessions_app.ledger.append and never change."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from sessions_app.models.session import Session


class LedgerRow(models.Model):
    """One decision. `widget` is the answered widget's id (`u42`) or empty; see ledger.md."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="ledger")
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=40)
    phase = models.CharField(max_length=10)
    stage = models.CharField(max_length=64)
    subject = models.CharField(max_length=1000)
    detail = models.TextField(blank=True)
    rationale = models.TextField(blank=True)
    payload = models.JSONField(default=dict)
    author = models.CharField(max_length=200)
    widget = models.CharField(max_length=12, blank=True)
    created_at = models.DateTimeField()
    prev_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["session", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="ledger_seq_once"),
            models.UniqueConstraint(fields=["session", "prev_hash"], name="ledger_no_fork"),
            models.CheckConstraint(name="ledger_seq_from_one", condition=Q(seq__gte=1)),
            models.CheckConstraint(
                name="ledger_hashes_are_sha256",
                condition=Q(hash__regex=r"^[0-9a-f]{64}$", prev_hash__regex=r"^[0-9a-f]{64}$"),
            ),
            models.CheckConstraint(
                name="ledger_row_is_complete",
                condition=~Q(type="")
                & ~Q(subject="")
                & ~Q(author="")
                & ~Q(phase="")
                & ~Q(stage=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}#{self.seq} {self.type}"
