"""Who may see a session and who may act in it. No access reads as "not there"."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from sessions_app.models import Session
from thoth.accounts.roles import ROLES
from thoth.lib.errors import Forbidden, NotFound


def session_get_for_user(user: User, public_id: str) -> Session:
    """The session with its workflow, for anybody with a role: all reviewers read all sessions.

    Raises: NotFound `session_not_found`, also for a user without a role.
    """
    query = Session.objects.select_related("workflow").filter(public_id=public_id)
    session = query.first() if may_read(user) else None
    if session is None:
        raise NotFound("session_not_found", _("There is no such session."))
    return session


def session_get_for_owner(user: User, public_id: str) -> Session:
    """As `session_get_for_user`, for acting: only the session's owner answers.

    Raises: NotFound `session_not_found`, Forbidden `not_your_session`.
    """
    session = session_get_for_user(user, public_id)
    if not owns(session, user):
        message = _("This session belongs to %s. A curator can take it over.") % session.author
        raise Forbidden("not_your_session", message)
    return session


def owns(session: Session, user: User) -> bool:
    """By user where the session has one; sessions of the command line have a name only."""
    if session.owner_id is not None:
        return session.owner_id == user.pk
    return session.author == user.get_username()


def may_read(user: User) -> bool:
    """Has the user any of the roles? (One query.)"""
    return user.groups.filter(name__in=ROLES).exists()


def may_take_over(user: User, session: Session) -> bool:
    """Is the user a curator, and the session somebody else's?"""
    return not owns(session, user) and user.groups.filter(name="curator").exists()
