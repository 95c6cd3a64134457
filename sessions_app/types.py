"""Frozen values that the functions of this app take and return instead of model instances."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from thoth.contracts.decisions import PAYLOADS, Payload


@dataclass(frozen=True, slots=True)
class Row:
    """One ledger row as everybody but the ledger itself sees it."""

    seq: int
    type: str
    phase: str
    stage: str
    subject: str
    detail: str = ""
    rationale: str = ""
    payload: dict[str, Any] = field(default_factory=dict)
    author: str = ""
    widget: str = ""
    created_at: dt.datetime | None = None

    def typed(self) -> Payload:
        """The payload as its class. Raises pydantic.ValidationError for a damaged row."""
        return PAYLOADS[self.type].model_validate(self.payload)


@dataclass(frozen=True, slots=True)
class Finding:
    """One inconsistency: a stable code and a sentence that names the place."""

    code: str
    message: str

    def as_dict(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class EventData:
    """An event as it is streamed; `number` is its Last-Event-ID."""

    number: int
    kind: str
    payload: dict[str, Any]
    created_at: dt.datetime


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """A live artifact with its text."""

    name: str
    phase: str
    stage: str
    sha256: str
    text: str
    widget: str
    created_at: dt.datetime
