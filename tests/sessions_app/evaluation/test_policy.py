from __future__ import annotations

from typing import Any

from sessions_app.evaluation.policy import Refused, answer_oracle, answer_recommended, parts_of

GOLD = frozenset(
    {
        "table dw.visit", "column dw.visit.kind", "column dw.visit.day", "literal control",
        "aggregate count", "join dw.visit.ward=dw.ward.id", "table dw.ward", "column dw.ward.id",
        "column dw.visit.ward",
    }
)  # fmt: skip


def option(id_: str, decision: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    defaults = {
        "id": id_, "label": id_, "parent": None, "recommended": False, "selected": False,
        "alone": False, "decision": decision, "opens": None,
    }  # fmt: skip
    return defaults | more


def widget(kind: str, *options: dict[str, Any], **more: Any) -> dict[str, Any]:
    defaults = {
        "widget": kind, "title": "Which?", "intro": "", "stage": "schema_linking", "allow_empty": False,
    }  # fmt: skip
    return defaults | {"options": list(options)} | more


def grounded(column: str, value: str) -> dict[str, Any]:
    groundings = [{"column": column, "value": value, "op": "="}]
    return {"type": "value_grounded", "subject": value, "payload": {"groundings": groundings}}


def column(name: str, *serves: str) -> dict[str, Any]:
    return {"type": "column_promoted", "subject": name, "payload": {"serves": list(serves)}}


def test_recommended_option_is_taken() -> None:
    answer = answer_recommended(widget("select", option("a"), option("b", recommended=True)))
    assert answer == {"kind": "select", "choice": "b"}


def test_nothing_recommended_ends_the_question() -> None:
    answer = answer_recommended(widget("select", option("a"), intro="unclear"))
    assert answer == Refused("no_recommendation", "unclear")


def test_option_that_needs_words_is_never_taken() -> None:
    opens = {"widget": "freetext", "optional": False}
    asked = widget("select", option("a", recommended=True, opens=opens))
    assert isinstance(answer_recommended(asked), Refused)


def test_checklist_keeps_its_selection_and_names_what_was_shown() -> None:
    asked = widget(
        "multiselect", option("a", selected=True), option("b"), option("c", selected=True)
    )
    answer = answer_recommended(asked)
    assert isinstance(answer, dict)
    assert answer["choices"] == ["a", "c"]
    assert answer["displayed"] == ["a", "b", "c"]


def test_memory_is_declined() -> None:
    asked = widget("multiselect", option("m", selected=True), stage="memory", allow_empty=True)
    answer = answer_recommended(asked)
    assert isinstance(answer, dict)
    assert answer["choices"] == []


def test_oracle_takes_the_option_that_occurs_in_a_gold() -> None:
    asked = widget(
        "select",
        option("other", grounded("dw.visit.reason", "control"), recommended=True),
        option("right", grounded("dw.visit.kind", "control")),
    )
    assert answer_oracle(asked, [GOLD]) == {"kind": "select", "choice": "right"}
    assert answer_recommended(asked) == {"kind": "select", "choice": "other"}


def test_oracle_prefers_what_covers_more() -> None:
    clarified = {
        "type": "concept_clarified",
        "subject": "visit",
        "payload": {"columns": ["dw.visit.kind", "dw.visit.day"], "filter": "kind = 'control'"},
    }
    asked = widget(
        "select", option("one", grounded("dw.visit.kind", "control")), option("two", clarified)
    )
    assert answer_oracle(asked, [GOLD]) == {"kind": "select", "choice": "two"}


def test_parts_of_an_option_must_occur_in_one_and_the_same_gold() -> None:
    both = {
        "type": "concept_clarified",
        "subject": "x",
        "payload": {"columns": ["dw.visit.kind", "dw.exam.kind"]},
    }
    other = frozenset({"table dw.exam", "column dw.exam.kind"})
    asked = widget("select", option("split", both), option("safe", recommended=True))
    assert answer_oracle(asked, [GOLD, other]) == {"kind": "select", "choice": "safe"}


def test_oracle_without_a_fitting_option_takes_the_recommended_one() -> None:
    asked = widget(
        "select", option("a", grounded("dw.exam.kind", "x"), recommended=True), option("b")
    )
    assert answer_oracle(asked, [GOLD]) == {"kind": "select", "choice": "a"}


def test_oracle_exchanges_a_column_for_one_that_serves_the_same() -> None:
    asked = widget(
        "multiselect",
        option(
            "t", {"type": "table_promoted", "subject": "dw.visit", "payload": {}}, selected=True
        ),
        option("wrong", column("dw.visit.asked", "p1"), selected=True, parent="t"),
        option("right", column("dw.visit.day", "p1"), parent="t"),
    )
    answer = answer_oracle(asked, [GOLD])
    assert isinstance(answer, dict)
    assert answer["choices"] == ["t", "right"]


def test_oracle_corrects_a_column_by_its_alternatives() -> None:
    opens = {
        "widget": "select",
        "optional": True,
        "options": [
            option("keep", selected=True),
            option("dw.visit.day", column("dw.visit.day", "p1")),
        ],
    }
    asked = widget(
        "multiselect", option("c", column("dw.visit.asked", "p1"), selected=True, opens=opens)
    )
    answer = answer_oracle(asked, [GOLD])
    assert isinstance(answer, dict)
    assert answer["children"] == {"c": {"kind": "select", "choice": "dw.visit.day"}}


def test_parts_of_a_join_do_not_depend_on_its_sides() -> None:
    decision = {"type": "join_approved", "subject": "dw.ward.id=dw.visit.ward", "payload": {}}
    assert parts_of(option("j", decision)) == {"join dw.visit.ward=dw.ward.id"}
