"""The rollback itself: ledger, teardown, check, in one transaction."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db import transaction

from sessions_app import events, ledger
from sessions_app.check import check
from sessions_app.dialogue import Written, text_record
from sessions_app.errors import Inconsistent
from sessions_app.locking import lock_public
from sessions_app.models import FreeText, Session
from sessions_app.rollback.losses import Losses, losses_of
from sessions_app.rollback.targets import Scope, resolve
from sessions_app.rollback.teardown import tear_down
from sessions_app.types import Row
from sessions_app.view import closed_stage
from thoth.contracts.decisions import Decision
from thoth.lib import clock


@dataclass(frozen=True, slots=True)
class Rolled:
    """What a rollback did. `changed` False: the phase had just been reopened, nothing to undo."""

    session: Session
    phase: str
    rows: tuple[Row, ...]
    losses: Losses
    text_id: str | None
    changed: bool = True


@transaction.atomic
def rollback(
    public_id: str,
    target: str,
    *,
    author: str,
    expected_version: int,
    text: str = "",
    now: dt.datetime | None = None,
) -> Rolled:
    """The session is back at `target` (`again`, `previous` or a phase id) and goes on from there.

    `expected_version` is the version that the reviewer saw. `text` says what should be different;
    it is recorded and must be addressed. The caller advances the session after the commit.

    Raises: NotFound `session_not_found`; Stale `session_version_stale`; what `targets.resolve` and
    `dialogue.text_record` raise; Inconsistent, with everything undone, when the result would
    contradict itself.
    """
    now = now or clock.now()
    session = lock_public(public_id, expected_version=expected_version)
    scope = resolve(session, target)
    losses = losses_of(session, scope)
    if scope.repeats and not text and not losses.answers:
        return Rolled(session, scope.phase, (), losses, None, changed=False)
    text_id = _record(session, scope, text, author, now) if text else None
    rows = ledger.append(session, _decisions(scope, text, text_id), author=author, now=now)
    tear_down(session, scope, now=now, keep_text=text_id)
    _restart(session)
    _tell(session, scope, target, now)
    findings = check(session)
    if findings:
        raise Inconsistent([finding.as_dict() for finding in findings])
    return Rolled(session, scope.phase, tuple(rows), losses, text_id)


def _record(session: Session, scope: Scope, text: str, author: str, now: dt.datetime) -> str:
    stage = (
        scope.widget.stage
        if scope.widget
        else scope.view.workflow.phase(scope.phase).stages[0].stage
    )
    about = f"widget:{scope.widget.uid}" if scope.widget else f"phase:{scope.phase}"
    written = Written(text, FreeText.Kind.ROLLBACK, author, about)
    return text_record(session, written, now=now, place=(scope.phase, stage)).uid


def _decisions(scope: Scope, text: str, text_id: str | None) -> list[Decision]:
    payload: dict[str, object] = {"text_ids": [text_id]} if text_id else {}
    if scope.widget is None:
        reason = {"reason": text} if text else {}
        return [_meta("phase_reopened", f"phase:{scope.phase}", text, payload | reason)]
    undone = [row for row in scope.removed if closed_stage(row) is None]
    return [_meta("decision_retracted", f"seq:{row.seq}", text, payload) for row in undone]


def _meta(type_: str, subject: str, text: str, payload: dict[str, object]) -> Decision:
    return Decision(type=type_, subject=subject, detail=text, payload=payload)


def _restart(session: Session) -> None:
    session.version += 1
    session.status = Session.Status.RUNNING
    session.failure_code = session.failure_message = ""
    session.save(
        update_fields=["version", "status", "failure_code", "failure_message", "updated_at"]
    )


def _tell(session: Session, scope: Scope, target: str, now: dt.datetime) -> None:
    place: dict[str, object] = {"phase": session.phase, "stage": session.stage}
    events.append(session, "system_event", {"event": "rollback", "target": target} | place, now=now)
    if scope.view.stage != session.stage:
        events.append(session, "system_event", {"event": "phase_changed"} | place, now=now)
