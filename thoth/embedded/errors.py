"""What can go wrong with local services."""

from __future__ import annotations

from thoth.lib.errors import Conflict, Upstream


class ServiceFailed(Upstream):
    """A local service did not start or did not stay up; the message ends with its log."""


class AlreadyRunning(Conflict):
    """Another `tht up` owns this directory; the message names its process and address."""
