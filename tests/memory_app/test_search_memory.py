"""Memory is empty in this version, and says so only for workspaces that exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from memory_app.facade import search_memory
from tests.workspaces.builders import make_document
from thoth.lib.errors import NotFound
from thoth.workspaces.facade import workspace_write


def test_there_is_no_hit(tmp_path: Path, settings: Settings) -> None:
    settings.THOTH_HOME = tmp_path
    workspace_write(document=make_document())
    assert search_memory(workspace="ward", query="active patient") == ()
    with pytest.raises(NotFound):
        search_memory(workspace="nowhere", query="active patient")
