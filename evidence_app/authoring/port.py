"""The port through which a source's text becomes candidates for units."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from evidence_app.types import Purpose
from evidence_app.units.model import (
    CuratedEvidence,
    Excerpt,
    Kind,
    Line,
    ReviewItem,
    Scope,
    Sha256,
    SourcePath,
    StrictModel,
    Text,
)
from thoth.lib.errors import Upstream

FailureCode = Literal[
    "no_proposal", "schema_invalid", "timeout", "crashed", "output_limit", "model_error"
]
CANDIDATES_MAX = 500


class RestructureRequest(StrictModel):
    """One source. `previous_units` came from it earlier and may have been reviewed since."""

    source_file: SourcePath
    source_sha256: Sha256
    normalized_text: str
    language: str = "it"
    previous_units: tuple[CuratedEvidence, ...] = ()


class RestructureCandidate(StrictModel):
    """A unit without id and source: both are given by whoever asked.

    `existing_id`: the previous unit that this one replaces. `payload` is checked by `kind` when
    the unit is made of it.
    """

    existing_id: str | None = None
    title: Line
    kind: Kind
    purposes: tuple[Purpose, ...] = Field(min_length=1)
    scope: Scope = Scope()
    language: str | None = None
    supporting_excerpts: tuple[Excerpt, ...] = Field(min_length=1, max_length=5)
    review_items: tuple[ReviewItem, ...] = ()
    limitations: Text | None = None
    payload: dict[str, Any]
    body: Annotated[str, Field(max_length=40_000)] = ""


class RestructureFailed(Upstream):
    """No candidates. `code` is a FailureCode; `extra` has `source_file`, never the model's words."""

    def __init__(self, code: FailureCode, message: str, *, source_file: str) -> None:
        super().__init__(code, message, transient=code != "schema_invalid", source_file=source_file)


class EvidenceRestructurer(Protocol):
    """Makes candidates of one source: one call, no retry.

    `calls_model`: does each call ask a language model?
    """

    calls_model: bool

    def restructure(self, request: RestructureRequest) -> tuple[RestructureCandidate, ...]:
        """Candidates in the source's order. Raises: RestructureFailed."""
        ...
