"""The Evidence of a stage: its own search, what its tools searched for later, and the receipt."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction

from evidence_app.facade import search_evidence
from sessions_app.models import Receipt, Session
from sessions_app.phases.base import StageContext
from thoth.contracts.tools import EvidenceSearch
from thoth.lib.clock import now
from thoth.lib.errors import Upstream

TOP_N = 10


@dataclass
class Shown:
    """What a stage was shown. `ids` are in order of appearance, once each."""

    workspace: str
    purpose: str | None
    stage: str
    phase: str
    found: EvidenceSearch = field(default_factory=lambda: EvidenceSearch(status="not_configured"))
    ids: list[str] = field(default_factory=list)

    def search_more(self, query: str) -> EvidenceSearch:
        """A tool's search, under the stage's own purpose."""
        if self.purpose is None:
            return EvidenceSearch(status="not_configured")
        result = _search(self.workspace, query, self.purpose)
        self.remember(result)
        return result

    def remember(self, result: EvidenceSearch) -> None:
        self.ids += [hit.id for hit in result.hits if hit.id not in self.ids]


def search(ctx: StageContext) -> Shown:
    """The stage's own search. Raises: Upstream `evidence_unavailable`; that blocks the stage."""
    shown = Shown(ctx.session.workspace, ctx.stage.purpose, ctx.stage.stage, ctx.phase)
    if shown.purpose is None:
        return shown
    shown.found = _search(ctx.session.workspace, ctx.session.question, shown.purpose)
    if shown.found.status == "unavailable":
        raise Upstream("evidence_unavailable", shown.found.message or "Evidence is unavailable.")
    shown.remember(shown.found)
    return shown


@transaction.atomic
def receipt_store(session: Session, shown: Shown) -> None:
    """The stage has one receipt; a new attempt replaces it whole. None for no Evidence at all."""
    if shown.found.status != "available":
        return
    Receipt.objects.filter(session=session, stage=shown.stage).delete()
    Receipt.objects.create(
        session=session,
        phase=shown.phase,
        stage=shown.stage,
        purpose=shown.purpose or "",
        vector_generation=shown.found.generation,
        evidence_ids=shown.ids,
        created_at=now(),
    )


def _search(workspace: str, query: str, purpose: str) -> EvidenceSearch:
    return search_evidence(workspace=workspace, query=query, purpose=purpose, top_n=TOP_N)
