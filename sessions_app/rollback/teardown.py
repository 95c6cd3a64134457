"""Undoing what a rollback's scope covers, all of it with the session locked, in one transaction."""

from __future__ import annotations

import datetime as dt
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from sessions_app import artifacts, events
from sessions_app.models import FreeText, OutboxRow, Run, Session, Widget
from sessions_app.rollback import losses
from sessions_app.rollback.targets import Scope


def tear_down(session: Session, scope: Scope, *, now: dt.datetime, keep_text: str | None) -> None:
    """Nothing that the scope covers is live any more.

    Documents are deleted (their contents stay), the pending widget superseded, answers undone,
    receipts and results deleted, texts dropped (not `keep_text`), promoted Memory items retired,
    running Runs superseded. What an undone proposal had addressed is unaddressed again.
    """
    # The scope's queries read what the next lines change: texts and documents first.
    losses.texts(session, scope).exclude(uid=keep_text or "").update(status=FreeText.Status.DROPPED)
    artifacts.remove(
        session, losses.artifacts(session, scope).values_list("name", flat=True), now=now
    )
    losses.receipts(session, scope).delete()
    _drop_results(session, scope)
    supersede_pending(session, now=now)
    losses.answers(session, scope).update(status=Widget.Status.UNDONE)
    _unaddress(session, scope)
    supersede_runs(session, now=now)
    for memory_id in losses.promoted_memory(scope):
        _retire_memory(session, memory_id, now)


def supersede_pending(session: Session, *, now: dt.datetime) -> None:
    """The pending widget, if any, can no longer be answered; watchers are told."""
    pending = Widget.objects.filter(session=session, status=Widget.Status.PENDING)
    for uid in pending.values_list("uid", flat=True):
        events.append(session, "ui_superseded", {"id": uid}, now=now)
    pending.update(status=Widget.Status.SUPERSEDED)


def supersede_runs(session: Session, *, now: dt.datetime) -> None:
    """Running Runs have lost their lease: a late proposal is discarded."""
    running = Run.objects.filter(session=session, status=Run.Status.RUNNING)
    running.update(status=Run.Status.SUPERSEDED, lease_token="", lease_until=None, finished_at=now)


def _unaddress(session: Session, scope: Scope) -> None:
    gone = (Widget.Status.UNDONE, Widget.Status.SUPERSEDED)
    addressed = FreeText.objects.filter(session=session, status=FreeText.Status.ADDRESSED)
    addressed.filter(
        Q(addressed_by_widget__status__in=gone)
        | Q(addressed_by_widget=None, addressed_by_run__phase__in=scope.phases)
    ).update(
        status=FreeText.Status.OPEN, reading="", addressed_by_widget=None, addressed_by_run=None
    )


def _drop_results(session: Session, scope: Scope) -> None:
    results = losses.results(session, scope)
    for path in results.values_list("path", flat=True):
        file = settings.THOTH_HOME / "results" / path
        transaction.on_commit(partial(Path.unlink, file, missing_ok=True), robust=True)
    results.delete()


def _retire_memory(session: Session, memory_id: str, now: dt.datetime) -> None:
    OutboxRow.objects.get_or_create(
        key=f"memory_retire:{session.public_id}:{memory_id}:{session.version}",
        defaults={
            "kind": "memory_retire",
            "payload": {"session": session.public_id, "memory_id": memory_id},
            "created_at": now,
        },
    )
