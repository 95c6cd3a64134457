"""Named points at which a test may kill the process, to show that nothing is lost or doubled.

Armed only by THOTH_FAULT=<point> in the environment of a test's own process; then reaching the
point is like kill -9. Otherwise a point does nothing.
"""

from __future__ import annotations

import os
import signal

from django.conf import settings

POINTS = (
    "answer.before_commit",
    "answer.after_commit",
    "advance.after_claim",
    "advance.after_work",
    "advance.before_commit",
    "advance.after_commit",
    "rollback.before_commit",
    "rollback.after_commit",
    "finalise.before_commit",
    "finalise.after_commit",
)


def point(name: str) -> None:
    """Die here when the environment says so."""
    if name == settings.THOTH_FAULT:
        os.kill(os.getpid(), signal.SIGKILL)
