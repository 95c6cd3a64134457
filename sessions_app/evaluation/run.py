"""A whole file of questions, resumable: what is done is kept beside the installation's data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings

from sessions_app.evaluation.outcomes import Outcome, by_category, refusals, table, totals
from sessions_app.evaluation.questions import Question
from sessions_app.evaluation.session import Evaluation, question_run

OnOutcome = Callable[[Outcome], None]


def results_path(workspace: str, policy: str, questions: Path) -> Path:
    """Where the outcomes of this file are kept when no other place is named."""
    name = f"{workspace}-{policy}-{questions.stem}.jsonl"
    return Path(settings.THOTH_HOME) / "evaluation" / name


def questions_run(
    evaluation: Evaluation,
    questions: Sequence[Question],
    *,
    results: Path | None = None,
    fresh: bool = False,
    on_outcome: OnOutcome = lambda _outcome: None,
) -> list[Outcome]:
    """The outcomes of all questions, in their order.

    With `results` (a JSON-lines file) a question whose text and golds are unchanged since it was
    answered is not asked again; `fresh` forgets what is there. Each outcome is written at once.
    """
    known = {} if fresh or results is None else _known(results)
    if fresh and results is not None:
        results.unlink(missing_ok=True)
    done: list[Outcome] = []
    for question in questions:
        outcome = known.get(_fingerprint(question))
        if outcome is None:
            outcome = question_run(evaluation, question)
            if results is not None:
                _append(results, question, outcome)
        done.append(outcome)
        on_outcome(outcome)
    return done


def summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The figures as JSON: totals, per category, reasons of refusals, every outcome."""
    return {
        "totals": totals(outcomes),
        "categories": {name: totals(group) for name, group in by_category(outcomes)},
        "refusals": refusals(outcomes),
        "questions": [outcome.as_dict() for outcome in outcomes],
    }


def summary_text(outcomes: Sequence[Outcome]) -> str:
    """The figures as a table, the reasons of refusals below."""
    lines = [table(by_category(outcomes))]
    reasons = refusals(outcomes)
    if reasons:
        lines += ["", "refused:", *(f"  {n:>3}  {reason}" for reason, n in reasons.items())]
    return "\n".join(lines)


def line_of(outcome: Outcome) -> str:
    """One outcome as a line."""
    detail = outcome.wrong_kind or outcome.reason
    kind = f"{outcome.kind}({detail})" if detail else outcome.kind
    return f"{outcome.id}  {kind}  {outcome.seconds:.1f} s  {outcome.question}"


def _known(results: Path) -> dict[str, Outcome]:
    """Outcomes by fingerprint. A line that a killed run left half-written is ignored."""
    if not results.is_file():
        return {}
    found: dict[str, Outcome] = {}
    for line in results.read_text(encoding="utf-8").split("\n"):
        try:
            value = json.loads(line)
            found[value["fingerprint"]] = Outcome.of(value["outcome"])
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _append(results: Path, question: Question, outcome: Outcome) -> None:
    results.parent.mkdir(parents=True, exist_ok=True)
    value = {"fingerprint": _fingerprint(question), "outcome": outcome.as_dict()}
    with results.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(value, ensure_ascii=False) + "\n")


def _fingerprint(question: Question) -> str:
    text = "\x1f".join([question.id, question.question, str(question.ordered), *question.golds])
    return hashlib.sha256(text.encode()).hexdigest()
