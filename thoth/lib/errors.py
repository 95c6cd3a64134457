"""The error tree. Every error a user can meet descends from ThothError.

ThothError
├── NotFound      the thing does not exist, or the caller may not know that it does     404
├── Invalid       the caller's input breaks a rule                                      422
├── Conflict      the input was right for another state of the thing                    409
├── Stale         the caller acted on a version that is no longer current               412
├── Forbidden     the caller is known and may not                                       403
└── Upstream      the warehouse, the vectors or the model did not do their part         502

A message is one sentence or two a user can act on: what, where, what to do. `code` is stable
and part of the API; details go in `extra`, which must be JSON-serialisable.
"""

from __future__ import annotations

from typing import ClassVar


class ThothError(Exception):
    """Base of all errors with a stable code."""

    status: ClassVar[int] = 500

    def __init__(self, code: str, message: str, **extra: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.extra = extra


class NotFound(ThothError):
    """The thing does not exist for this caller."""

    status = 404


class Invalid(ThothError):
    """The caller's input breaks a rule."""

    status = 422


class Conflict(ThothError):
    """The thing is no longer in the state the input was meant for."""

    status = 409


class Stale(Conflict):
    """The caller acted on an outdated version."""

    status = 412


class Forbidden(ThothError):
    """The caller is known and may not do this."""

    status = 403


class Upstream(ThothError):
    """Something outside failed; `transient` says whether trying again can help."""

    status = 502

    def __init__(
        self, code: str, message: str, *, transient: bool = False, **extra: object
    ) -> None:
        super().__init__(code, message, **extra)
        self.transient = transient
