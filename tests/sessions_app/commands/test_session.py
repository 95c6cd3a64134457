"""`tht session …` from the first question to the export."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sessions_app.management.commands.session import Command
from tests.sessions_app.kit import QUESTION

pytestmark = pytest.mark.django_db(transaction=True)


def tht(*arguments: str) -> tuple[int, str]:
    """Exit code and standard output of `tht session …`."""
    out = io.StringIO()
    try:
        call_command("session", *arguments, stdout=out, stderr=io.StringIO())
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def tht_json(*arguments: str) -> Any:
    code, text = tht(*arguments, "--json")
    assert code == 0, text
    return json.loads(text)


def test_a_question_goes_from_new_to_the_end_and_is_exported(cardio: str, tmp_path: Path) -> None:
    state = tht_json("new", QUESTION, "--workspace", "cardio")
    session = state["id"]
    assert state["status"] == "waiting"
    assert state["widget"]["phase"] == "F1"
    state = tht_json("answer", session, "--choose", "calendar")
    assert state["decisions"][0]["subject"] == "per anno"
    for _ in range(12):
        if state["status"] == "finalised":
            break
        state = tht_json("answer", session, "--recommended")
    assert state["status"] == "finalised"
    assert tht_json("check", session) == {"findings": []}
    assert tht_json("verify", session) == {"findings": []}
    out = tmp_path / "session.zip"
    tht_json("export", session, "--out", str(out))
    with zipfile.ZipFile(out) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("manifest.json"))
    assert {
        "question.md",
        "review_decisions.jsonl",
        "schema_linking.json",
        "sql_final.sql",
    } <= names
    assert {"ctes/transcatetere.sql", "evidence.json", "validation_report.md"} <= names
    assert manifest["session"] == session


def test_the_task_shows_what_the_model_saw(cardio: str) -> None:
    session = tht_json("new", QUESTION, "--workspace", "cardio")["id"]
    code, text = tht("task", session)
    assert code == 0
    assert text.startswith("# Step clarify (F1, clarification)")
    assert f"~~~~~~~~ data\n{QUESTION}\n~~~~~~~~" in text
    task = tht_json("task", session)
    assert task["step"] == "clarify"
    assert 0 < task["tokens"] <= 20_000


def test_bad_input_has_its_code_and_exit_status(cardio: str) -> None:
    code, text = tht("new", "  ", "--workspace", "cardio", "--json")
    assert (code, json.loads(text)["code"]) == (2, "text_empty")
    code, text = tht("new", QUESTION, "--workspace", "nowhere", "--json")
    assert (code, json.loads(text)["code"]) == (1, "workspace_unknown")
    code, text = tht("show", "no-such-session", "--json")
    assert (code, json.loads(text)["code"]) == (1, "session_not_found")
    session = tht_json("new", QUESTION, "--workspace", "cardio")["id"]
    code, text = tht("answer", session, "--choose", "nothing-like-it", "--json")
    assert (code, json.loads(text)["code"]) == (2, "answer_unknown_option")


def test_going_back_lists_what_is_lost(cardio: str) -> None:
    session = tht_json("new", QUESTION, "--workspace", "cardio")["id"]
    tht_json("answer", session, "--choose", "calendar")
    losses = tht_json("rollback", session, "--to", "F1", "--dry-run")
    assert [item["subject"] for item in losses["decisions"]] == ["per anno"]
    state = tht_json("rollback", session, "--to", "F1")
    assert state["widget"]["title"] == "Keep these answers?"
    assert state["widget"]["options"][0]["selected"] is True
    state = tht_json("answer", session, "--recommended")
    assert state["decisions"][0]["subject"] == "per anno"
    assert state["widget"]["title"] == "Nothing ambiguous is left"


def test_leaving_and_coming_back_asks_the_same_question(cardio: str) -> None:
    state = tht_json("new", QUESTION, "--workspace", "cardio")
    paused = tht_json("answer", state["id"], "--exit")
    assert (paused["status"], paused["decisions"]) == ("paused", [])
    again = tht_json("resume", state["id"])
    assert (again["status"], again["widget"]) == ("waiting", state["widget"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show",), 2),
        (("show", "x", "--nonsense"), 2),
        (("nonsense",), 2),
        (("new", "Quanti?"), 2),
        (("new", " ", "--workspace", "cardio"), 2),
        (("new", "a\x00b", "--workspace", "cardio"), 2),
        (("new", "Quanti?", "--workspace", "nowhere"), 1),
        (("list", "--status", "nonsense"), 2),
        (("show", "nobody-knows-it"), 1),
        (("answer", "nobody-knows-it", "--recommended"), 1),
        (("answer", "x", "--body", "/nowhere/at/all"), 2),
        (("verify", "nobody-knows-it"), 1),
        (("rollback", "nobody-knows-it", "--to", "F1"), 1),
        (("run", "--workspace", "cardio", "--questions", "/nowhere/at/all"), 2),
    ],
    ids=lambda value: "-".join(value)[:40] if isinstance(value, tuple) else str(value),
)
def test_bad_input_ends_with_its_code_and_pure_json(
    cardio: str, arguments: tuple[str, ...], code: int
) -> None:
    returned, text = tht(*arguments)
    assert (returned, text) == (code, "")
    returned, text = tht(*arguments, "--json")
    assert returned == code
    # A refused command line says so on stderr only; everything else is one JSON document.
    assert text == "" or json.loads(text)["code"]


def test_files_that_cannot_be_used_are_refused(cardio: str, tmp_path: Path) -> None:
    session = tht_json("new", QUESTION, "--workspace", "cardio")["id"]
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(b"\xff\xfe")
    assert tht("verify", session, "--against", str(latin))[0] == 2
    assert tht("verify", session, "--against", str(tmp_path))[0] == 2
    assert tht("export", session, "--out", str(tmp_path))[0] == 2
    assert tht("export", session, "--out", str(tmp_path / "no" / "where.zip"))[0] == 2
    assert tht("rollback", session, "--to", "F99")[0] == 1


def test_a_question_cannot_steer_the_terminal_of_who_lists_it(cardio: str) -> None:
    tht_json("new", "Quanti \x1b[31mpazienti\u202e?", "--workspace", "cardio")
    _, text = tht("list")
    assert "\\u001b[31mpazienti\\u202e" in text
    assert "\x1b" not in text


def test_the_log_is_a_witness_of_the_ledger(
    cardio: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = tht_json("new", QUESTION, "--workspace", "cardio")["id"]
    with caplog.at_level("INFO"):
        tht_json("answer", session, "--choose", "calendar")
    log = tmp_path / "web.log"
    log.write_text("\n".join(record.getMessage() for record in caplog.records))
    assert tht_json("verify", session, "--log", str(log)) == {"findings": []}
    log.write_text(log.read_text().replace("count=1 ", "count=2 "))
    code, text = tht("verify", session, "--log", str(log), "--json")
    assert code == 1
    assert [finding["code"] for finding in json.loads(text)["findings"]] == ["tail_removed"]
    assert tht("verify", session, "--log", str(tmp_path / "none"))[0] == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--choose", "a", "--choose", "b"), 1),  # it collects; then there is no such session
        (("--text", "a", "--text=b"), 2),
        (("--recommended", "--recommended"), 2),
    ],
)
def test_an_option_given_twice_is_refused_unless_it_collects(
    cardio: str, arguments: tuple[str, ...], code: int
) -> None:
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["tht", "session", "answer", "nobody-knows-it", *arguments])
    assert ended.value.code == code
