"""What a run without a proposal means to the reviewer: what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

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
        message = _("The model server asks to slow down (429). Try again in a minute.")
        return ModelFailure(code="rate_limit", message=message)
    if status is not None:
        return ModelFailure(code="refused", message=_with_status(status, provider))
    if any(sign in outcome.message for sign in _NO_NETWORK):
        message = _(
            "Nothing answers at {url}. Is the model server running? Check model.base_url in "
            "workspace.yaml or THOTH_MODEL_BASE_URL."
        ).format(url=provider.base_url)
        return ModelFailure(code="refused", message=message)
    message = _("The model server's answer broke off or could not be read. Try again.")
    return ModelFailure(code="malformed", message=message)


def _with_status(status: int, provider: Provider) -> str:
    if status == HTTPStatus.NOT_FOUND:
        return _(
            "The model server knows no model {model} at {url} (404). Check the model's name and "
            "address."
        ).format(model=provider.model, url=provider.base_url)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _("The model server failed ({status}). Try again later.").format(status=status)
    return _(
        "The model server refused the request ({status}). Check the model's name and address."
    ).format(status=status)


def _no_proposal(outcome: Outcome, _provider: Provider) -> ModelFailure:
    if outcome.refusals:
        message = _("The model's proposal is not valid: {reason}").format(
            reason=outcome.refusals[-1]
        )
        corrected = len(outcome.refusals) > 1
        return ModelFailure(code="schema_invalid", message=message, corrected=corrected)
    message = _(
        "The model answered with text and proposed nothing. Try again, or say it differently."
    )
    return ModelFailure(code="malformed", message=message)


def _budget(outcome: Outcome, _provider: Provider) -> ModelFailure:
    message = _(
        "The model used {requests} requests and {calls} tool calls without a proposal, and was "
        "stopped."
    ).format(requests=outcome.model_requests, calls=outcome.tool_calls)
    return ModelFailure(code="oversized", message=message)


def _said(code: str, message: str) -> Callable[[Outcome, Provider], ModelFailure]:
    def make(*_about: object) -> ModelFailure:
        return ModelFailure.model_validate({"code": code, "message": _(message)})

    return make


def _not_installed(outcome: Outcome, _provider: Provider) -> ModelFailure:
    return ModelFailure(code="not_installed", message=outcome.message)


_MAKE: dict[OutcomeCode, Callable[[Outcome, Provider], ModelFailure]] = {
    "not_installed": _not_installed,
    "model_error": _model_error,
    "no_proposal": _no_proposal,
    "budget": _budget,
    "timeout": _said(
        "timeout", gettext_noop("The model took longer than the step may take. Try again.")
    ),
    "cancelled": _said("cancelled", gettext_noop("The step was stopped.")),
    "output_limit": _said(
        "oversized", gettext_noop("The model wrote more than it may, and was stopped.")
    ),
    "crashed": _said(
        "crashed",
        gettext_noop(
            "The model's process ended unexpectedly. Try again; the worker's log says more."
        ),
    ),
    "start_failed": _said(
        "crashed",
        gettext_noop("The model's process could not start. Try again; the worker's log says more."),
    ),
    "protocol_error": _said(
        "malformed",
        gettext_noop(
            "The model's process broke its protocol. Try again; the worker's log says more."
        ),
    ),
    "rejected_prompt": _said(
        "refused", gettext_noop("Pi did not accept the task. The worker's log says why.")
    ),
}
