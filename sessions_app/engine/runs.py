"""Runs and their leases: one worker at a time does a step, and a lost worker's step is taken over."""

from __future__ import annotations

import datetime as dt
import logging
import secrets
import threading
from dataclasses import dataclass
from types import TracebackType

from django.conf import settings
from django.db import connection
from django.db.models import Q

from sessions_app.errors import StepKeepsDying
from sessions_app.models import Run, Session
from thoth.lib import clock

logger = logging.getLogger(__name__)

# A step that kills its worker every time (memory, a crash in a library) must not do so for ever.
ATTEMPTS_MAX = 5


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do one step at one version of a session, until it is taken over."""

    run_id: int
    token: str
    session_pk: int
    session_version: int
    step: str


def claim(session: Session, step: str, *, phase: str, stage: str) -> Lease | None:
    """A lease on the step at the session's version, or None when another worker holds it.

    Call it with the session locked. A Run whose lease has ended is taken over by a conditional
    UPDATE with a new token; its former worker can no longer present anything.

    Raises: StepKeepsDying when ATTEMPTS_MAX workers in a row have not come back from it.
    """
    now = clock.now()
    token = secrets.token_hex(16)
    fields = {"lease_token": token, "lease_until": now + _lease()}
    run, created = Run.objects.get_or_create(
        session=session,
        session_version=session.version,
        step=step,
        defaults={"phase": phase, "stage": stage, "started_at": now, **fields},
    )
    if not created and not _take_over(run, now, fields):
        return None
    return Lease(run.pk, token, session.pk, session.version, step)


def held(lease: Lease) -> Run | None:
    """The Run, if this lease still owns it. Call it with the session locked."""
    return Run.objects.filter(
        pk=lease.run_id, lease_token=lease.token, status=Run.Status.RUNNING
    ).first()


def sessions_to_advance(now: dt.datetime | None = None) -> list[str]:
    """Public ids of sessions in status running that no live lease covers, oldest first."""
    live = Run.objects.filter(status=Run.Status.RUNNING, lease_until__gt=now or clock.now()).values(
        "session"
    )
    query = Session.objects.filter(status=Session.Status.RUNNING).exclude(pk__in=live)
    return list(query.order_by("pk").values_list("public_id", flat=True))


def has_live_run(session: Session) -> bool:
    """Is a worker at a step of this session right now?"""
    live = Q(status=Run.Status.RUNNING, lease_until__gt=clock.now())
    return Run.objects.filter(live, session=session).exists()


class LeaseKeeper:
    """Renews a lease while work goes on; `lost` once somebody else has taken it over.

    A thread of its own with its own connection: the work may sit in one long warehouse query.
    """

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)
        self.lost = False

    def __enter__(self) -> LeaseKeeper:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _renew(self) -> None:
        try:
            while not self._stop.wait(settings.THOTH_LEASE_RENEW_S):
                owned = Run.objects.filter(
                    pk=self._lease.run_id, lease_token=self._lease.token, status=Run.Status.RUNNING
                )
                if not owned.update(lease_until=clock.now() + _lease()):
                    self.lost = True
                    return
        except Exception:  # a thread's boundary: without renewal the lease ends and is taken over
            logger.exception("lease_renewal_failed run=%s", self._lease.run_id)
        finally:
            connection.close()


def _take_over(run: Run, now: dt.datetime, fields: dict[str, object]) -> bool:
    ended = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING, lease_until__lte=now)
    if run.attempts >= ATTEMPTS_MAX and ended.exists():
        raise StepKeepsDying(run.step)
    taken = ended.update(attempts=run.attempts + 1, started_at=now, **fields)
    if taken:
        logger.warning("run_taken_over run=%s step=%s", run.pk, run.step)
    return bool(taken)


def _lease() -> dt.timedelta:
    return dt.timedelta(seconds=settings.THOTH_LEASE_S)
