"""A source restructured by a language model: one run of Pi, one request, `propose` its only tool."""

from __future__ import annotations

import dataclasses
import json

from pydantic import Field, ValidationError

from evidence_app.authoring.port import (
    CANDIDATES_MAX,
    FailureCode,
    RestructureCandidate,
    RestructureFailed,
    RestructureRequest,
)
from evidence_app.units.model import CuratedEvidence, StrictModel
from thoth.lib.errors import Invalid, ThothError
from thoth.runtime.pi.installation import Installation
from thoth.runtime.pi.prompts import read_prompt
from thoth.runtime.pi.providers import environment_model, provider_of
from thoth.runtime.pi.runner import run_step
from thoth.runtime.pi.tools import propose_spec
from thoth.runtime.pi.types import (
    Accept,
    Args,
    Limits,
    Outcome,
    OutcomeCode,
    PiRequest,
    Refuse,
    SimpleHandlers,
)
from thoth.workspaces.models import Model

# No second try: the curator looks at the source, or asks again.
LIMITS = Limits(deadline_s=300.0, model_requests=1, tool_calls=8, proposals=1)
ANSWER_TOKENS = 32_000
_CODES: dict[OutcomeCode, FailureCode] = {
    "no_proposal": "no_proposal",
    "timeout": "timeout",
    "output_limit": "output_limit",
    "budget": "output_limit",
    "crashed": "crashed",
    "start_failed": "crashed",
    "protocol_error": "crashed",
    "model_error": "model_error",
    "rejected_prompt": "model_error",
}
# What the model said is in none of these: it may quote the source, or anything else.
_MESSAGES: dict[FailureCode, str] = {
    "no_proposal": "The model answered without a proposal.",
    "schema_invalid": "The model's proposal is not of the form that was asked for.",
    "timeout": "The model took longer than it may.",
    "crashed": "The model's process ended unexpectedly.",
    "output_limit": "The model wrote more than it may.",
    "model_error": "The model server did not answer as it should.",
}


class Candidates(StrictModel):
    """What `propose` takes."""

    candidates: tuple[RestructureCandidate, ...] = Field(max_length=CANDIDATES_MAX)


class PiRestructurer:
    """Implements `EvidenceRestructurer` with the model that the environment names (THOTH_MODEL_…)."""

    calls_model = True

    def __init__(
        self,
        model: Model | None = None,
        limits: Limits = LIMITS,
        installation: Installation | None = None,
    ) -> None:
        self._model = model
        self._limits = limits
        self._installation = installation

    def restructure(self, request: RestructureRequest) -> tuple[RestructureCandidate, ...]:
        """Candidates in the source's order.

        Raises: RestructureFailed; Invalid `no_provider`, `not_installed` before anything is asked.
        """
        provider = provider_of(self._model or environment_model())
        asked = PiRequest(
            provider=dataclasses.replace(provider, answer_tokens=ANSWER_TOKENS),
            system_prompt=read_prompt("restructure"),
            message=_message(request),
            tools=(propose_spec(Candidates.model_json_schema()),),
        )
        handlers = SimpleHandlers(lambda args: _judged(args, request))
        outcome = run_step(asked, handlers, self._limits, self._installation)
        if isinstance(outcome.value, Candidates):
            return outcome.value.candidates
        raise _failure(outcome, request.source_file)


def _message(request: RestructureRequest) -> str:
    return json.dumps(request.model_dump(mode="json"), ensure_ascii=False)


def _judged(args: Args, request: RestructureRequest) -> Accept | Refuse:
    """Strictly, each candidate as the unit that it would become: Pi has coerced what it could."""
    try:
        found = Candidates.model_validate_json(json.dumps(args), strict=True)
        for candidate in found.candidates:
            _tried(candidate, request)
    except (ValidationError, ValueError):
        return Refuse("The proposal is not of the form that was asked for.")
    return Accept(found)


def _tried(candidate: RestructureCandidate, request: RestructureRequest) -> None:
    fields = candidate.model_dump(
        mode="json", exclude={"existing_id", "body", "supporting_excerpts", "language"}
    )
    provenance = {
        "source_file": request.source_file,
        "source_sha256": request.source_sha256,
        "supporting_excerpts": list(candidate.supporting_excerpts),
    }
    language = candidate.language or request.language
    document = {**fields, "id": "evidence:x", "language": language, "provenance": provenance}
    CuratedEvidence.of(document, candidate.body)


def _failure(outcome: Outcome, source_file: str) -> ThothError:
    if outcome.code == "not_installed":
        return Invalid("not_installed", outcome.message)
    code: FailureCode = "schema_invalid" if outcome.refusals else _CODES[outcome.code]
    return RestructureFailed(code, f"{source_file}: {_MESSAGES[code]}", source_file=source_file)
