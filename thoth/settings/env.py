"""Typed readers of environment variables. Nonsense stops the start with the variable's name."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


def env_str(name: str, default: str | None = None) -> str:
    """The variable's text. Raises ImproperlyConfigured when unset without a default."""
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"Set the environment variable {name}.")
    return value


def env_bool(name: str, *, default: bool) -> bool:
    """True for 1/true/yes/on, False for 0/false/no/off."""
    value = os.environ.get(name)
    if value is None:
        return default
    if value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def env_int(name: str, *, default: int) -> int:
    """The variable as a whole number."""
    value = os.environ.get(name)
    if value is None:
        return default
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None


def env_float(name: str, *, default: float) -> float:
    """The variable as a number."""
    value = os.environ.get(name)
    if value is None:
        return default
    try:
        return float(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number, not {value!r}.") from None


def env_list(name: str, default: str = "") -> list[str]:
    """Comma-separated items without blanks."""
    return [item.strip() for item in env_str(name, default).split(",") if item.strip()]


def env_choice(name: str, choices: tuple[str, ...], *, default: str) -> str:
    """One of `choices`."""
    value = env_str(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
    return value
