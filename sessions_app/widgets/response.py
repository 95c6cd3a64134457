"""ui_response: an answer from outside. Checked for size, shape and stray fields before anything else."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from thoth.contracts.schema import Frozen
from thoth.lib.errors import Invalid
from thoth.lib.limits import (
    FREE_TEXT_MAX_CHARS,
    OPTIONS_MAX,
    RESPONSE_MAX_BYTES,
    RESPONSE_WITH_SQL_MAX_BYTES,
    SQL_MAX_BYTES,
)
from thoth.lib.text import canonical_json, clean_text

Id = Annotated[str, Field(min_length=1, max_length=300)]
Ids = Annotated[tuple[Id, ...], Field(max_length=OPTIONS_MAX)]


class TextChild(Frozen):
    kind: Literal["freetext"]
    text: str


class ArtifactChild(Frozen):
    kind: Literal["artifact"]
    text: str


class SelectChild(Frozen):
    kind: Literal["select"]
    choice: Id


class MultiselectChild(Frozen):
    kind: Literal["multiselect"]
    choices: Ids = ()


Child = Annotated[
    TextChild | ArtifactChild | SelectChild | MultiselectChild, Field(discriminator="kind")
]


class _Answer(Frozen):
    type: Literal["ui_response"] = "ui_response"
    id: Id


class SelectAnswer(_Answer):
    kind: Literal["select"]
    choice: Id
    child: Child | None = None


class GateAnswer(_Answer):
    kind: Literal["artifact_gate"]
    choice: Id
    child: Child | None = None


class MultiselectAnswer(_Answer):
    """`displayed` are the options the reviewer saw: one that was not displayed gets no decision."""

    kind: Literal["multiselect"]
    choices: Ids = ()
    displayed: Ids
    children: dict[Id, Child] = {}


class TextAnswer(_Answer):
    """The answer to a free-text widget, or to a kind that the client could not render."""

    kind: Literal["freetext", "unknown"]
    text: str


class OtherControl(_Answer):
    """The reviewer's own words. `choices` are kept as the next widget's preselection."""

    control: Literal["other"]
    text: str
    choices: Ids = ()


class BackControl(_Answer):
    control: Literal["back"]
    target: Annotated[str, Field(pattern=r"^(again|previous|[A-Z][A-Za-z0-9_]{0,9})$")]


class ExitControl(_Answer):
    control: Literal["exit"]


Answer = (
    SelectAnswer
    | GateAnswer
    | MultiselectAnswer
    | TextAnswer
    | OtherControl
    | BackControl
    | ExitControl
)
_KINDS: dict[str, TypeAdapter[Answer]] = {
    "select": TypeAdapter(SelectAnswer),
    "artifact_gate": TypeAdapter(GateAnswer),
    "multiselect": TypeAdapter(MultiselectAnswer),
    "freetext": TypeAdapter(TextAnswer),
    "unknown": TypeAdapter(TextAnswer),
}
_CONTROLS: dict[str, TypeAdapter[Answer]] = {
    "other": TypeAdapter(OtherControl),
    "back": TypeAdapter(BackControl),
    "exit": TypeAdapter(ExitControl),
}


def load_body(raw: bytes) -> dict[str, object]:
    """The JSON object of a request's body.

    Raises: Invalid `response_too_large` (more than 256 KiB), `response_invalid` (not a JSON object).
    """
    if len(raw) > RESPONSE_WITH_SQL_MAX_BYTES:
        raise _too_large(len(raw), RESPONSE_WITH_SQL_MAX_BYTES)
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise Invalid("response_invalid", "The answer is not valid JSON.") from None
    if not isinstance(body, dict):
        raise Invalid("response_invalid", "The answer must be a JSON object.")
    return body


def parse_answer(body: dict[str, object]) -> Answer:
    """The answer as its type; texts are checked for NUL, half characters and length.

    Raises: Invalid `response_too_large`, `decision_in_response`, `response_invalid`, `text_*`.
    """
    _check_text(body)
    adapter = _adapter(body)
    try:
        answer = adapter.validate_python(body)
    except ValidationError as error:
        raise _invalid(error) from None
    _check_size(body, answer)
    return answer


def answer_hash(body: dict[str, object]) -> str:
    """Hex sha256 of the canonical body: with the widget's id, the key of idempotency."""
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()


def free_text(text: str) -> str:
    """A reviewer's text, checked. Raises: Invalid `text_*`."""
    return clean_text(text, what="text", max_chars=FREE_TEXT_MAX_CHARS)


def _adapter(body: dict[str, object]) -> TypeAdapter[Answer]:
    if "decision" in body or "decisions" in body:
        raise Invalid(
            "decision_in_response", "An answer names options; it cannot carry decisions of its own."
        )
    if ("kind" in body) == ("control" in body):
        raise Invalid("response_invalid", "An answer has either a kind or a control.")
    table, key = (_KINDS, "kind") if "kind" in body else (_CONTROLS, "control")
    adapter = table.get(str(body[key]))
    if adapter is None:
        known = ", ".join(table)
        raise Invalid("response_invalid", f"Unknown {key}. It must be one of: {known}.")
    return adapter


def _check_text(value: object) -> None:
    """Refuse NUL and lone surrogates anywhere, keys included: PostgreSQL cannot store them."""
    if isinstance(value, str):
        if "\x00" in value:
            raise Invalid(
                "text_nul", "The answer contains a NUL character. Remove it and try again."
            )
        if any(0xD800 <= ord(char) <= 0xDFFF for char in value):
            raise Invalid(
                "text_surrogate", "The answer contains half of a character. Type it again."
            )
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_text(key)
            _check_text(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_text(item)


def _check_size(body: dict[str, object], answer: Answer) -> None:
    child = getattr(answer, "child", None)
    children = [child, *getattr(answer, "children", {}).values()]
    sql = [item for item in children if isinstance(item, ArtifactChild)]
    limit = RESPONSE_WITH_SQL_MAX_BYTES if sql else RESPONSE_MAX_BYTES
    size = len(canonical_json(body).encode())
    if size > limit:
        raise _too_large(size, limit)
    if any(len(item.text.encode()) > SQL_MAX_BYTES for item in sql):
        raise Invalid("sql_too_long", f"An SQL text has at most {SQL_MAX_BYTES} bytes.")


def _too_large(size: int, limit: int) -> Invalid:
    message = f"The answer has {size} bytes; at most {limit} are allowed."
    return Invalid("response_too_large", message, size=size, limit=limit)


def _invalid(error: ValidationError) -> Invalid:
    problems = [
        {"field": ".".join(str(part) for part in item["loc"]), "problem": item["msg"]}
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    first = problems[0]
    where = first["field"] or "the answer"
    return Invalid("response_invalid", f"{where}: {first['problem']}.", problems=problems)
