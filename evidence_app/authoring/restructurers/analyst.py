"""Deterministic restructuring: everything works without a language model.

What a block says plainly becomes a typed unit with the block as its excerpt; what could be meant
otherwise gets a review item. Nothing is worded anew and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import override
from pydantic import ValidationError

from evidence_app.authoring.port import (
    CANDIDATES_MAX,
    RestructureCandidate,
    RestructureFailed,
    RestructureRequest,
)
from evidence_app.authoring.restructurers.blocks import Block, blocks_of
from evidence_app.authoring.restructurers.drafts import Draft, domain
from evidence_app.authoring.restructurers.lines import draft_of_fence, draft_of_line
from evidence_app.authoring.restructurers.tables import drafts_of_table
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.slugs import slug_of
from evidence_app.units.text import normalise_excerpt


class AnalystRestructurer:
    """Headings, tables, lists, fences and links become units; no model, no network."""

    calls_model = False

    def restructure(self, request: RestructureRequest) -> tuple[RestructureCandidate, ...]:
        """Reviewed units that the text still supports, then what is new in it.

        Raises: RestructureFailed `output_limit`.
        """
        kept = [unit for unit in request.previous_units if _supported(unit, request)]
        lost: dict[tuple[str, str], str] = {
            (unit.kind, slug_of(unit.title)): unit.id
            for unit in request.previous_units
            if unit not in kept
        }
        covered = [x for unit in kept for x in unit.provenance.supporting_excerpts]
        found = [_again(unit) for unit in kept]
        with override(request.language):
            for draft in _drafts(request.normalized_text):
                if _is_covered(draft, covered):
                    continue
                existing = lost.pop((draft.kind, slug_of(draft.title)), None)
                found.append(draft.candidate(existing))
        if len(found) > CANDIDATES_MAX:
            message = f"{request.source_file} gives more than {CANDIDATES_MAX} units; divide it."
            raise RestructureFailed("output_limit", message, source_file=request.source_file)
        return tuple(found)


def _supported(unit: CuratedEvidence, request: RestructureRequest) -> bool:
    excerpts = unit.provenance.supporting_excerpts
    return all(normalise_excerpt(excerpt) in request.normalized_text for excerpt in excerpts)


def _again(unit: CuratedEvidence) -> RestructureCandidate:
    """The reviewed wording as it is."""
    plain = unit.document()
    value: dict[str, Any] = {
        name: plain[name]
        for name in ("title", "kind", "purposes", "scope", "language", "review_items", "payload")
    }
    value |= {
        "existing_id": unit.id,
        "limitations": unit.limitations,
        "body": unit.body,
        "supporting_excerpts": list(unit.provenance.supporting_excerpts),
    }
    return RestructureCandidate.model_validate(value, strict=False)


def _is_covered(draft: Draft, covered: list[str]) -> bool:
    """Does a kept unit already quote this place? A quote within another's is the same place."""
    return any(mine in other or other in mine for mine in draft.excerpts for other in covered)


def _drafts(text: str) -> Iterator[Draft]:
    """Drafts in the text's order; prose of one heading is one unit."""
    prose: list[Block] = []
    for block in blocks_of(text):
        if prose and (block.kind == "heading" or block.heading != prose[0].heading):
            yield from _checked(domain(prose))
            prose = []
        drafts = list(_typed(block, text))
        if not drafts and block.kind != "heading":
            prose.append(block)
        for draft in drafts:
            yield from _checked(draft)
    if prose:
        yield from _checked(domain(prose))


def _typed(block: Block, text: str) -> Iterator[Draft]:
    if block.kind == "table":
        yield from drafts_of_table(block, text)
    elif block.kind == "fence":
        yield from draft_of_fence(block)
    elif block.kind in ("item", "paragraph"):
        yield from draft_of_line(block)


def _checked(draft: Draft) -> Iterator[Draft]:
    """The draft if the model of a unit takes it, else its place as prose with a question."""
    try:
        draft.probe()
    except ValidationError:
        plain = draft.as_prose()
        try:
            plain.probe()
        except ValidationError:
            return
        yield plain
        return
    yield draft
