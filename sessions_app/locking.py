"""The one lock of a session: its row. Whoever changes anything of a session takes it first."""

from __future__ import annotations

from django.db.models import QuerySet

from sessions_app.models import Session
from thoth.lib.errors import NotFound, Stale


def lock(pk: int) -> Session:
    """The session, locked until the transaction ends, with its workflow.

    Raises: NotFound `session_not_found`; TransactionManagementError outside a transaction.
    """
    # of=("self",): the shared workflow row must not make unrelated sessions wait for each other.
    return _get(Session.objects.select_for_update(of=("self",)).filter(pk=pk), str(pk))


def lock_public(public_id: str, *, expected_version: int | None = None) -> Session:
    """As `lock`, by public id. Raises also: Stale `session_version_stale`."""
    query = Session.objects.select_for_update(of=("self",)).filter(public_id=public_id)
    session = _get(query, public_id)
    if expected_version is not None and session.version != expected_version:
        message = "The session has moved on since this page was shown. Look again before you act."
        raise Stale("session_version_stale", message, version=session.version)
    return session


def find(public_id: str) -> Session:
    """The session, not locked. Raises: NotFound `session_not_found`."""
    return _get(Session.objects.filter(public_id=public_id), public_id)


def _get(query: QuerySet[Session], name: str) -> Session:
    session = query.select_related("workflow").first()
    if session is None:
        raise NotFound("session_not_found", f"There is no session {name}.")
    return session
