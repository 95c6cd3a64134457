"""What a stage is told about Evidence in a workspace that has none, or none published."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from evidence_app.facade import search_evidence
from tests.workspaces.builders import make_document
from thoth.lib.errors import Invalid, NotFound
from thoth.workspaces.facade import workspace_write


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Settings) -> None:
    settings.THOTH_HOME = tmp_path


def test_a_workspace_without_the_section_lets_the_stage_go_on() -> None:
    workspace_write(document=make_document())
    found = search_evidence(workspace="ward", query="beds?", purpose="rewriting")
    assert (found.status, found.hits) == ("not_configured", ())


def test_a_section_without_a_generation_blocks_the_stage() -> None:
    workspace_write(document=make_document(evidence={"layout_version": 2, "repository": "r.git"}))
    found = search_evidence(workspace="ward", query="beds?", purpose="rewriting")
    assert found.status == "unavailable"
    assert found.message.startswith("no_active_generation")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"purpose": "gossip"}, "evidence_purpose_unknown"),
        ({"query": " "}, "text_empty"),
        ({"query": "a\x00"}, "text_nul"),
        ({"top_n": 0}, "evidence_top_n"),
    ],
)
def test_a_wrong_search_is_refused(changes: dict[str, object], code: str) -> None:
    workspace_write(document=make_document())
    arguments = {"workspace": "ward", "query": "beds?", "purpose": "rewriting", **changes}
    with pytest.raises(Invalid) as caught:
        search_evidence(**arguments)  # type: ignore[arg-type]
    assert caught.value.code == code


def test_an_unknown_workspace_is_not_found() -> None:
    with pytest.raises(NotFound):
        search_evidence(workspace="nowhere", query="beds?", purpose="rewriting")
