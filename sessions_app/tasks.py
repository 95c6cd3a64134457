"""Celery tasks: advance one session, find every session that should be advancing, tidy up."""

from __future__ import annotations

import logging

from celery import shared_task

from sessions_app import events, results, services
from thoth.lib.errors import NotFound

logger = logging.getLogger(__name__)


@shared_task(name="sessions_app.advance")  # type: ignore[untyped-decorator]
def advance(public_id: str) -> None:
    """One step of the session, and the next one as its own task."""
    try:
        progress = services.advance(public_id)
    except NotFound:
        logger.info("advance_skipped session=%s", public_id)
        return
    logger.info("advance session=%s progress=%s", public_id, progress)
    if progress == "moved":
        enqueue(public_id)


@shared_task(name="sessions_app.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Every running session without a live lease is advanced again."""
    waiting = services.sessions_to_advance()
    for public_id in waiting:
        enqueue(public_id)
    if waiting:
        logger.info("sweep sessions=%s", len(waiting))


@shared_task(name="sessions_app.tidy")  # type: ignore[untyped-decorator]
def tidy() -> None:
    """What has outlived its time is gone: result files after a day, events after thirty."""
    gone, told = results.results_purge(), events.purge()
    if gone or told:
        logger.info("tidy results=%s events=%s", gone, told)


def enqueue(public_id: str) -> None:
    """Have a worker advance the session. A lost broker is logged: the sweep finds the session."""
    try:
        advance.delay(public_id)
    except Exception as error:  # noqa: BLE001 - kombu raises many kinds; the edge's work is done
        logger.warning("enqueue_failed session=%s error=%s", public_id, type(error).__name__)
