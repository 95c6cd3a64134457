"""What a person reads instead of what is stored."""

from __future__ import annotations

import json

import pytest
from django.utils.translation import override

from sessions_app.gate import interpret
from sessions_app.pages.widget_view import widget_view
from sessions_app.templatetags.sessions_ui import grid_words, markdown, refusal, short_number
from sessions_app.widgets.request import Opens, Option, UiRequest
from sessions_app.widgets.response import parse_answer
from thoth.lib.errors import Conflict, Invalid, ThothError
from thoth.lib.text import clean_text


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("6.1024335031126203", "6.1024"),
        ("-0.12345", "-0.1235"),
        ("5.9405940594059406", "5.9406"),
        ("99.99995", "100.0000"),
        ("0.00001234", "0.00001234"),
        ("12345678901234567890.123456", "12345678901234567890.1235"),
        ("12.5", "12.5"),
        ("2024", "2024"),
        (None, None),
    ],
)
def test_a_number_shows_at_most_four_decimals(stored: str | None, shown: str | None) -> None:
    assert short_number(stored) == shown


def test_each_part_of_a_question_keeps_its_line() -> None:
    assert "per anno.<br>\nf1. vero" in markdown("Conta, per anno.\nf1. vero")


@pytest.mark.parametrize(
    ("intro", "shown", "code"),
    [
        (
            "Nothing explains «x».\n\n`unexplained_words`",
            "Nothing explains «x».",
            "unexplained_words",
        ),
        ("Look at `fact_visita` first.", "Look at `fact_visita` first.", ""),
        ("", "", ""),
    ],
)
def test_the_code_of_a_refusal_is_not_text(intro: str, shown: str, code: str) -> None:
    view = widget_view({"id": "u1", "widget": "select", "intro": intro})
    assert (view.intro, view.code) == (shown, code)


def test_a_refused_answer_is_explained_in_the_reader_s_language() -> None:
    why = Opens(widget="freetext", title="Che cosa non va?")
    request = UiRequest(
        id="u1",
        session_id="s",
        phase="F3",
        stage="rewriting",
        widget="select",
        title="?",
        options=(Option(id="reject", label="Respingi", opens=why),),
    )
    answer = parse_answer({"type": "ui_response", "id": "u1", "kind": "select", "choice": "reject"})
    with override("it"), pytest.raises(Invalid) as refused:
        interpret(request, answer)
    assert refused.value.message == "«Respingi» richiede un'altra risposta: Che cosa non va?"


def test_the_grid_speaks_the_reader_s_language() -> None:
    with override("it"):
        words = json.loads(grid_words())
    assert words["page"] == "Pagina"
    assert words["pageSizeSelectorLabel"] == "Righe per pagina:"


def _too_long() -> ThothError:
    with pytest.raises(Invalid) as refused:
        clean_text("x" * 12, what="text", max_chars=10)
    return refused.value


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (_too_long(), "Il testo ha 12 caratteri; sono ammessi al massimo 10."),
        (Conflict("session_paused", "Paused."), "Hai lasciato questa sessione. Prima riprendila."),
        (Conflict("something_rare", "As the program says it."), "As the program says it."),
        (Invalid("text_too_long", "Without its extras."), "Without its extras."),
    ],
)
def test_a_refusal_speaks_the_reader_s_language(error: ThothError, said: str) -> None:
    with override("it"):
        assert refusal(error) == said


def test_an_address_on_the_server_is_not_shown() -> None:
    error = Invalid("workspace_invalid", "/srv/mine/workspace.yaml: the variable X is not set.")
    assert "/srv" not in refusal(error)


def test_options_are_grouped_under_words_and_the_report_comes_along() -> None:
    option = {"id": "a", "label": "A", "group": "findings", "meta": {"report": "# Checked"}}
    view = widget_view({"id": "u1", "widget": "artifact_gate", "options": [option]})
    assert view.options[0].group == "Departures from the decisions"
    assert view.report == "# Checked"
    assert not view.departs


@pytest.mark.parametrize(("status", "departs"), [("overridden", True), ("conformant", False)])
def test_accepted_departures_show_at_the_approval(status: str, departs: bool) -> None:
    decision = {"type": "sql_approved", "payload": {"conformance": {"status": status}}}
    option = {"id": "approve", "label": "Approve", "decision": decision}
    view = widget_view({"id": "u1", "widget": "artifact_gate", "options": [option]})
    assert view.departs is departs
