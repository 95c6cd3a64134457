"""The one place that reads the wall clock, so that tests can pass a moment in."""

from __future__ import annotations

import datetime as dt


def now() -> dt.datetime:
    """The current moment, in UTC with microseconds."""
    return dt.datetime.now(tz=dt.UTC)
