"""What a run without a proposal means to the reviewer: what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from thoth.runtime.pi.types import Outcome, OutcomeCode, Provider
from thoth.runtime.port import ModelFailure

_NO_ADDRESS = ("ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT")
_NO_NETWORK = (*_NO_ADDRESS, "Connection error", "fetch failed")


def failure_of(outcome: Outcome, provider: Provider) -> ModelFailure:
    """The failure that the reviewer sees. `outcome` has no proposal."""
    return _MAKE[outcome.code](outcome, provider)


def _model_error(outcome: Outcome, provider: Provider) -> ModelFailure:
    status = outcome.status
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        message = f"The model server refused the key ({status}). Check THOTH_MODEL_API_KEY and start again."
        return ModelFailure(code="auth", message=message)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        message = "The model server asks to slow down (429). Try again in a minute."
        return ModelFailure(code="rate_limit", message=message)
    if status is not None:
        return ModelFailure(code="refused", message=_with_status(status, provider))
    if any(sign in outcome.message for sign in _NO_NETWORK):
        message = (
            f"Nothing answers at {provider.base_url}. Is the model server running? Check "
            "model.base_url in workspace.yaml or THOTH_MODEL_BASE_URL."
        )
        return ModelFailure(code="refused", message=message)
    message = "The model server's answer broke off or could not be read. Try again."
    return ModelFailure(code="malformed", message=message)


def _with_status(status: int, provider: Provider) -> str:
    if status == HTTPStatus.NOT_FOUND:
        return (
            f"The model server knows no model {provider.model} at {provider.base_url} (404). Check "
            "the model's name and address."
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return f"The model server failed ({status}). Try again later."
    return f"The model server refused the request ({status}). Check the model's name and address."


def _no_proposal(outcome: Outcome, _provider: Provider) -> ModelFailure:
    if outcome.refusals:
        message = f"The model's proposal is not valid: {outcome.refusals[-1]}"
        corrected = len(outcome.refusals) > 1
        return ModelFailure(code="schema_invalid", message=message, corrected=corrected)
    message = "The model answered with text and proposed nothing. Try again, or say it differently."
    return ModelFailure(code="malformed", message=message)


def _budget(outcome: Outcome, _provider: Provider) -> ModelFailure:
    message = (
        f"The model used {outcome.model_requests} requests and {outcome.tool_calls} tool calls "
        "without a proposal, and was stopped."
    )
    return ModelFailure(code="oversized", message=message)


def _said(
    code: str, message: str, *, retryable: bool = True
) -> Callable[[Outcome, Provider], ModelFailure]:
    def make(_outcome: Outcome, _provider: Provider) -> ModelFailure:
        return ModelFailure.model_validate(
            {"code": code, "message": message, "retryable": retryable}
        )

    return make


def _not_installed(outcome: Outcome, _provider: Provider) -> ModelFailure:
    return ModelFailure(code="not_installed", message=outcome.message)


_AGAIN = "Try again; the log of the worker has the details."
_MAKE: dict[OutcomeCode, Callable[[Outcome, Provider], ModelFailure]] = {
    "not_installed": _not_installed,
    "model_error": _model_error,
    "no_proposal": _no_proposal,
    "budget": _budget,
    "timeout": _said("timeout", "The model took longer than the step may take. Try again."),
    "cancelled": _said("cancelled", "The step was stopped."),
    "output_limit": _said("oversized", "The model wrote more than it may, and was stopped."),
    "crashed": _said("crashed", f"The model's process ended unexpectedly. {_AGAIN}"),
    "start_failed": _said("crashed", f"The model's process could not be started. {_AGAIN}"),
    "protocol_error": _said("malformed", f"The model's process broke its protocol. {_AGAIN}"),
    "rejected_prompt": _said("refused", f"Pi did not accept the task. {_AGAIN}"),
}
