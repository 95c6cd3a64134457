"""The real Pi where it is installed; where it is not, its tests say so."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.runtime import kit
from thoth.runtime.pi.installation import Installation, NotInstalled, installed
from thoth.runtime.pi.runner import run_step
from thoth.runtime.pi.types import Limits, Outcome

FAKE = Path(__file__).with_name("fake_pi.py")


@pytest.fixture(autouse=True)
def pi_home(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of their own for every test; Node's cache is shared, as in production."""
    folder = tmp_path_factory.getbasetemp() / "thoth-pi"
    settings.THOTH_HOME = folder
    return folder / "pi"


@pytest.fixture(scope="session")
def pi() -> Installation:
    """The installed Pi. Without one the test is skipped, in CI it fails."""
    try:
        return installed()
    except NotInstalled as error:
        if os.environ.get("THOTH_REQUIRE_PI") == "1":
            pytest.fail(f"THOTH_REQUIRE_PI=1, but: {error}")
        pytest.skip(str(error))


@pytest.fixture
def fake() -> Callable[..., Outcome]:
    """`fake(behaviour, handlers=…, limits=…)`: a run of the fake Pi."""
    program = Installation(Path(sys.executable), FAKE, Path("extension.mjs"))

    def run(
        behaviour: str, handlers: kit.Recorder | None = None, limits: Limits = kit.QUICK
    ) -> Outcome:
        asked = kit.request("http://127.0.0.1:9/v1", model=behaviour)
        return run_step(asked, handlers or kit.Recorder(), limits, program)

    return run
