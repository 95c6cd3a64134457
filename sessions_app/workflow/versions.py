"""Which workflow is installed, and which one a session began with."""

from __future__ import annotations

import functools
from pathlib import Path

from django.conf import settings

from sessions_app.errors import WorkflowChanged, WorkflowInvalid
from sessions_app.models import Session, WorkflowVersion
from sessions_app.workflow.definition import Workflow
from sessions_app.workflow.parsing import parse

DEFAULT_FILE = Path(__file__).parents[1] / "workflow.yaml"


@functools.lru_cache(maxsize=8)
def load(path: Path) -> Workflow:
    """The workflow in a file, parsed once per process. Raises: WorkflowInvalid."""
    return parse(_read(path))


def default() -> Workflow:
    """The workflow that new sessions begin with (settings.THOTH_WORKFLOW_FILE or the built-in)."""
    return load(_default_file())


def of(session: Session) -> Workflow:
    """The workflow that this session began with."""
    return _parsed(session.workflow.yaml)


def current_version() -> WorkflowVersion:
    """The stored version of `default()`, for a new session; stored on first use.

    A content that no session began with is replaced. Raises: WorkflowChanged.
    """
    workflow = default()
    stored, created = WorkflowVersion.objects.get_or_create(
        version=workflow.version,
        defaults={"sha256": workflow.sha256, "yaml": _read(_default_file())},
    )
    if created or stored.sha256 == workflow.sha256:
        return stored
    if Session.objects.filter(workflow=stored).exists():
        raise WorkflowChanged(workflow.version)
    stored.delete()
    return current_version()


def changed_under_use() -> int | None:
    """The installed version if sessions began with another content of it, else None."""
    workflow = default()
    used = WorkflowVersion.objects.filter(version=workflow.version).exclude(sha256=workflow.sha256)
    if Session.objects.filter(workflow__in=used).exists():
        return workflow.version
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkflowInvalid([f"{path} cannot be read: {error}"]) from None


def _default_file() -> Path:
    return Path(settings.THOTH_WORKFLOW_FILE or DEFAULT_FILE)


_parsed = functools.lru_cache(maxsize=64)(parse)
