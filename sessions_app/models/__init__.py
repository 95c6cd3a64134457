"""All state of a session: what is truth, what is a projection, see docs/developers/ledger.md."""

from __future__ import annotations

from sessions_app.models.artifact import Artifact, ArtifactVersion, Content, ResultFile
from sessions_app.models.dialogue import FreeText, Widget
from sessions_app.models.event import Event, OutboxRow
from sessions_app.models.ledger import LedgerRow
from sessions_app.models.run import Receipt, Run
from sessions_app.models.session import Session, WorkflowVersion

__all__ = [
    "Artifact",
    "ArtifactVersion",
    "Content",
    "Event",
    "FreeText",
    "LedgerRow",
    "OutboxRow",
    "Receipt",
    "ResultFile",
    "Run",
    "Session",
    "Widget",
    "WorkflowVersion",
]
