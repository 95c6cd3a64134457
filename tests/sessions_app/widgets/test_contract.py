"""The widget contract: golden JSON for each kind, and what a response may not be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sessions_app.widgets.request import Draft, Info, Option, UiRequest, artifact_view
from sessions_app.widgets.response import answer_hash, load_body, parse_answer
from thoth.lib.errors import Invalid
from thoth.lib.limits import OPTIONS_MAX

KINDS = Path(__file__).parents[2] / "data" / "widgets" / "kinds"
SELECT: dict[str, Any] = {
    "type": "ui_response",
    "id": "u1",
    "kind": "select",
    "choice": "a",
}


@pytest.mark.parametrize("file", sorted(KINDS.glob("*.json")), ids=lambda file: file.stem)
def test_each_kind_is_read_and_written_unchanged(file: Path) -> None:
    golden = json.loads(file.read_text(encoding="utf-8"))
    model = Info if golden["type"] == "info" else UiRequest
    assert model.model_validate(golden).model_dump(mode="json") == golden


def test_a_request_refuses_unknown_fields() -> None:
    golden = json.loads((KINDS / "select.json").read_text(encoding="utf-8"))
    with pytest.raises(ValidationError, match="colour"):
        UiRequest.model_validate(golden | {"colour": "red"})


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([Option(id="a", label="A"), Option(id="a", label="B")], "same id"),
        ([Option(id="a", label="A", selected=True)], "preselected"),
        ([Option(id="a", label="A", parent="z")], "unknown parent"),
        ([Option(id=str(n), label="A") for n in range(OPTIONS_MAX + 1)], "at most 200"),
    ],
    ids=["twice", "preselected", "orphan", "too-many"],
)
def test_a_widget_that_contradicts_itself_is_never_built(
    options: list[Option], problem: str
) -> None:
    with pytest.raises(ValidationError, match=problem):
        Draft(widget="select", title="T", options=tuple(options))


def test_an_artifact_names_the_hash_of_its_text() -> None:
    view = artifact_view("sql", "sql_final.sql", "application/sql", "SELECT 1")
    assert view.sha256 == "e004ebd5b5532a4b85984a62f8ad48a81aa3460c1ca07701f386135d72cdecf5"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"decision": {"type": "table_promoted"}}, "decision_in_response"),
        ({"decisions": []}, "decision_in_response"),
        ({"colour": "red"}, "response_invalid"),
        ({"control": "exit"}, "response_invalid"),
        ({"kind": "slider"}, "response_invalid"),
        ({"choice": ""}, "response_invalid"),
        ({"choice": None}, "response_invalid"),
        ({"child": {"kind": "freetext", "text": "x", "decision": {}}}, "response_invalid"),
        ({"child": {"kind": "freetext", "text": "a\x00b"}}, "text_nul"),
        ({"child": {"kind": "freetext", "text": "a\ud800"}}, "text_surrogate"),
        ({"child": {"kind": "freetext", "text": "x" * 70_000}}, "response_too_large"),
        ({"child": {"kind": "artifact", "text": "x" * 100_001}}, "sql_too_long"),
        ({"child": {"kind": "artifact", "text": "x" * 270_000}}, "response_too_large"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_response_that_breaks_a_rule_is_refused_with_its_code(
    change: dict[str, Any], code: str
) -> None:
    with pytest.raises(Invalid) as refused:
        parse_answer(SELECT | change)
    assert refused.value.code == code


def test_a_response_with_sql_may_be_larger_than_one_without() -> None:
    answer = parse_answer(SELECT | {"child": {"kind": "artifact", "text": "x" * 90_000}})
    assert answer.id == "u1"


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "list", "cut", "bytes", "deep"],
)
def test_a_body_that_is_no_json_object_is_refused(raw: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        load_body(raw)
    assert refused.value.code == "response_invalid"


def test_a_huge_body_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(Invalid) as refused:
        load_body(b" " * 300_000)
    assert refused.value.code == "response_too_large"


def test_the_key_of_an_answer_does_not_depend_on_the_order_of_its_fields() -> None:
    turned = dict(reversed(SELECT.items()))
    assert answer_hash(turned) == answer_hash(SELECT)
    assert answer_hash(SELECT | {"choice": "b"}) != answer_hash(SELECT)


@pytest.mark.parametrize("target", ["again", "previous", "F3"])
def test_going_back_names_a_target(target: str) -> None:
    body = {"type": "ui_response", "id": "u1", "control": "back", "target": target}
    assert parse_answer(body).id == "u1"


def test_going_back_nowhere_is_refused() -> None:
    with pytest.raises(Invalid):
        parse_answer({"type": "ui_response", "id": "u1", "control": "back", "target": "; drop"})
