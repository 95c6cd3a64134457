"""One step forward: claim it (T1), do it outside any transaction, present it (T2).

Whoever loses a race or a worker loses nothing: T2 presents only while version and lease token are
unchanged, and a Run whose lease has ended is taken over.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

from django.db import InterfaceError, OperationalError, transaction
from django.utils.translation import override

from sessions_app import artifacts, events, ledger
from sessions_app.engine import evidence, keep, states, work
from sessions_app.engine.context import stage_context
from sessions_app.engine.deltas import DeltaWriter
from sessions_app.engine.faults import point
from sessions_app.engine.present import present, set_status
from sessions_app.engine.runs import Lease, LeaseKeeper, claim, held
from sessions_app.engine.taken_back import taken_back
from sessions_app.engine.watch import RunWatch
from sessions_app.locking import find, lock, lock_public
from sessions_app.models import FreeText, Run, Session, Widget
from sessions_app.phases import conduct
from sessions_app.phases.base import Ask, AutoAdvance, Present, Shown, StageContext
from thoth.contracts.decisions import PhaseAutoApproved, decision
from thoth.lib.clock import now
from thoth.lib.errors import NotFound, ThothError, Upstream
from thoth.runtime.port import ModelFailure

logger = logging.getLogger(__name__)

# Our own database: nothing can be shown or stored now. The lease ends and the sweep starts anew.
_DATABASE_GONE = (OperationalError, InterfaceError)
Progress = Literal["moved", "waiting", "busy", "stopped"]
DRIVE_MAX_STEPS = 60
INTERNAL = "The step failed because of an error in the program. It has been logged."


@dataclass(frozen=True, slots=True)
class _Claimed:
    lease: Lease
    step: Ask | Present
    ctx: StageContext
    taken_back: list[dict[str, object]]


def advance(public_id: str) -> Progress:
    """The session is one step further, if it is for the machine to act.

    `moved`: call again; `waiting`: for the reviewer; `busy`: another worker holds the step;
    `stopped`: not running (failed, blocked, paused, finalised). Safe to call at any time, twice at
    once, and again after a crash. Raises: NotFound `session_not_found`.
    """
    try:
        claimed = _begin(public_id)
    except _DATABASE_GONE:
        raise
    except Exception as error:  # the step's boundary: the sweep would try again for ever, unseen
        if isinstance(error, NotFound) and error.code == "session_not_found":
            raise
        logger.exception("step_not_begun session=%s", public_id)
        return _give_up(public_id, error)
    if not isinstance(claimed, _Claimed):
        return claimed
    point("advance.after_claim")
    with LeaseKeeper(claimed.lease):
        result = _work(claimed)
    point("advance.after_work")
    try:
        _settle(claimed, result)
    except _DATABASE_GONE:
        raise
    except Exception as error:  # as above: what cannot be stored would be tried again for ever
        logger.exception("step_not_settled session=%s step=%s", public_id, claimed.lease.step)
        _settle(claimed, _failure_of(error))
    point("advance.after_commit")
    return _progress(find(public_id))


@transaction.atomic
def _give_up(public_id: str, error: Exception) -> Progress:
    """The session shows that its next step cannot even begin."""
    session = lock_public(public_id)
    if not states.allowed(session.status, "fail"):
        return _progress(session)
    result = _failure_of(error)
    assert result.failure is not None
    session.status = states.after(session.status, "block" if result.blocked else "fail")
    code = (result.blocked or result.code or result.failure.code)[:64]
    session.failure_code, session.failure_message = code, result.failure.message
    session.save(update_fields=["status", "failure_code", "failure_message", "updated_at"])
    # A Run that died with its worker is not running any more.
    Run.objects.filter(session=session, status=Run.Status.RUNNING).update(
        status=Run.Status.FAILED,
        failure_code=code,
        failure_message=result.failure.message,
        lease_token="",
        lease_until=None,
        finished_at=now(),
    )
    events.append(session, "model_failed", {"code": code, "message": result.failure.message})
    return "stopped"


def _failure_of(error: Exception) -> work.Result:
    """What the reviewer is told: our own errors as they are, everything else as ours to mend."""
    message = error.message if isinstance(error, ThothError) else INTERNAL
    result = work.Result(failure=ModelFailure(code="internal", message=message))
    if isinstance(error, Upstream):
        result.blocked = error.code
    elif isinstance(error, ThothError):
        result.code = error.code
    return result


def drive(public_id: str) -> Session:
    """Advance until the session waits, stops, or another worker has it; returns it as it is then."""
    for _ in range(DRIVE_MAX_STEPS):
        if advance(public_id) != "moved":
            break
    return find(public_id)


@transaction.atomic
def _begin(public_id: str) -> _Claimed | Progress:
    """T1: what comes next, and the lease on it."""
    session = lock_public(public_id)
    if session.status != Session.Status.RUNNING:
        return _progress(session)
    left = Widget.objects.filter(session=session, status=Widget.Status.PENDING).first()
    if left is not None:
        # Resumed: the question that was left is still the right one.
        set_status(session, states.after(session.status, "present"))
        events.append(session, "ui_request", {"id": left.uid, "title": left.request["title"]})
        return "waiting"
    ctx = stage_context(session)
    if ctx is None:
        return "stopped"
    with override(session.language):
        return _claim(session, ctx)


def _claim(session: Session, ctx: StageContext) -> _Claimed | Progress:
    """The lease on the stage's next step; a stage with nothing to do closes right here."""
    step = keep.step(session, ctx) or conduct(ctx.stage.stage).next_step(ctx)
    if isinstance(step, AutoAdvance):
        close_silently(session, step)
        return "moved"
    name = step.step if isinstance(step, Ask) else step.activity
    lease = claim(session, name, phase=ctx.phase, stage=ctx.stage.stage)
    if lease is None:
        return "busy"
    if isinstance(step, Ask):
        events.append(session, "model_started", {"run": lease.run_id, "step": name})
    return _Claimed(lease, step, ctx, taken_back(session, ctx, name))


def _work(claimed: _Claimed) -> work.Result:
    """The step itself. Whatever goes wrong becomes a failure that the reviewer sees."""
    try:
        if isinstance(claimed.step, Present):
            return work.build(claimed.ctx, claimed.step)
        writer = DeltaWriter(claimed.ctx.session.id, claimed.lease.run_id)
        return work.ask(
            claimed.ctx,
            claimed.step,
            taken_back=claimed.taken_back,
            on_event=writer.receive,
            watch=RunWatch(claimed.lease),
        )
    except _DATABASE_GONE:
        raise
    except Exception as error:  # the step's boundary: a bug must be visible and retryable
        if not isinstance(error, ThothError):
            logger.exception(
                "step_failed session=%s step=%s", claimed.ctx.session.id, claimed.lease.step
            )
        return _failure_of(error)


@transaction.atomic
def _settle(claimed: _Claimed, result: work.Result) -> None:
    """T2: the widget is presented (or the failure shown) unless the world has moved on."""
    session = lock(claimed.lease.session_pk)
    run = held(claimed.lease)
    if run is None:
        logger.info("run_lost session=%s run=%s", session.public_id, claimed.lease.run_id)
        return
    _record(run, result)
    current = session.version == claimed.lease.session_version
    if not current or not states.allowed(session.status, "present"):
        _finish(run, Run.Status.SUPERSEDED)
        return
    if result.failure is not None:
        _fail(session, run, result)
    else:
        _present(session, claimed, run, result)
    point("advance.before_commit")


def _present(session: Session, claimed: _Claimed, run: Run, result: work.Result) -> None:
    moment = now()
    _finish(run, Run.Status.DONE)
    if result.receipt is not None:
        evidence.receipt_store(session, result.receipt)
    if isinstance(claimed.step, Ask):
        events.append(session, "model_finished", {"run": run.pk, "step": run.step}, now=moment)
    if isinstance(result.presented, AutoAdvance):
        _address_without_widget(session, run, result)
        close_silently(session, result.presented)
    elif isinstance(result.presented, Shown):
        present(
            session,
            result.presented,
            activity=run.step,
            run=run,
            proposal=result.proposal,
            now=moment,
        )


def close_silently(session: Session, step: AutoAdvance) -> None:
    """The stage closes without the reviewer; an event tells them why it is gone."""
    stage, phase = session.stage, session.phase
    for name, text in step.artifacts:
        artifacts.put(session, name, text, stage=stage)
    payload = PhaseAutoApproved(reason=step.reason)
    row = decision("phase_auto_approved", f"stage:{stage}", payload, detail=step.reason)
    ledger.append(session, [row], author="system")
    place: dict[str, object] = {"phase": phase, "stage": stage, "reason": step.reason}
    events.append(session, "system_event", {"event": "auto_advance_silent", **place})
    tell_phase(session, phase)
    set_status(session, states.after(session.status, "close_silently"))


def tell_phase(session: Session, before: str) -> None:
    """Watchers learn that the phase is another one."""
    if session.phase != before:
        place: dict[str, object] = {"phase": session.phase, "stage": session.stage}
        events.append(session, "system_event", {"event": "phase_changed", **place})


def _fail(session: Session, run: Run, result: work.Result) -> None:
    failure = result.failure or ModelFailure(code="internal", message="The step gave nothing.")
    code = result.blocked or result.code or failure.code
    run.failure_code, run.failure_message = code[:64], failure.message
    _finish(run, Run.Status.FAILED)
    session.status = states.after(session.status, "block" if result.blocked else "fail")
    session.failure_code, session.failure_message = code[:64], failure.message
    session.save(update_fields=["status", "failure_code", "failure_message", "updated_at"])
    events.append(
        session,
        "model_failed",
        {"run": run.pk, "step": run.step, "code": code, "message": failure.message},
    )


def _record(run: Run, result: work.Result) -> None:
    run.task_document = result.task.model_dump(mode="json") if result.task else None
    run.proposal = result.proposal.model_dump(mode="json") if result.proposal else None
    run.tool_calls = result.tool_calls
    run.usage = result.usage


def _finish(run: Run, status: Run.Status) -> None:
    run.status = status
    run.lease_token = ""
    run.lease_until = None
    run.finished_at = now()
    run.save()


def _address_without_widget(session: Session, run: Run, result: work.Result) -> None:
    for reading in result.proposal.addressed if result.proposal else ():
        FreeText.objects.filter(
            session=session, uid=reading.text_id, status=FreeText.Status.OPEN
        ).update(status=FreeText.Status.ADDRESSED, reading=reading.reading, addressed_by_run=run)


def _progress(session: Session) -> Progress:
    if session.status == Session.Status.RUNNING:
        return "moved"
    return "waiting" if session.status == Session.Status.WAITING else "stopped"
