"""Celery tasks of Evidence."""

from __future__ import annotations

import logging

from celery import shared_task

from evidence_app.curation import proposals
from evidence_app.models import Proposal

logger = logging.getLogger(__name__)


@shared_task(name="evidence_app.prepare")  # type: ignore[untyped-decorator]
def prepare(number: int) -> None:
    """Make the proposal that a curator asked for."""
    try:
        proposals.proposal_make(number)
    except Proposal.DoesNotExist:
        logger.info("prepare_skipped proposal=%s", number)
        return
    logger.info("prepare proposal=%s", number)


def enqueue_prepare(number: int) -> None:
    """Have a worker make the proposal. A lost broker is the proposal's own failure."""
    try:
        prepare.delay(number)
    except Exception as error:  # noqa: BLE001 - kombu raises many kinds
        logger.warning("enqueue_failed proposal=%s error=%s", number, type(error).__name__)
        message = "No worker can be reached. Try again in a moment."
        Proposal.objects.filter(pk=number, status=Proposal.Status.RUNNING).update(
            status=Proposal.Status.FAILED, error_code="broker_unreachable", error_message=message
        )
