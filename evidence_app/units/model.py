"""A unit of Curated Evidence: one envelope, a strict payload for each of eight kinds.

`CuratedEvidence.of(document)` is the one way in; command line, admin and publication use it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, cast, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from evidence_app.types import Purpose
from evidence_app.units.secrets import has_credential
from evidence_app.units.slugs import ID_PREFIX, SLUG
from thoth.lib.expression import SQL_MAX_CHARS, expression_problem

Kind = Literal[
    "glossary", "domain", "enum", "example", "mapping", "normalization", "formula", "reference"
]
KINDS: tuple[str, ...] = get_args(Kind)
EXCERPTS_MAX, EXCERPT_MAX_CHARS = 5, 1_000
BODY_MAX_CHARS = 40_000

_NAME = r"[A-Za-z_][A-Za-z0-9_$]{0,62}"
_TABLE = re.compile(rf"{_NAME}\.{_NAME}\Z")
_COLUMN = re.compile(rf"{_NAME}\.{_NAME}\.{_NAME}\Z")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}\Z")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?\Z")
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u200b]"
)


def _readable(value: str) -> str:
    if _CONTROL.search(value):
        raise PydanticCustomError(
            "text_control_character", "holds invisible or control characters; write it again"
        )
    if any(0xD800 <= ord(char) <= 0xDFFF for char in value):
        raise PydanticCustomError("text_surrogate", "holds half of a character")
    if not value.strip():
        raise PydanticCustomError("text_empty", "is empty")
    return value


def _matches(pattern: re.Pattern[str], code: str, shape: str) -> AfterValidator:
    def check(value: str) -> str:
        if pattern.match(value):
            return value
        if not value.isascii():
            raise PydanticCustomError(
                "identifier_look_alike", "holds letters that aren't plain ASCII; type it again"
            )
        raise PydanticCustomError(cast("Any", code), cast("Any", f"must be {shape}"))

    return AfterValidator(check)


def _id(value: str) -> str:
    slug = value.removeprefix(ID_PREFIX)
    if value.isascii() and slug != value and SLUG.match(slug) and len(slug) <= 120:
        return value
    if not value.isascii():
        raise PydanticCustomError("id_look_alike", "holds letters that aren't plain ASCII")
    raise PydanticCustomError("id_invalid", "must be evidence:<slug>: a-z, 0-9 and single hyphens")


def _source_path(value: str) -> str:
    problem = path_problem(value)
    if problem or not value.startswith("source/"):
        code = problem or "path_not_a_source"
        raise PydanticCustomError(cast("Any", code), "must be a plain path below source/")
    return value


def path_problem(path: str) -> str:
    """The code of what is wrong with a path relative to evidence/; "" where nothing is."""
    parts = path.split("/")
    if path.startswith("/") or "\\" in path or ".." in parts:
        return "path_outside"
    if "" in parts or "." in parts or len(path) > 400 or _CONTROL.search(path) or "\n" in path:
        return "path_invalid"
    return "path_leading_dash" if any(part.startswith("-") for part in parts) else ""


def _expression(value: str) -> str:
    problem = expression_problem(value)
    if problem:
        raise PydanticCustomError("formula_not_an_expression", cast("Any", problem))
    return value


def _url(value: str) -> str:
    try:
        parts = urlsplit(value)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if has_credential(value) or parts.username or parts.password:
        raise PydanticCustomError("credential_found", "holds a login or a key; leave it out")
    if parts.scheme not in ("http", "https") or not host or port == 0 or re.search(r"\s", value):
        raise PydanticCustomError("url_invalid", "must be an http or https address")
    return value


Line = Annotated[str, StringConstraints(max_length=400), AfterValidator(_readable)]
Text = Annotated[str, StringConstraints(max_length=8_000), AfterValidator(_readable)]
Excerpt = Annotated[str, StringConstraints(max_length=EXCERPT_MAX_CHARS), AfterValidator(_readable)]
TableName = Annotated[str, _matches(_TABLE, "identifier_invalid", "schema.table")]
ColumnName = Annotated[str, _matches(_COLUMN, "identifier_invalid", "schema.table.column")]
Sha256 = Annotated[str, _matches(_SHA256, "sha256_invalid", "sha256: and 64 hex digits")]
SourcePath = Annotated[str, AfterValidator(_source_path)]
EvidenceId = Annotated[str, AfterValidator(_id)]


class StrictModel(BaseModel):
    """Frozen; unknown fields and coerced types are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Scope(StrictModel):
    """What a unit is about."""

    concepts: tuple[Line, ...] = Field((), max_length=100)
    tables: tuple[TableName, ...] = Field((), max_length=100)
    columns: tuple[ColumnName, ...] = Field((), max_length=200)


class Provenance(StrictModel):
    """The one source a unit comes from; the hash is of the normalised text."""

    source_file: SourcePath
    source_sha256: Sha256
    supporting_excerpts: tuple[Excerpt, ...] = Field(min_length=1, max_length=EXCERPTS_MAX)


class ReviewItem(StrictModel):
    """A question that a curator must answer before publication."""

    code: Annotated[str, _matches(_CODE, "review_code_invalid", "a lower_case code")]
    message: Annotated[str, StringConstraints(max_length=500), AfterValidator(_readable)]
    field: Line | None = None


class GlossaryPayload(StrictModel):
    """A term and what it means."""

    term: Line
    definition: Text
    synonyms: tuple[Line, ...] = Field((), max_length=100)


class DomainPayload(StrictModel):
    """Prose: the body holds it, an H2 begins a section."""

    summary: Text


class EnumEntry(StrictModel):
    """A stored value and its meaning."""

    value: Line
    meaning: Text


class EnumPayload(StrictModel):
    """The values of a column."""

    column: ColumnName
    entries: tuple[EnumEntry, ...] = Field(min_length=1, max_length=500)

    @field_validator("entries")
    @classmethod
    def _values_differ(cls, entries: tuple[EnumEntry, ...]) -> tuple[EnumEntry, ...]:
        if len({entry.value for entry in entries}) != len(entries):
            raise PydanticCustomError("enum_value_twice", "lists a value twice")
        return entries


class ExamplePayload(StrictModel):
    """A question with the SQL that answers it."""

    question: Text
    sql: Annotated[str, StringConstraints(max_length=20_000), AfterValidator(_readable)]
    notes: Text | None = None


class MappingPayload(StrictModel):
    """How a concept is expressed by columns."""

    concept: Line
    columns: tuple[ColumnName, ...] = Field(min_length=1, max_length=50)
    rule: Text


class NormalizationPayload(StrictModel):
    """Spellings with one meaning."""

    inputs: tuple[Line, ...] = Field(min_length=1, max_length=200)
    canonical: Line
    rule: Text | None = None


class FormulaPayload(StrictModel):
    """A concept that is computed: exactly one PostgreSQL expression."""

    concept: Line
    columns: tuple[ColumnName, ...] = Field((), max_length=50)
    sql: Annotated[
        str,
        StringConstraints(max_length=SQL_MAX_CHARS),
        AfterValidator(_readable),
        AfterValidator(_expression),
    ]


class ReferencePayload(StrictModel):
    """An address outside."""

    url: Annotated[
        str,
        StringConstraints(max_length=2_000),
        AfterValidator(_readable),
        AfterValidator(_url),
    ]
    label: Line
    description: Text


Payload = (
    GlossaryPayload
    | DomainPayload
    | EnumPayload
    | ExamplePayload
    | MappingPayload
    | NormalizationPayload
    | FormulaPayload
    | ReferencePayload
)


class CuratedEvidence(StrictModel):
    """One unit. `payload` is of the unit's kind; `body` holds prose for `domain`, else nothing."""

    id: EvidenceId
    title: Line
    kind: Kind
    purposes: tuple[Purpose, ...] = Field(min_length=1)
    scope: Scope = Scope()
    language: Annotated[str, _matches(_LANGUAGE, "language_invalid", "a code such as it or en-GB")]
    provenance: Provenance
    review_items: tuple[ReviewItem, ...] = Field((), max_length=50)
    limitations: Text | None = None
    payload: Payload
    body: str = ""

    @classmethod
    def of(cls, document: Mapping[str, Any], body: str = "") -> CuratedEvidence:
        """The unit that a document (plain JSON types) describes.

        Raises: pydantic.ValidationError; locations are those in the document.
        """
        kind = document.get("kind")
        model = _UNITS.get(kind, _KindUnknown) if isinstance(kind, str) else _KindUnknown
        # As JSON: strict there takes an array for a tuple.
        return model.model_validate_json(json.dumps({**document, "body": body}))

    def document(self) -> dict[str, Any]:
        """Plain JSON types without the body; what is empty and optional is left out."""
        value: dict[str, Any] = self.model_dump(mode="json", exclude={"body"})
        for holder in (value, value["payload"]):
            for name in ("limitations", "notes", "rule"):
                if holder.get(name, "") is None:
                    del holder[name]
        for item in value["review_items"]:
            if item["field"] is None:
                del item["field"]
        return value

    @property
    def slug(self) -> str:
        """The id without its prefix."""
        return self.id.removeprefix(ID_PREFIX)

    def updated(self, **changes: Any) -> CuratedEvidence:
        """A copy with other top-level fields, validated again."""
        body = changes.pop("body", self.body)
        return CuratedEvidence.of({**self.document(), **changes}, body)

    @field_validator("purposes")
    @classmethod
    def _purposes_differ(cls, purposes: tuple[Purpose, ...]) -> tuple[Purpose, ...]:
        if len(set(purposes)) != len(purposes):
            raise PydanticCustomError("purpose_twice", "names a purpose twice")
        return purposes

    @field_validator("body")
    @classmethod
    def _body_trimmed(cls, body: str) -> str:
        plain = body.replace("\r\n", "\n").replace("\r", "\n").strip()
        # After trimming: a file ends with a line feed that isn't part of its prose.
        if len(plain) > BODY_MAX_CHARS:
            raise PydanticCustomError("text_too_long", "has more than 40000 characters")
        return _readable(plain) if plain else ""

    @model_validator(mode="after")
    def _body_by_kind(self) -> Self:
        if self.kind == "domain" and not self.body:
            raise PydanticCustomError("body_missing", "a domain unit needs prose below its fields")
        if self.kind != "domain" and self.body:
            raise PydanticCustomError("body_not_allowed", "only a domain unit has prose")
        return self


class _KindUnknown(CuratedEvidence):
    """Never valid: `kind` says why, and no payload is held against eight models."""

    payload: Any


class _Glossary(CuratedEvidence):
    payload: GlossaryPayload


class _Domain(CuratedEvidence):
    payload: DomainPayload


class _Enum(CuratedEvidence):
    payload: EnumPayload


class _Example(CuratedEvidence):
    payload: ExamplePayload


class _Mapping(CuratedEvidence):
    payload: MappingPayload


class _Normalization(CuratedEvidence):
    payload: NormalizationPayload


class _Formula(CuratedEvidence):
    payload: FormulaPayload


class _Reference(CuratedEvidence):
    payload: ReferencePayload


_UNITS: dict[str, type[CuratedEvidence]] = {
    "glossary": _Glossary,
    "domain": _Domain,
    "enum": _Enum,
    "example": _Example,
    "mapping": _Mapping,
    "normalization": _Normalization,
    "formula": _Formula,
    "reference": _Reference,
}
