"""The one door to Memory."""

from __future__ import annotations

from thoth.contracts.tools import MemoryHit
from thoth.lib.limits import QUESTION_MAX_CHARS
from thoth.lib.text import clean_text
from thoth.workspaces.facade import workspace_get

__all__ = ["search_memory"]


def search_memory(*, workspace: str, query: str) -> tuple[MemoryHit, ...]:
    """Clarified concepts of this workspace that resemble the query, best first, at most ten.

    Nothing can be promoted in this version, so the registry is empty and there is no hit.

    Raises: NotFound `workspace_unknown`, Invalid `text_empty`, ….
    """
    workspace_get(workspace)
    clean_text(query, what="Memory query", max_chars=QUESTION_MAX_CHARS)
    return ()
