"""A unit's file: YAML between two lines `---`, then prose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evidence_app.units.findings import Finding, UnitInvalid, error
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.secrets import has_credential
from evidence_app.units.text import decode
from evidence_app.units.yamltext import yaml_dump, yaml_load
from thoth.lib.limits import CURATED_FILE_MAX_BYTES

_FENCE = "---\n"
# pydantic's word for a problem, and ours.
_CODES = {
    "extra_forbidden": ("field_unknown", "isn't a field of this kind"),
    "missing": ("field_missing", "is missing"),
    "literal_error": ("value_unknown", ""),
    "string_too_long": ("text_too_long", ""),
    "too_long": ("list_too_long", ""),
    "too_short": ("list_too_short", ""),
}


def unit_parse(text: bytes, path: str) -> CuratedEvidence:
    """The unit in a file. `path` (relative to evidence/) is only named in findings.

    Raises: UnitInvalid; its `findings` name code, path, field and message.
    """
    return unit_read(text, path)[0]


def unit_read(text: bytes, path: str) -> tuple[CuratedEvidence, list[Finding]]:
    """As unit_parse, with the warnings about what was read in spite of itself (BOM, CRLF)."""
    plain, notes = decode(text, path, CURATED_FILE_MAX_BYTES)
    matter, body = _split(plain, path)
    _refuse_credentials([plain], path)
    document = yaml_load(matter, path)
    # Again as YAML reads them: escapes and folded lines hide nothing.
    _refuse_credentials(_texts(document), path)
    if "body" in document:
        message = "body: the prose stands below the fields."
        raise UnitInvalid([error("field_unknown", path, message, "body")])
    try:
        return CuratedEvidence.of(document, body), notes
    except ValidationError as problem:
        raise UnitInvalid(findings_of(problem, path)) from None
    except UnicodeEncodeError:
        raise UnitInvalid([error("text_surrogate", path, "Half of a character.")]) from None


def unit_dump(unit: CuratedEvidence) -> str:
    """The one text of a unit: parsing it gives the unit, dumping that gives the same text."""
    body = f"{unit.body}\n" if unit.body else ""
    return f"{_FENCE}{yaml_dump(unit.document())}{_FENCE}{body}"


def findings_of(problem: ValidationError, path: str) -> list[Finding]:
    """One finding per problem of the model."""
    items = problem.errors(include_url=False)
    # pydantic counts only the sound members: a list with a wrong one isn't also too short.
    holders = {item["loc"][:-1] for item in items} | {item["loc"][:-2] for item in items}
    return [
        _finding(item, path)
        for item in items
        if item["type"] != "too_short" or item["loc"] not in holders
    ]


def _refuse_credentials(texts: Iterable[str], path: str) -> None:
    if any(has_credential(text) for text in texts):
        message = "The file seems to hold a password, a key or an address with a login."
        raise UnitInvalid([error("credential_found", path, message)])


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)


def _finding(item: ErrorDetails, path: str) -> Finding:
    field = ".".join(str(part) for part in item["loc"])
    kind = item["type"]
    code, message = _CODES.get(kind, (kind, item["msg"]))
    if kind.endswith(("_type", "_parsing")):
        code = "type_wrong"
    if kind == "json_invalid":
        code, message = "text_surrogate", "holds half of a character"
    return error(code, path, f"{field or 'unit'}: {message or item['msg']}", field)


def _split(text: str, path: str) -> tuple[str, str]:
    if not text.startswith(_FENCE):
        message = "The first line must be ---, with the fields below it."
        raise UnitInvalid([error("frontmatter_missing", path, message)])
    rest = text[len(_FENCE) :]
    if rest.endswith("\n---"):
        rest += "\n"
    # The line feed before is for fields that are closed at once.
    matter, fence, body = f"\n{rest}".partition(f"\n{_FENCE}")
    if not fence:
        message = "The fields aren't closed by a second line ---."
        raise UnitInvalid([error("frontmatter_open", path, message)])
    return matter[1:] + "\n", body
