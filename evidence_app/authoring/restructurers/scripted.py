"""Candidates from a script: what a preparation does with them is tested without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evidence_app.authoring.port import (
    FailureCode,
    RestructureCandidate,
    RestructureFailed,
    RestructureRequest,
)

Answer = (
    Sequence[RestructureCandidate]
    | Callable[[RestructureRequest], Sequence[RestructureCandidate]]
    | FailureCode
)


class ScriptedRestructurer:
    """Answers by source path and remembers what it was asked."""

    calls_model = True

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._answers = answers
        self.requests: list[RestructureRequest] = []

    def restructure(self, request: RestructureRequest) -> tuple[RestructureCandidate, ...]:
        """The scripted candidates. Raises: RestructureFailed with the scripted code."""
        self.requests.append(request)
        answer = self._answers.get(request.source_file, "no_proposal")
        if isinstance(answer, str):
            message = f"The script fails for {request.source_file}."
            raise RestructureFailed(answer, message, source_file=request.source_file)
        return tuple(answer(request) if callable(answer) else answer)
