"""What a preparation did, or why it did nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evidence_app.units.findings import Finding, bounded
from evidence_app.validation import Validation
from thoth.lib.errors import Conflict


class BatchRefused(Conflict):
    """Something in the batch is wrong: nothing of it was written. `findings` says what."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = bounded(findings)
        first = self.findings[0]
        super().__init__(
            first.code,
            f"Nothing was changed. {first.path}: {first.message}",
            findings=[finding.as_dict() for finding in self.findings],
        )


@dataclass(frozen=True, slots=True)
class PrepareReport:
    """Sources `changed`, `unchanged`, `renamed` (old path: new path); ids `created`, `orphaned`."""

    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    renamed: Mapping[str, str]
    created: tuple[str, ...]
    orphaned: tuple[str, ...]
    model_calls: int
    validation: Validation

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "changed": list(self.changed),
            "unchanged": list(self.unchanged),
            "renamed": dict(self.renamed),
            "created": list(self.created),
            "orphaned": list(self.orphaned),
            "model_calls": self.model_calls,
            **self.validation.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Batch:
    """`changes`: new bytes by path relative to evidence/, None to delete; empty: nothing to do."""

    changes: Mapping[str, bytes | None]
    report: PrepareReport
