"""Source files: what a clinic wrote, as text."""

from __future__ import annotations

from evidence_app.units.findings import Finding, UnitInvalid, error
from evidence_app.units.model import path_problem
from evidence_app.units.secrets import has_credential
from evidence_app.units.text import decode, normalise
from thoth.lib.limits import SOURCE_FILE_MAX_BYTES

SUFFIXES = (".md", ".txt")
TYPE_MESSAGE = "Only .md, .txt and .sql.md files are sources; move it out of source/."


def source_suffix_ok(path: str) -> bool:
    """Is it a kind of file that is prepared? (`.sql.md` ends with `.md`.)"""
    return path.lower().endswith(SUFFIXES)


def source_read(content: bytes, path: str) -> tuple[str, list[Finding]]:
    """The normalised text of a source and warnings about it.

    Raises: UnitInvalid `path_…`, `file_too_large`, `text_not_utf8`, `text_nul`,
    `credential_found`.
    """
    problem = path_problem(path)
    if problem:
        raise UnitInvalid([error(problem, path, "This is no path that a source may have.")])
    text, notes = decode(content, path, SOURCE_FILE_MAX_BYTES)
    if has_credential(text):
        message = "The source seems to hold a password, a key or an address with a login."
        raise UnitInvalid([error("credential_found", path, message)])
    return normalise(text), notes
