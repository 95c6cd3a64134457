"""The one door to Evidence."""

from __future__ import annotations

from evidence_app.types import PURPOSES, SearchContext
from thoth.contracts.tools import EvidenceSearch
from thoth.lib.errors import Invalid
from thoth.lib.text import clean_text
from thoth.workspaces.facade import workspace_get

__all__ = ["SearchContext", "search_evidence"]

TOP_N_MAX = 50
# A stage may add the approved plan to the question.
QUERY_MAX_CHARS = 20_000


def search_evidence(
    *,
    workspace: str,
    query: str,
    purpose: str,
    context: SearchContext | None = None,  # noqa: ARG001 - read once a generation can be active
    top_n: int = 10,
) -> EvidenceSearch:
    """Evidence of the active generation for one purpose, best first, at most `top_n` units.

    `not_configured`: the workspace has no `evidence:` section, the stage goes on without.
    `unavailable`: it has one and cannot be searched; the stage is blocked until it can.

    Raises: NotFound `workspace_unknown`, Invalid `evidence_purpose_unknown`, `text_empty`, ….
    """
    if purpose not in PURPOSES:
        message = f"Evidence has no purpose {purpose!r}; it knows {', '.join(PURPOSES)}."
        raise Invalid("evidence_purpose_unknown", message, purpose=purpose)
    if not 1 <= top_n <= TOP_N_MAX:
        raise Invalid("evidence_top_n", f"top_n must be between 1 and {TOP_N_MAX}.", top_n=top_n)
    clean_text(query, what="Evidence query", max_chars=QUERY_MAX_CHARS)
    if workspace_get(workspace).evidence is None:
        return EvidenceSearch(status="not_configured")
    # Generations are published in a later version: none is ever active in this one.
    message = "no_active_generation: this workspace's Evidence has never been published."
    return EvidenceSearch(status="unavailable", message=message)
