"""Questions through real sessions on a real warehouse, answered by a stored transcript."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sessions_app.evaluation.questions import Question, questions_load
from sessions_app.evaluation.run import questions_run, summary, summary_text
from sessions_app.evaluation.session import evaluation_of, question_run
from sessions_app.models import LedgerRow, Session
from tests.sessions_app.kit import QUESTION
from thoth.lib.errors import Invalid

pytestmark = pytest.mark.django_db(transaction=True)

GOLD = (
    "SELECT EXTRACT(YEAR FROM data_procedura)::int, count(*) FROM dw.fact_ablazione"
    " WHERE ablazione_transcatetere GROUP BY 1 ORDER BY 1"
)
WRONG_GOLD = "SELECT EXTRACT(YEAR FROM data_procedura)::int, 7 FROM dw.fact_ablazione GROUP BY 1"


def question(*golds: str, **more: Any) -> Question:
    return Question(
        **({"id": "q1", "question": QUESTION, "golds": golds, "category": "trend"} | more)
    )


def test_right_answer_is_exact_and_says_who_decided(cardio: str) -> None:
    outcome = question_run(evaluation_of(cardio, "recommended", "ada"), question(GOLD))
    assert (outcome.kind, outcome.reason) == ("exact", "")
    assert "GROUP BY" in outcome.sql
    session = Session.objects.get(public_id=outcome.session)
    assert session.status == Session.Status.FINALISED
    authors = set(LedgerRow.objects.filter(session=session).values_list("author", flat=True))
    assert authors <= {"policy:recommended (ada)", "system"}
    assert "policy:recommended (ada)" in authors
    declined = LedgerRow.objects.filter(session=session, type="datamart_declined")
    assert declined.count() == 1


def test_any_of_several_golds_is_enough(cardio: str) -> None:
    outcome = question_run(evaluation_of(cardio, "recommended", "ada"), question(WRONG_GOLD, GOLD))
    assert outcome.kind == "exact"


def test_wrong_answer_that_the_oracle_also_gives_is_silent(cardio: str) -> None:
    outcome = question_run(evaluation_of(cardio, "recommended", "ada"), question(WRONG_GOLD))
    assert (outcome.kind, outcome.wrong_kind) == ("wrong", "silent")
    assert Session.objects.filter(author="policy:oracle (ada)").count() == 1


def test_gold_that_says_nothing_excludes_the_question(cardio: str) -> None:
    empty = "SELECT 1 FROM dw.fact_ablazione WHERE false"
    outcome = question_run(evaluation_of(cardio, "recommended", "ada"), question(empty))
    assert (outcome.kind, outcome.reason) == ("excluded", "gold_empty")
    assert not Session.objects.exists()


def test_step_that_fails_refuses_its_question_only(
    cardio: str, settings: Any, tmp_path: Path
) -> None:
    script = tmp_path / "nothing.jsonl"
    script.write_text(
        '{"step": "clarify", "proposal": {"cannot": {"code": "off_topic", "message": "?"}}}\n'
    )
    settings.THOTH_SCRIPT = str(script)
    evaluation = evaluation_of(cardio, "recommended", "ada")
    asked = [question(GOLD), question(GOLD, id="q2", question="")]
    outcomes = questions_run(evaluation, asked)
    assert [o.kind for o in outcomes] == ["refused", "refused"]
    assert outcomes[0].reason == "cannot:off_topic"
    assert outcomes[1].reason == "text_empty"


def test_question_that_data_cannot_answer_is_answered_or_refused(cardio: str) -> None:
    outcome = question_run(evaluation_of(cardio, "recommended", "ada"), question(answerable=False))
    assert outcome.kind == "answered"


def test_run_goes_on_where_it_stopped(cardio: str, tmp_path: Path) -> None:
    evaluation = evaluation_of(cardio, "recommended", "ada")
    kept = tmp_path / "kept.jsonl"
    asked = [question(GOLD)]
    first = questions_run(evaluation, asked, results=kept)
    kept.write_text(kept.read_text() + '{"fingerprint": "half a li')
    again = questions_run(evaluation, asked, results=kept)
    assert again == first
    assert Session.objects.count() == 1
    changed = [question(GOLD, ordered=True)]
    questions_run(evaluation, changed, results=kept)
    assert Session.objects.count() == 2
    questions_run(evaluation, asked, results=kept, fresh=True)
    assert Session.objects.count() == 3


def test_figures_add_up(cardio: str) -> None:
    evaluation = evaluation_of(cardio, "recommended", "ada")
    outcomes = questions_run(evaluation, [question(GOLD), question(WRONG_GOLD, id="q2")])
    totals = summary(outcomes)["totals"]
    assert isinstance(totals, dict)
    assert (totals["exact"], totals["wrong"], totals["wrong_silent"], totals["total"]) == (
        1,
        1,
        1,
        2,
    )
    last = summary_text(outcomes).splitlines()[-1].split()
    assert last[:2] == ["total", "2"]


def test_command_prints_json_only(cardio: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        json.dumps({"id": "a", "question": QUESTION, "gold_sql": [GOLD], "db": cardio}) + "\n"
    )
    out = io.StringIO()
    call_command(
        "session", "run", "--workspace", cardio, "--questions", str(file), "--json", stdout=out
    )
    value = json.loads(out.getvalue())
    assert value["totals"]["exact"] == 1
    assert value["questions"][0]["id"] == "a"


@pytest.mark.parametrize(
    ("policy", "text", "code"),
    [
        ("clever", '{"id": "a", "question": "?", "gold_sql": "x"}', "policy_unknown"),
        ("oracle", "{}", "questions_invalid"),
    ],
)
def test_bad_input_is_refused_by_code(
    policy: str, text: str, code: str, cardio: str, tmp_path: Path
) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(text)
    out = io.StringIO()
    with pytest.raises(CommandError) as error:
        call_command(
            "session", "run", "--workspace", cardio, "--questions", str(file), "--policy", policy,
            "--json", stdout=out,
        )  # fmt: skip
    assert error.value.returncode == 2
    assert json.loads(out.getvalue())["code"] == code


def test_third_party_questions_are_those_of_one_database(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    lines = [
        {
            "id": "1",
            "question": "List them sorted by name",
            "gold_sql": ["SELECT 1", "SELECT 2"],
            "db": "one",
        },
        {"id": "2", "question": "How many?", "gold_sql": [], "db": "two", "answerable": False},
        {
            "id": "3",
            "question": "Top?",
            "gold_sql": "SELECT 3",
            "db": "one",
            "category": "order_by",
        },
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    first, third = questions_load(file, db="one")
    assert first.golds == ("SELECT 1", "SELECT 2")
    assert first.ordered
    assert third.ordered
    [second] = questions_load(file, db="two")
    assert not second.answerable
    assert not second.ordered


def test_same_id_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"id": "1", "question": "a", "gold_sql": "x"}\n' * 2)
    with pytest.raises(Invalid) as error:
        questions_load(file)
    assert error.value.code == "questions_invalid"
