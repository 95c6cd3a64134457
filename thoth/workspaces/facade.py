"""The workspaces of this installation: one folder each under THOTH_HOME/workspaces."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import yaml
from django.conf import settings

from thoth.workspaces.errors import WorkspaceExists, WorkspaceInvalid, WorkspaceUnknown
from thoth.workspaces.models import NAME_PATTERN, Workspace
from thoth.workspaces.reading import workspace_parse

__all__ = [
    "workspace_folder",
    "workspace_get",
    "workspace_names",
    "workspace_parse",
    "workspace_write",
]

FILE_NAME = "workspace.yaml"


def workspace_names() -> list[str]:
    """The names of all workspaces, sorted; their files may still be invalid."""
    root = _root()
    if not root.is_dir():
        return []
    return sorted(
        folder.name
        for folder in root.iterdir()
        if NAME_PATTERN.match(folder.name) and (folder / FILE_NAME).is_file()
    )


def workspace_get(name: str) -> Workspace:
    """The workspace of this name, read anew (the file is small and may have been edited).

    Raises: WorkspaceUnknown `workspace_unknown`, WorkspaceInvalid `workspace_invalid`.
    """
    file = workspace_folder(name) / FILE_NAME
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise _unknown(name) from None
    except (OSError, UnicodeDecodeError) as error:
        message = f"{file}: cannot be read ({type(error).__name__})."
        raise WorkspaceInvalid("workspace_invalid", message, file=str(file)) from None
    workspace = workspace_parse(text, file=file)
    if workspace.name != name:
        message = f"{file}: name: is {workspace.name}, but the folder is called {name}."
        raise WorkspaceInvalid("workspace_invalid", message, file=str(file))
    return workspace


def workspace_folder(name: str) -> Path:
    """Where the workspace keeps its files; it need not exist.

    Raises: WorkspaceUnknown for a name that no workspace can have.
    """
    if not NAME_PATTERN.match(name):
        raise _unknown(name)
    return _root() / name


def workspace_write(*, document: dict[str, object] | str, overwrite: bool = False) -> Workspace:
    """Store a workspace.yaml, given as a document or as the file's text; whole or not at all.

    It is validated first, with the environment of this moment. The file is readable by its owner
    only: a DSN may stand in it.

    Raises: WorkspaceInvalid, WorkspaceExists `workspace_exists`.
    """
    text = document if isinstance(document, str) else _dump(document)
    workspace = workspace_parse(text, file=Path(FILE_NAME))
    file = workspace_folder(workspace.name) / FILE_NAME
    if file.exists() and not overwrite:
        message = f"The workspace {workspace.name} already exists ({file})."
        raise WorkspaceExists("workspace_exists", message, name=workspace.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    _write_whole(file, text)
    return workspace


def _dump(document: dict[str, object]) -> str:
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def _write_whole(file: Path, text: str) -> None:
    # mkstemp makes the file 0600; the rename makes it appear complete.
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".workspace-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _root() -> Path:
    return Path(settings.THOTH_HOME) / "workspaces"


def _unknown(name: str) -> WorkspaceUnknown:
    shown = name[:80].encode("ascii", "replace").decode()
    message = f"There is no workspace called {shown!r}. See `tht workspace list`."
    return WorkspaceUnknown("workspace_unknown", message)
