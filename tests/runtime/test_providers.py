"""Which model a workspace asks, and what is said when it is none."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from thoth.lib.errors import Invalid
from thoth.runtime.pi.providers import model_of, provider_of
from thoth.workspaces.facade import workspace_write
from thoth.workspaces.models import Model


def _workspace(**model: object) -> str:
    document: dict[str, object] = {
        "schema_version": 1,
        "name": "w",
        "language": "en",
        "database": {"type": "postgresql", "dsn": "dbname=x", "schemas": ["s"]},
        **({"model": model} if model else {}),
    }
    workspace_write(document=document, overwrite=True)
    return "w"


@pytest.fixture(autouse=True)
def _key(settings: Settings) -> None:
    settings.THOTH_MODEL_API_KEY = "sk-1"
    settings.THOTH_MODEL_PROVIDER = ""


@pytest.mark.parametrize(
    ("model", "api", "url"),
    [
        ({"provider": "anthropic"}, "anthropic-messages", "https://api.anthropic.com"),
        ({"provider": "openai"}, "openai-completions", "https://api.openai.com/v1"),
        ({"provider": "ollama"}, "openai-completions", "http://127.0.0.1:11434/v1"),
        (
            {"provider": "vllm", "base_url": "http://[::1]:8/v1/"},
            "openai-completions",
            "http://[::1]:8/v1",
        ),
    ],
)
def test_providers(model: dict[str, object], api: str, url: str) -> None:
    name = _workspace(**model, name="org/qwen2.5:7b", external=True)
    provider = provider_of(model_of(name))
    assert (provider.api, provider.base_url) == (api, url)
    assert (provider.model, provider.key) == ("org/qwen2.5:7b", "sk-1")
    assert "sk-1" not in repr(provider)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ({"provider": "ollama"}, "THOTH_MODEL_NAME"),
        ({"provider": "ollama", "name": "--help"}, "name of a model"),
        ({"provider": "ollama", "name": "a b"}, "name of a model"),
        ({"provider": "mine", "name": "m", "external": True}, "http:// or https://"),
        ({"provider": "mine", "name": "m", "base_url": "file:///x", "external": True}, "http://"),
        (
            {"provider": "mine", "name": "m", "base_url": "http://h/$KEY", "external": True},
            "http://",
        ),
    ],
)
def test_a_model_that_cannot_be_asked(model: dict[str, object], says: str) -> None:
    with pytest.raises(Invalid, match=says) as caught:
        provider_of(model_of(_workspace(**model)))
    assert caught.value.code == "no_provider"


def test_the_environment_speaks_for_workspaces_that_name_no_model(settings: Settings) -> None:
    name = _workspace()
    with pytest.raises(Invalid, match="No language model is configured"):
        model_of(name)
    settings.THOTH_MODEL_PROVIDER, settings.THOTH_MODEL_NAME = "openai", "m"
    with pytest.raises(Invalid, match="THOTH_MODEL_EXTERNAL=1"):
        model_of(name)
    settings.THOTH_MODEL_EXTERNAL = True
    assert model_of(name).withholds_values
    settings.THOTH_MODEL_API_KEY = ""
    with pytest.raises(Invalid, match="THOTH_MODEL_API_KEY"):
        provider_of(model_of(name))


def test_ollama_on_this_machine_is_told_values() -> None:
    assert not Model(provider="ollama", name="m").withholds_values
