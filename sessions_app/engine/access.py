"""Who may do what with a session: every reviewer reads, its owner answers, a curator takes over."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from sessions_app import events
from sessions_app.models import Session
from thoth.lib.errors import Forbidden


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: the name that decisions carry, the roles (Django group names), the user's key."""

    name: str
    roles: frozenset[str] = frozenset({"reviewer"})
    user_pk: int | None = None


def actor_of(user: User) -> Actor:
    """The user as an actor (one query for the roles)."""
    roles = frozenset(user.groups.values_list("name", flat=True))
    return Actor(user.get_username(), roles, user.pk)


def require_reviewer(actor: Actor) -> None:
    """Return when the actor may ask and answer at all. Raises: Forbidden `role_required`."""
    if not actor.roles & {"reviewer", "curator"}:
        raise Forbidden("role_required", "This needs the role reviewer.", role="reviewer")


def require_answerable(session: Session, actor: Actor) -> None:
    """Return when the session is the actor's to answer.

    Raises: Forbidden `role_required`, `not_your_session`.
    """
    require_reviewer(actor)
    if not _owned(session, actor):
        message = f"This session belongs to {session.author}. A curator can take it over."
        raise Forbidden("not_your_session", message, author=session.author)


def take_over(session: Session, actor: Actor) -> None:
    """The session is the curator's to answer from now on; an event says so. Taking over what is
    one's own already changes nothing. Call it with the session locked.

    Raises: Forbidden `role_required`.
    """
    if _owned(session, actor):
        return
    if "curator" not in actor.roles:
        raise Forbidden("role_required", "Only a curator can take a session over.", role="curator")
    payload: dict[str, object] = {"event": "taken_over", "by": actor.name, "from": session.author}
    events.append(session, "system_event", payload)
    session.owner_id = actor.user_pk
    session.save(update_fields=["owner", "updated_at"])


def _owned(session: Session, actor: Actor) -> bool:
    """By user where the session has one; sessions of the command line have a name only."""
    if session.owner_id is not None:
        return session.owner_id == actor.user_pk
    return session.author == actor.name
