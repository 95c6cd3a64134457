"""Workspaces are found by name under THOTH_HOME and written whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from tests.workspaces.builders import make_document
from thoth.workspaces.errors import WorkspaceExists, WorkspaceInvalid, WorkspaceUnknown
from thoth.workspaces.facade import (
    workspace_folder,
    workspace_get,
    workspace_names,
    workspace_write,
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Settings) -> Path:
    settings.THOTH_HOME = tmp_path
    return tmp_path


def test_what_was_written_is_found_again() -> None:
    workspace_write(document=make_document())
    workspace_write(document=make_document(name="alpha"))
    assert workspace_names() == ["alpha", "ward"]
    assert workspace_get("ward").database.schemas == ("public",)


def test_a_written_file_is_private(home: Path) -> None:
    workspace_write(document=make_document())
    assert (home / "workspaces/ward/workspace.yaml").stat().st_mode & 0o777 == 0o600


def test_an_existing_workspace_is_not_overwritten_unasked() -> None:
    workspace_write(document=make_document())
    with pytest.raises(WorkspaceExists, match="ward already exists"):
        workspace_write(document=make_document(language="it"))
    assert workspace_get("ward").language == "en"
    workspace_write(document=make_document(language="it"), overwrite=True)
    assert workspace_get("ward").language == "it"


def test_an_invalid_document_leaves_nothing_behind(home: Path) -> None:
    with pytest.raises(WorkspaceInvalid):
        workspace_write(document=make_document(language="xx"))
    assert not (home / "workspaces").exists()


@pytest.mark.parametrize(
    "name", ["nope", "", "../ward", "Ward", "a\x00b", "ward\n", "\ud800", "x" * 64]
)
def test_an_unknown_name_is_not_found(name: str) -> None:
    workspace_write(document=make_document())
    with pytest.raises(WorkspaceUnknown) as caught:
        workspace_get(name)
    assert caught.value.code == "workspace_unknown"
    caught.value.message.encode()


def test_a_file_under_another_name_is_refused(home: Path) -> None:
    workspace_write(document=make_document())
    workspace_folder("ward").rename(workspace_folder("other"))
    with pytest.raises(WorkspaceInvalid, match="name: is ward, but the folder is called other"):
        workspace_get("other")


def test_a_file_that_is_not_text_is_refused(home: Path) -> None:
    workspace_write(document=make_document())
    (workspace_folder("ward") / "workspace.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WorkspaceInvalid, match="cannot be read"):
        workspace_get("ward")


def test_strangers_folders_are_no_workspaces(home: Path) -> None:
    (home / "workspaces/empty").mkdir(parents=True)
    (home / "workspaces/.hidden").mkdir()
    (home / "workspaces/file").write_text("")
    assert workspace_names() == []
