"""What can go wrong with a workspace's description."""

from __future__ import annotations

from thoth.lib.errors import Conflict, Invalid, NotFound


class WorkspaceUnknown(NotFound):
    """No workspace has this name (code `workspace_unknown`)."""


class WorkspaceInvalid(Invalid):
    """workspace.yaml breaks a rule (code `workspace_invalid`).

    The message names the file and every offending key; `extra["problems"]` is a list of
    `{"key", "message"}`. Values are never repeated: they may be secrets.
    """


class WorkspaceExists(Conflict):
    """A workspace of this name is already there (code `workspace_exists`)."""
