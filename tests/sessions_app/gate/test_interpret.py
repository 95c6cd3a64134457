"""The gate: what an answer means, from the stored options alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessions_app.gate import Outcome, Written, interpret, merged, quoted
from sessions_app.widgets.request import Opens, Option, UiRequest
from sessions_app.widgets.response import parse_answer
from thoth.contracts.decisions import Decision, Grounding, ValueGrounded, decision
from thoth.lib.errors import Invalid

KINDS = Path(__file__).parents[2] / "data" / "widgets" / "kinds"


def request_of(kind: str, *options: Option, **fields: Any) -> UiRequest:
    base = json.loads((KINDS / f"{kind}.json").read_text(encoding="utf-8"))
    if options:
        base["options"] = [option.model_dump(mode="json") for option in options]
    return UiRequest.model_validate(base | fields)


def answered(request: UiRequest, **body: Any) -> Outcome:
    return interpret(request, parse_answer({"type": "ui_response", "id": request.id, **body}))


def ticked(request: UiRequest, *choices: str, **fields: Any) -> Outcome:
    displayed = [option.id for option in request.options]
    body = {"kind": "multiselect", "choices": list(choices), "displayed": displayed}
    return answered(request, **(body | fields))


def types(outcome: Outcome) -> list[str]:
    return [item.decision.type for item in outcome.written]


def made(kind: str, subject: str) -> Decision:
    return Decision(type=kind, subject=subject)


def test_a_choice_becomes_the_decision_stored_with_it() -> None:
    outcome = answered(request_of("select"), kind="select", choice="calendar")
    assert outcome.written[0].decision.payload == {"definition": "calendar year"}


def test_a_line_left_unticked_becomes_its_negative_decision() -> None:
    assert types(ticked(request_of("multiselect"))) == ["table_excluded"]


def test_a_line_that_was_not_displayed_gets_no_decision_at_all() -> None:
    request = request_of("multiselect")
    assert ticked(request, displayed=[]).written == ()


def test_a_chosen_line_that_was_not_displayed_is_refused() -> None:
    assert refusal(request_of("multiselect"), ["t:dw.a"], displayed=[]) == "answer_not_displayed"


def test_a_column_without_its_table_is_refused() -> None:
    assert refusal(request_of("multiselect"), ["c:dw.a.x"]) == "answer_parent_missing"


def test_nothing_chosen_is_refused_unless_the_widget_allows_it() -> None:
    assert refusal(request_of("multiselect", allow_empty=False), []) == "answer_choice_missing"


def test_an_option_that_stands_alone_is_refused_beside_others() -> None:
    request = request_of(
        "multiselect", Option(id="a", label="A"), Option(id="none", label="None", alone=True)
    )
    assert refusal(request, ["a", "none"]) == "answer_alone"


def test_an_unknown_option_is_refused() -> None:
    assert refusal(request_of("multiselect"), ["zzz"]) == "answer_unknown_option"


def refusal(request: UiRequest, choices: list[str], **fields: Any) -> str:
    with pytest.raises(Invalid) as refused:
        ticked(request, *choices, **fields)
    return refused.value.code


def test_a_nested_correction_replaces_the_decision_of_its_line() -> None:
    request = request_of("multiselect")
    child = {"c:dw.a.x": {"kind": "select", "choice": "dw.a.y"}}
    outcome = ticked(request, "t:dw.a", "c:dw.a.x", children=child)
    assert types(outcome) == ["table_promoted", "column_corrected"]
    keep = {"c:dw.a.x": {"kind": "select", "choice": "keep"}}
    assert types(ticked(request, "t:dw.a", "c:dw.a.x", children=keep))[1] == "column_promoted"
    assert types(ticked(request, "t:dw.a", "c:dw.a.x"))[1] == "column_promoted"


def test_an_answer_below_a_line_that_is_not_chosen_is_refused() -> None:
    child = {"c:dw.a.x": {"kind": "select", "choice": "keep"}}
    assert (
        refusal(request_of("multiselect"), ["t:dw.a"], children=child) == "answer_child_unexpected"
    )


def test_a_rejection_needs_its_reason_and_carries_it() -> None:
    request = request_of("artifact_gate")
    with pytest.raises(Invalid) as refused:
        answered(request, kind="artifact_gate", choice="reject")
    assert refused.value.code == "answer_child_missing"
    child = {"kind": "freetext", "text": "the join is wrong"}
    outcome = answered(request, kind="artifact_gate", choice="reject", child=child)
    assert types(outcome) == ["sql_rejected"]
    text = outcome.written[0].text
    assert text is not None
    assert (text.kind, text.text) == ("rejection", "the join is wrong")


def test_a_revision_is_an_sql_text_and_not_yet_a_decision() -> None:
    child = {"kind": "artifact", "text": "SELECT 2"}
    outcome = answered(
        request_of("artifact_gate"), kind="artifact_gate", choice="revise", child=child
    )
    assert (outcome.sql, outcome.written) == ("SELECT 2", ())


def test_a_child_of_another_kind_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        answered(
            request_of("artifact_gate"),
            kind="artifact_gate",
            choice="revise",
            child={"kind": "freetext", "text": "SELECT 2"},
        )
    assert refused.value.code == "answer_wrong_kind"


def test_own_words_write_no_decision_and_keep_what_was_ticked() -> None:
    outcome = answered(
        request_of("multiselect"), control="other", text="also the visits", choices=["t:dw.a"]
    )
    assert outcome.written == ()
    assert outcome.chosen == ("t:dw.a",)
    assert [text.kind for text in outcome.texts] == ["other"]


def test_own_words_that_say_nothing_are_refused() -> None:
    with pytest.raises(Invalid) as refused:
        answered(request_of("select"), control="other", text="   ")
    assert refused.value.code == "text_empty"


def test_a_control_that_the_widget_does_not_offer_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        answered(request_of("artifact"), control="exit")
    assert refused.value.code == "answer_wrong_kind"


def test_an_unknown_kind_is_answered_in_words() -> None:
    outcome = answered(request_of("unknown"), kind="unknown", text="the second one")
    assert [text.text for text in outcome.texts] == ["the second one"]
    with pytest.raises(Invalid):
        answered(request_of("select"), kind="unknown", text="x")


def test_a_free_text_is_answered_in_words() -> None:
    outcome = answered(request_of("freetext"), kind="freetext", text="per quarter")
    assert outcome.texts[0].text == "per quarter"


def test_a_text_can_go_into_the_decision_instead() -> None:
    option = Option(
        id="f1",
        label="F",
        decision=made("conformance_overridden", "extra_filter"),
        opens=Opens(widget="freetext", into=("rationale", "payload.reason")),
    )
    child = {"f1": {"kind": "freetext", "text": "the year is fixed"}}
    outcome = ticked(request_of("multiselect", option), "f1", children=child)
    chosen = outcome.written[0].decision
    assert (chosen.rationale, chosen.payload["reason"]) == ("the year is fixed",) * 2
    assert outcome.all_texts == ()


def test_chosen_children_can_go_into_the_decision() -> None:
    columns = tuple(
        Option(id=name, label=name, selected=True) for name in ("dw.p.name", "dw.p.tax")
    )
    option = Option(
        id="csv",
        label="CSV",
        decision=Decision(type="datamart_requested", subject="datamart", payload={"form": "csv"}),
        opens=Opens(widget="multiselect", options=columns, into=("payload.pseudonymised",)),
    )
    outcome = answered(
        request_of("select", option),
        kind="select",
        choice="csv",
        child={"kind": "multiselect", "choices": ["dw.p.name"]},
    )
    assert outcome.written[0].decision.payload == {"form": "csv", "pseudonymised": ["dw.p.name"]}


def grounded(column: str) -> Written:
    payload = ValueGrounded(
        groundings=(Grounding(column=column, value="ablazione"),),
        runners_up=(Grounding(column="dw.b.y", value="ablazione"),),
        serves=("f1",),
    )
    return Written(decision("value_grounded", "ablazione", payload, detail=column))


def test_two_columns_of_one_literal_become_one_decision_that_either_satisfies() -> None:
    result = merged(
        [grounded("dw.a.x"), grounded("dw.b.y"), Written(made("table_promoted", "dw.a"))]
    )
    assert [item.decision.type for item in result] == ["value_grounded", "table_promoted"]
    payload = result[0].decision.typed()
    assert isinstance(payload, ValueGrounded)
    assert [g.column for g in payload.groundings] == ["dw.a.x", "dw.b.y"]
    assert (payload.combine, payload.runners_up) == ("any", ())


def test_a_decision_quotes_the_texts_that_influenced_it() -> None:
    result = quoted(made("table_promoted", "dw.a"), {"t1": "only women", "t2": "since 2020"})
    assert result.payload["text_ids"] == ["t1", "t2"]
    assert "only women" in result.rationale
    assert "since 2020" in result.rationale


def test_an_answer_to_another_widget_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        interpret(request_of("select"), parse_answer({"id": "u9", "kind": "select", "choice": "a"}))
    assert refused.value.code == "answer_other_widget"
