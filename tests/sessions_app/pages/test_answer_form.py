"""The HTML form as a ui_response. Cases: form fields, and the body they mean."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from sessions_app.pages.answer_form import answer_of_form, draft_of_form, other_of_form
from sessions_app.widgets.request import Opens, Option, UiRequest
from sessions_app.widgets.response import parse_answer
from thoth.lib.errors import Invalid

ALTERNATIVES = (Option(id="keep", label="keep"), Option(id="c2", label="c2"))
OPTIONS = (
    Option(id="plain", label="plain"),
    Option(id="why", label="why", opens=Opens(widget="freetext")),
    Option(id="edit", label="edit", opens=Opens(widget="artifact")),
    Option(id="other way", label="x", opens=Opens(widget="select", options=ALTERNATIVES)),
    Option(id="many", label="x", opens=Opens(widget="multiselect", options=ALTERNATIVES)),
)


def request(kind: str) -> UiRequest:
    return UiRequest(
        widget=kind, title="t", options=OPTIONS, id="u1", session_id="s", phase="F4", stage="cte"
    )


@pytest.mark.parametrize(
    ("kind", "form", "body"),
    [
        ("select", "choices=plain", {"choice": "plain"}),
        ("select", "choices=plain&child-why=x", {"choice": "plain"}),
        (
            "artifact_gate",
            "choices=why&child-why=a%0D%0Ab",
            {"choice": "why", "child": {"kind": "freetext", "text": "a\nb"}},
        ),
        ("artifact_gate", "choices=why&child-why=%20", {"choice": "why"}),
        (
            "artifact_gate",
            "choices=edit&child-edit=SELECT+1",
            {"choice": "edit", "child": {"kind": "artifact", "text": "SELECT 1"}},
        ),
        (
            "multiselect",
            "displayed=plain&displayed=why&choices=plain",
            {"choices": ["plain"], "displayed": ["plain", "why"], "children": {}},
        ),
        (
            "multiselect",
            "displayed=other+way&choices=other+way&child-other+way=c2",
            {
                "choices": ["other way"],
                "displayed": ["other way"],
                "children": {"other way": {"kind": "select", "choice": "c2"}},
            },
        ),
        (
            "multiselect",
            "displayed=many&choices=many&child-many=keep&child-many=c2",
            {
                "choices": ["many"],
                "displayed": ["many"],
                "children": {"many": {"kind": "multiselect", "choices": ["keep", "c2"]}},
            },
        ),
        ("multiselect", "", {"choices": [], "displayed": [], "children": {}}),
    ],
)
def test_a_form_means_an_answer(kind: str, form: str, body: dict[str, object]) -> None:
    answer = answer_of_form(request(kind), QueryDict(form))
    assert answer == {"type": "ui_response", "id": "u1", "kind": kind, **body}
    parse_answer(answer)


@pytest.mark.parametrize(("kind", "sent"), [("freetext", "freetext"), ("hologram", "unknown")])
def test_words_answer_what_has_no_options(kind: str, sent: str) -> None:
    answer = answer_of_form(request(kind), QueryDict("text=a%0D%0Ab"))
    assert (answer["kind"], answer["text"]) == (sent, "a\nb")
    parse_answer(answer)


@pytest.mark.parametrize("kind", ["select", "artifact_gate"])
def test_a_choice_of_one_needs_a_choice(kind: str) -> None:
    with pytest.raises(Invalid) as refused:
        answer_of_form(request(kind), QueryDict(""))
    assert refused.value.code == "answer_choice_missing"


def test_other_carries_the_ticks_that_exist() -> None:
    form = QueryDict("choices=plain&choices=gone&other_text=mine")
    answer = other_of_form(request("multiselect"), form)
    assert (answer["choices"], answer["text"]) == (["plain"], "mine")
    parse_answer(answer)


def test_a_draft_holds_everything_that_was_filled_in() -> None:
    draft = draft_of_form(QueryDict("choices=why&child-why=a&text=b&other_text=c&displayed=why"))
    assert draft.choices == {"why"}
    assert draft.children == {"why": ("a",)}
    assert (draft.text, draft.other_text) == ("b", "c")
