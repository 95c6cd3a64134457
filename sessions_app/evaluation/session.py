"""One question through a real session, answered by a policy."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from sessions_app import artifacts, services
from sessions_app.evaluation import golds
from sessions_app.evaluation.compare import Rows, compare, is_excluded
from sessions_app.evaluation.outcomes import Kind, Outcome, WrongKind
from sessions_app.evaluation.policy import (
    Body,
    PolicyName,
    Refused,
    Widget,
    answer_oracle,
    answer_recommended,
)
from sessions_app.evaluation.questions import Question
from sessions_app.models import Run, Session
from sessions_app.models import Widget as WidgetRow
from sessions_app.results import SQL_FILE
from sessions_app.services import Actor
from thoth.lib.errors import Invalid, ThothError
from thoth.warehouse.catalog import catalog_get
from thoth.workspaces.facade import workspace_get

logger = logging.getLogger(__name__)

ANSWERS_MAX = 80
Answer = Callable[[Widget], Body | Refused]
GoldRunner = Callable[[str], Rows]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Where and how questions are asked. `gold_rows` runs a gold: through the workspace's own guard
    unless a benchmark brings its own way (third-party golds may use what the guard refuses)."""

    workspace: str
    policy: PolicyName
    user: str
    gold_rows: GoldRunner

    @property
    def actor(self) -> Actor:
        """The name that every decision of the run carries."""
        return Actor(f"policy:{self.policy} ({self.user})")


def evaluation_of(workspace: str, policy: str, user: str) -> Evaluation:
    """An evaluation whose golds run like any other query of the workspace.

    Raises: Invalid `policy_unknown`; NotFound `workspace_unknown`.
    """
    if policy not in get_args(PolicyName):
        raise Invalid("policy_unknown", f"{policy} is no policy: use recommended or oracle.")
    workspace_get(workspace)
    return Evaluation(
        workspace, cast(PolicyName, policy), user, lambda sql: golds.rows_of(workspace, sql)
    )


def question_run(evaluation: Evaluation, question: Question) -> Outcome:
    """The question's outcome. Never raises: what goes wrong is a refusal with its reason.

    With policy `recommended` a wrong answer is asked again by the oracle, to tell whether the right
    reading had been on offer.
    """
    started = time.monotonic()
    outcome = _isolated(evaluation, question)
    if outcome.kind == "wrong":
        outcome = replace(outcome, wrong_kind=_wrong_kind(evaluation, question))
    return replace(outcome, seconds=round(time.monotonic() - started, 2))


def _wrong_kind(evaluation: Evaluation, question: Question) -> WrongKind:
    if evaluation.policy == "oracle":
        return "silent"
    again = _isolated(replace(evaluation, policy="oracle"), question)
    return "offered" if again.kind == "exact" else "silent"


def _isolated(evaluation: Evaluation, question: Question) -> Outcome:
    base = Outcome(question.id, question.category, "refused", question.question)
    try:
        return _run(evaluation, question, base)
    except ThothError as error:
        return replace(base, reason=error.code, message=error.message)
    except Exception:  # one broken question must not end the run over all the others
        logger.exception("question_failed id=%s", question.id)
        return replace(base, reason="internal")


def _run(evaluation: Evaluation, question: Question, base: Outcome) -> Outcome:
    accepted: list[tuple[str, Rows]] = []
    if question.answerable:
        accepted = _golds(evaluation, question)
        if not accepted:
            return replace(base, kind="excluded", reason="gold_empty")
    session = services.session_create(
        workspace=evaluation.workspace, question=question.question, actor=evaluation.actor
    )
    base = replace(base, session=session.public_id)
    refused, answers = _drive(session.public_id, evaluation, _answer(evaluation, question))
    base = replace(base, answers=answers)
    if refused is not None:
        return replace(base, reason=refused.reason, message=refused.message)
    artifact = artifacts.get(session, SQL_FILE)
    sql = artifact.text if artifact else ""
    if not question.answerable:
        return replace(base, kind="answered", sql=sql)
    rows = golds.rows_of(evaluation.workspace, sql)
    return replace(base, kind=_verdict(question, accepted, rows), sql=sql)


def _golds(evaluation: Evaluation, question: Question) -> list[tuple[str, Rows]]:
    """The golds that say something, with their rows; one that cannot run is left out."""
    result = []
    for sql in question.golds:
        try:
            rows = evaluation.gold_rows(sql)
        except ThothError as error:
            logger.info("gold_left_out id=%s code=%s", question.id, error.code)
            continue
        if not is_excluded(rows):
            result.append((sql, rows))
    return result


def _verdict(question: Question, accepted: Sequence[tuple[str, Rows]], rows: Rows) -> Kind:
    verdicts = [
        compare(gold, rows, order_keys=golds.order_keys(sql) if question.ordered else None)
        for sql, gold in accepted
    ]
    if "exact" in verdicts:
        return "exact"
    return "superset" if "superset" in verdicts else "wrong"


def _answer(evaluation: Evaluation, question: Question) -> Answer:
    if evaluation.policy == "recommended":
        return answer_recommended
    catalog = catalog_get(evaluation.workspace)
    parts = [golds.parts_of_sql(sql, catalog) for sql in question.golds]
    return lambda widget: answer_oracle(widget, parts)


def _drive(public_id: str, evaluation: Evaluation, answer: Answer) -> tuple[Refused | None, int]:
    """Answer widgets until the session is finalised. Returns why it was not, and how many answers."""
    for count in range(ANSWERS_MAX):
        session = services.drive(public_id)
        if session.status == Session.Status.FINALISED:
            return None, count
        pending = WidgetRow.objects.filter(session=session, status=WidgetRow.Status.PENDING).first()
        if pending is None:
            code = session.failure_code or str(session.status)
            return Refused(code, session.failure_message), count
        body = answer(pending.request)
        if isinstance(body, Refused):
            return _explained(pending, body), count
        head: Body = {"type": "ui_response", "id": pending.uid}
        services.answer(public_id, head | body, actor=evaluation.actor)
    return Refused("too_many_answers"), ANSWERS_MAX


def _explained(pending: WidgetRow, refused: Refused) -> Refused:
    """What the runtime could not express is a better reason than that nothing was recommended."""
    run = Run.objects.filter(
        session=pending.session, session_version=pending.shown_version, step=pending.activity
    ).first()
    cannot = (run.proposal or {}).get("cannot") if run else None
    if isinstance(cannot, dict) and cannot.get("code"):
        return Refused(f"cannot:{cannot['code']}", refused.message)
    return Refused(f"{refused.reason}:{pending.activity}", refused.message)
