"""Making sure that people and roles exist."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import Group, User
from django.db import transaction

from thoth.accounts.roles import LOCAL_USER, ROLES, Role
from thoth.lib.errors import Forbidden


@transaction.atomic
def user_ensure(*, username: str, roles: Iterable[Role], staff: bool = False) -> User:
    """The person exists, cannot sign in by password and has (at least) these roles.

    Idempotent; two at once make one person. `staff` gives the whole admin and is never taken away.
    """
    user, created = User.objects.get_or_create(username=username)
    if created:
        user.set_unusable_password()
    if created or (staff and not user.is_superuser):
        user.is_staff = user.is_superuser = staff
        user.save()
    groups = [Group.objects.get_or_create(name=role)[0] for role in roles]
    user.groups.add(*groups)
    return user


def local_user_ensure() -> User:
    """The person of auth mode `none`: everybody, with every role."""
    return user_ensure(username=LOCAL_USER, roles=ROLES, staff=True)


def require_role(user: User, role: Role) -> None:
    """Return when the person has the role.

    Raises: Forbidden `role_required`.
    """
    if not user.groups.filter(name=role).exists():
        message = f"This needs the role {role}. Ask an operator for it."
        raise Forbidden("role_required", message, role=role)
