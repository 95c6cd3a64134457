"""A nonsensical environment variable stops the start and is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.exceptions import ImproperlyConfigured

from thoth.settings import env


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("maybe", lambda: env.env_bool("X_TEST", default=True)),
        ("1.5", lambda: env.env_int("X_TEST", default=1)),
        ("ten", lambda: env.env_float("X_TEST", default=1.0)),
        ("Server", lambda: env.env_choice("X_TEST", ("server",), default="server")),
    ],
)
def test_nonsense_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str, read: Callable[[], object]
) -> None:
    monkeypatch.setenv("X_TEST", text)
    with pytest.raises(ImproperlyConfigured, match="X_TEST must be"):
        read()


def test_a_missing_one_without_default_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("X_TEST", raising=False)
    with pytest.raises(ImproperlyConfigured, match="X_TEST"):
        env.env_str("X_TEST")


@pytest.mark.parametrize(
    ("text", "expected"), [("1", True), ("YES", True), ("off", False), ("", False)]
)
def test_booleans_are_read_as_people_write_them(
    monkeypatch: pytest.MonkeyPatch, text: str, expected: bool
) -> None:
    monkeypatch.setenv("X_TEST", text)
    assert env.env_bool("X_TEST", default=not expected) is expected


def test_lists_drop_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_TEST", " a, ,b,")
    assert env.env_list("X_TEST") == ["a", "b"]
