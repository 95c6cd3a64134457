"""What is wrong with a file, said once and with a stable code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from thoth.lib.errors import Invalid

MESSAGE_MAX_CHARS = 300
FINDINGS_MAX = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem. `path` is relative to evidence/; `field` is a dotted place in the document."""

    severity: Literal["error", "warning"]
    code: str
    path: str
    message: str
    field: str = ""

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def error(code: str, path: str, message: str, field: str = "") -> Finding:
    """A problem that blocks publication."""
    return Finding("error", code, path[:400], message[:MESSAGE_MAX_CHARS], field[:200])


def warning(code: str, path: str, message: str, field: str = "") -> Finding:
    """A problem that blocks nothing."""
    return Finding("warning", code, path[:400], message[:MESSAGE_MAX_CHARS], field[:200])


def bounded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """At most FINDINGS_MAX of them, errors first; the last says how many are not shown."""
    found = sorted(findings, key=lambda finding: finding.severity != "error")
    if len(found) <= FINDINGS_MAX:
        return tuple(found)
    left = len(found) - FINDINGS_MAX + 1
    rest = Finding(found[0].severity, "findings_omitted", "", f"{left} more findings.")
    return (*found[: FINDINGS_MAX - 1], rest)


class UnitInvalid(Invalid):
    """A document breaks the rules of its format; `findings` says where."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = bounded(findings)
        first = self.findings[0]
        super().__init__(
            first.code,
            f"{first.path}: {first.message}",
            findings=[finding.as_dict() for finding in self.findings],
        )
