"""What happens to a step from outside while the model works on it."""

from __future__ import annotations

from django.db.models import QuerySet

from sessions_app.engine.runs import Lease
from sessions_app.models import FreeText, Run


class RunWatch:
    """Tells a runtime that its step is no longer wanted, and what the reviewer says meanwhile.

    A text that is passed on stays open: it is the next proposal that must say how it was understood.
    """

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._told = self._texts().count()

    def cancelled(self) -> bool:
        """Has the reviewer stopped the step, or another worker taken it over?"""
        return not Run.objects.filter(
            pk=self._lease.run_id, lease_token=self._lease.token, status=Run.Status.RUNNING
        ).exists()

    def steering(self) -> list[str]:
        """The texts since the last call, in their order."""
        new = list(self._texts().values_list("text", flat=True)[self._told :])
        self._told += len(new)
        return new

    def _texts(self) -> QuerySet[FreeText]:
        texts = FreeText.objects.filter(
            session_id=self._lease.session_pk, kind=FreeText.Kind.STEERING
        )
        return texts.order_by("number")
