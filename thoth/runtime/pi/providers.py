"""Which model a workspace uses, and how Pi reaches it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from pydantic import ValidationError

from thoth.lib.errors import Invalid
from thoth.runtime.pi.types import Provider
from thoth.workspaces.facade import workspace_get
from thoth.workspaces.models import Model

OPENAI_API, ANTHROPIC_API = "openai-completions", "anthropic-messages"
# provider -> wire format and address; any other name is an OpenAI-compatible server at base_url.
_KNOWN = {
    "anthropic": (ANTHROPIC_API, "https://api.anthropic.com"),
    "openai": (OPENAI_API, "https://api.openai.com/v1"),
    "ollama": (OPENAI_API, "http://127.0.0.1:11434/v1"),
}
_NEED_KEY = frozenset({"anthropic", "openai"})
# The name is an argument of Pi's: never an option, never more than one word.
_NAME = re.compile(r"[A-Za-z0-9][\w.:/@+-]{0,199}\Z", re.ASCII)


def model_of(workspace: str) -> Model:
    """What workspace.yaml says, or else the environment. Raises: Invalid `no_provider`; Workspace…"""
    model = workspace_get(workspace).model
    return model if model.provider != "analyst" else environment_model()


def provider_of(model: Model) -> Provider:
    """How Pi reaches the model. Raises: Invalid `no_provider`."""
    api, known_url = _KNOWN.get(model.provider, (OPENAI_API, ""))
    url = model.base_url or known_url
    if not _is_web_address(url):
        raise _no_provider(
            _(
                "The model's address (model.base_url or THOTH_MODEL_BASE_URL) of the provider "
                "{provider} must be an http:// or https:// URL."
            ).format(provider=model.provider)
        )
    if not model.name or not _NAME.match(model.name):
        raise _no_provider(
            _(
                "The provider {provider} needs the name of a model: set model.name in "
                "workspace.yaml or THOTH_MODEL_NAME."
            ).format(provider=model.provider)
        )
    if model.provider in _NEED_KEY and not settings.THOTH_MODEL_API_KEY:
        raise _no_provider(
            _(
                "The provider {provider} needs a key: set THOTH_MODEL_API_KEY and start again."
            ).format(provider=model.provider)
        )
    return Provider(api, url.rstrip("/"), model.name, settings.THOTH_MODEL_API_KEY)


def environment_model() -> Model:
    """The model of THOTH_MODEL_…: for workspaces that name none, and for work outside of them.

    Raises: Invalid `no_provider`.
    """
    if not settings.THOTH_MODEL_PROVIDER:
        raise _no_provider(
            _(
                "No language model is configured: write a `model` section into workspace.yaml, or "
                "set THOTH_MODEL_PROVIDER, THOTH_MODEL_NAME and THOTH_MODEL_API_KEY, and start "
                "again."
            )
        )
    try:
        return Model(
            provider=settings.THOTH_MODEL_PROVIDER,
            name=settings.THOTH_MODEL_NAME or None,
            base_url=settings.THOTH_MODEL_BASE_URL or None,
            external=settings.THOTH_MODEL_EXTERNAL,
        )
    except ValidationError:
        raise _no_provider(
            _(
                "The provider {provider} is not on this machine: set THOTH_MODEL_EXTERNAL=1 to let "
                "it read questions and schema, and start again."
            ).format(provider=settings.THOTH_MODEL_PROVIDER)
        ) from None


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises when it is no port
    except ValueError:
        return False
    printable = url.isascii() and url.isprintable() and " " not in url and "$" not in url
    return printable and parts.scheme in ("http", "https") and bool(parts.hostname)


def _no_provider(message: str) -> Invalid:
    return Invalid("no_provider", message)
