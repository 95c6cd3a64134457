"""From what a restructurer offers for one source to units, or to findings about the offer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from evidence_app.authoring.port import RestructureCandidate, RestructureRequest
from evidence_app.units.document import findings_of, unit_dump
from evidence_app.units.findings import Finding, error
from evidence_app.units.model import CuratedEvidence, ReviewItem
from evidence_app.units.secrets import has_credential
from evidence_app.units.slugs import id_allocate
from evidence_app.units.text import normalise_excerpt
from evidence_app.validation import RETAINED


class Offer:
    """Units of one source. `taken` holds every id in use and grows by those given out here."""

    def __init__(self, request: RestructureRequest, taken: set[str]) -> None:
        self.findings: list[Finding] = []
        self.units: list[CuratedEvidence] = []
        self.created: list[str] = []
        self.request = request
        self._previous = {unit.id: unit for unit in request.previous_units}
        self._taken = taken

    def take(self, candidates: Sequence[RestructureCandidate]) -> None:
        """Units of all candidates, then the previous ones that none of them continues."""
        self._check_existing(candidates)
        if self.findings:
            return
        for index, candidate in enumerate(candidates):
            self._take_one(candidate, index)
        claimed = {candidate.existing_id for candidate in candidates}
        left = [unit for unit in self._previous.values() if unit.id not in claimed]
        self.units += [self._retained(unit) for unit in left]

    def _check_existing(self, candidates: Sequence[RestructureCandidate]) -> None:
        seen: set[str] = set()
        for candidate in candidates:
            name = candidate.existing_id
            if name is None:
                continue
            if name not in self._previous:
                self._refuse("existing_id_unknown", "An id is no previous unit of this source.")
            elif name in seen:
                self._refuse("existing_id_twice", f"{name} is continued by two candidates.")
            seen.add(name)

    def _take_one(self, candidate: RestructureCandidate, index: int) -> None:
        missing = [
            excerpt
            for excerpt in candidate.supporting_excerpts
            if normalise_excerpt(excerpt) not in self.request.normalized_text
        ]
        if missing:
            self._refuse("excerpt_not_found", f"Candidate {index + 1} quotes what isn't there.")
            return
        chosen = candidate.existing_id or id_allocate(candidate.title, self._taken)
        try:
            unit = self._unit(candidate, chosen)
        except ValidationError as problem:
            self.findings += findings_of(problem, self.request.source_file)
            return
        if has_credential(unit_dump(unit)):
            self._refuse("credential_found", f"Candidate {index + 1} holds a credential.")
            return
        self._taken.add(chosen)
        self.units.append(unit)
        if candidate.existing_id is None:
            self.created.append(chosen)

    def _unit(self, candidate: RestructureCandidate, chosen: str) -> CuratedEvidence:
        plain = candidate.model_dump(
            mode="json", exclude={"existing_id", "supporting_excerpts", "body"}
        )
        plain["language"] = plain["language"] or self.request.language
        provenance = {
            "source_file": self.request.source_file,
            "source_sha256": self.request.source_sha256,
            "supporting_excerpts": [normalise_excerpt(x) for x in candidate.supporting_excerpts],
        }
        document = {"id": chosen, **plain, "provenance": provenance}
        return CuratedEvidence.of(document, candidate.body)

    def _retained(self, unit: CuratedEvidence) -> CuratedEvidence:
        """The unit with the question whether it should go; with its old provenance."""
        if any(item.code in RETAINED for item in unit.review_items):
            return unit
        supported = all(
            normalise_excerpt(excerpt) in self.request.normalized_text
            for excerpt in unit.provenance.supporting_excerpts
        )
        item = _retirement() if supported and self.created else _unsupported()
        return unit.updated(review_items=[*unit.document()["review_items"], item])

    def _refuse(self, code: str, message: str) -> None:
        self.findings.append(error(code, self.request.source_file, message))


def relinked(unit: CuratedEvidence, source: str, sha256: str) -> CuratedEvidence:
    """The unit as of another place or content of its source."""
    provenance = unit.document()["provenance"]
    return unit.updated(provenance={**provenance, "source_file": source, "source_sha256": sha256})


def ids_of(units: Iterable[CuratedEvidence]) -> tuple[str, ...]:
    """Their ids in order."""
    return tuple(unit.id for unit in units)


def _unsupported() -> dict[str, str]:
    message = "Its source doesn't say this any more. Edit it, retire it or relink it."
    return _item("source_no_longer_supports_unit", message)


def _retirement() -> dict[str, str]:
    message = "Newer units of its source may say this in its place. Retire it or keep it."
    return _item("retirement_candidate", message)


def _item(code: str, message: str) -> dict[str, str]:
    return ReviewItem(code=code, message=message).model_dump(exclude_none=True)
