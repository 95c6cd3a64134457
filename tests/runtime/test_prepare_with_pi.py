"""`tht evidence prepare` with the real Pi: a batch, or one code and not a byte changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evidence_app.builders import clone_make, snapshot
from tests.evidence_app.cli.test_evidence_command import tht
from tests.runtime.endpoint import Say, endpoint, propose
from tests.runtime.test_restructurer import TERM, TEXT

SOURCES = {"source/glossario.md": TEXT}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return clone_make(tmp_path / "clone", SOURCES)


def prepare(
    clone: Path, say: Say, settings: Any, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, int]:
    """Exit status, standard output, and how many requests the model got."""
    with endpoint([say]) as server:
        settings.THOTH_EVIDENCE_RESTRUCTURER = "pi"
        settings.THOTH_MODEL_PROVIDER, settings.THOTH_MODEL_NAME = "local", "m"
        settings.THOTH_MODEL_BASE_URL = server.url
        status, out, err = tht(capsys, "prepare", str(clone), "--json")
        assert "secret-words" not in out + err
        return status, out, len(server.requests)


@pytest.mark.usefixtures("pi")
def test_what_pi_proposes_becomes_units(
    clone: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = propose({"candidates": [TERM]})
    status, out, requests = prepare(clone, answer, settings, capsys)
    report = json.loads(out)
    assert (status, report["created"], report["model_calls"]) == (0, ["evidence:fa"], 1)
    assert requests == 1
    assert "definition: fibrillazione atriale" in (
        clone / "evidence/curated/glossary/fa.md"
    ).read_text(encoding="utf-8")


@pytest.mark.usefixtures("pi")
@pytest.mark.parametrize(
    ("say", "code"),
    [
        (Say("secret-words"), "no_proposal"),
        (propose({"candidates": [TERM | {"kind": "secret-words"}]}), "schema_invalid"),
        (Say(status=500, error="secret-words"), "model_error"),
    ],
)
def test_a_failure_names_the_source_and_changes_nothing(
    clone: Path, say: Say, code: str, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(clone)
    status, out, requests = prepare(clone, say, settings, capsys)
    said = json.loads(out)
    assert (status, said["code"], requests) == (1, code, 1)
    assert "source/glossario.md" in said["message"]
    assert snapshot(clone) == before
