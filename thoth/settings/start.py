"""What must hold before a process serves people or does their work."""

from __future__ import annotations

from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.core.exceptions import ImproperlyConfigured


def require_safe_start() -> None:
    """Return only with secrets set and without an error in the checks tagged `start`.

    Raises: ImproperlyConfigured, naming what to set.
    """
    if settings.SECRET_KEY == settings.INSECURE_SECRET_KEY:
        raise ImproperlyConfigured("Set THOTH_SECRET_KEY to a long random text.")
    if not settings.THOTH_LEDGER_KEY:
        raise ImproperlyConfigured("Set THOTH_LEDGER_KEY to a long random text, and keep it.")
    errors = [message for message in run_checks(tags=["start"]) if message.level >= ERROR]
    if errors:
        raise ImproperlyConfigured(" ".join(f"{error.id}: {error.msg}" for error in errors))
