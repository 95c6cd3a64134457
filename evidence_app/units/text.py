"""From bytes to the normalised text that hashes and excerpts are about."""

from __future__ import annotations

import hashlib
import unicodedata

from evidence_app.units.findings import Finding, UnitInvalid, error, warning

BOM = "\ufeff"


def decode(content: bytes, path: str, max_bytes: int) -> tuple[str, list[Finding]]:
    """The text with LF, without a byte order mark, and warnings about what was put right.

    Raises: UnitInvalid `file_too_large`, `text_not_utf8`, `text_nul`.
    """
    if len(content) > max_bytes:
        message = f"The file has {len(content)} bytes; at most {max_bytes} are allowed."
        raise UnitInvalid([error("file_too_large", path, message)])
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        message = f"Byte {problem.start + 1} isn't UTF-8. Save the file as UTF-8."
        raise UnitInvalid([error("text_not_utf8", path, message)]) from None
    if "\x00" in text:
        raise UnitInvalid([error("text_nul", path, "The file holds a NUL character.")])
    notes = []
    if text.startswith(BOM):
        notes.append(warning("text_bom", path, "A byte order mark at the start is ignored."))
        text = text.removeprefix(BOM)
    if "\r" in text:
        notes.append(warning("text_crlf", path, "Line ends are read as LF."))
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, notes


def normalise(text: str) -> str:
    """NFC, LF and one terminal newline; no word changes. Idempotent."""
    plain = unicodedata.normalize("NFC", text.removeprefix(BOM))
    return plain.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"


def normalise_excerpt(text: str) -> str:
    """As `normalise`, without the terminal newline: what must be found in the source."""
    return normalise(text).strip("\n")


def sha256_of_source(normalised: str) -> str:
    """`sha256:` and the hex digest of the normalised text."""
    return "sha256:" + hashlib.sha256(normalised.encode()).hexdigest()
