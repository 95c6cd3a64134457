"""A source restructured by the real Pi: each way it can end, one model request each."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from evidence_app.authoring.port import RestructureFailed, RestructureRequest
from evidence_app.authoring.restructurers.pi import LIMITS, PiRestructurer
from tests.runtime.endpoint import Call, Say, endpoint, propose
from thoth.lib.errors import Invalid
from thoth.runtime.pi.installation import Installation
from thoth.runtime.pi.types import Limits
from thoth.workspaces.models import Model

TEXT = "# FA\nFA: fibrillazione atriale.\n"
SOURCE = RestructureRequest(
    source_file="source/glossario.md",
    source_sha256="sha256:" + hashlib.sha256(TEXT.encode()).hexdigest(),
    normalized_text=TEXT,
)
TERM: dict[str, Any] = {
    "title": "FA",
    "kind": "glossary",
    "purposes": ["disambiguation"],
    "supporting_excerpts": ["FA: fibrillazione atriale."],
    "payload": {"term": "FA", "definition": "fibrillazione atriale"},
}


def restructure(pi: Installation, say: Say, limits: Limits = LIMITS) -> tuple[Any, list[Any]]:
    with endpoint([say]) as server:
        model = Model(provider="local", name="m", base_url=server.url)
        try:
            return PiRestructurer(model, limits, pi).restructure(SOURCE), server.requests
        except RestructureFailed as failed:
            return failed, server.requests


def test_candidates_of_a_source(pi: Installation) -> None:
    candidates, (request,) = restructure(pi, propose({"candidates": [TERM]}))
    (term,) = candidates
    assert (term.kind, term.payload["term"]) == ("glossary", "FA")
    assert [tool["function"]["name"] for tool in request["tools"]] == ["propose"]
    assert request["messages"][0]["content"].startswith("# Restructure a source")
    assert "fibrillazione" in request["messages"][1]["content"][0]["text"]


@pytest.mark.parametrize(
    ("say", "code"),
    [
        (Say("FA is secret-words"), "no_proposal"),
        (
            propose({"candidates": [TERM | {"payload": {"term": 5, "definition": "x"}}]}),
            "schema_invalid",
        ),
        (propose({"candidates": [TERM | {"kind": "rumour"}]}), "schema_invalid"),
        (
            Say(calls=(Call("propose", raw='{"candidates": [{"title": "secret-words'),)),
            "schema_invalid",
        ),
        (Say(status=500, error="secret-words"), "model_error"),
        (Say(flood_bytes=3_000_000), "output_limit"),
        (Say(silent=True), "timeout"),
    ],
)
def test_each_failure_has_its_code_and_none_the_models_words(
    pi: Installation, say: Say, code: str
) -> None:
    limits = Limits(
        deadline_s=1.5 if say.silent else 15, model_requests=1, proposals=1, output_bytes=2_000_000
    )
    failed, requests = restructure(pi, say, limits)
    assert isinstance(failed, RestructureFailed)
    assert failed.code == code
    assert failed.extra == {"source_file": "source/glossario.md"}
    assert failed.message.startswith("source/glossario.md: ")
    assert "secret-words" not in failed.message
    assert len(requests) == 1


def test_pi_that_dies_is_a_crash(pi: Installation, tmp_path: Any) -> None:
    broken = tmp_path / "extension.mjs"
    broken.write_text("throw new Error('secret-words')")
    program = Installation(pi.node, pi.cli, broken, (*pi.readable, tmp_path))
    failed, _requests = restructure(program, propose({"candidates": []}))
    assert failed.code == "crashed"
    assert "secret-words" not in failed.message


def test_without_a_model_nothing_is_asked(settings: Any) -> None:
    settings.THOTH_MODEL_PROVIDER = ""
    with pytest.raises(Invalid) as refused:
        PiRestructurer().restructure(SOURCE)
    assert refused.value.code == "no_provider"
