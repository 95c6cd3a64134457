"""Why a query cannot be compiled. Internal: callers of the package get a `Cannot`."""

from __future__ import annotations


class UncompilableError(Exception):
    """`code` is stable, `message` is fit for the reviewer, `words` name what it is about."""

    def __init__(self, code: str, message: str, *words: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.words = words
