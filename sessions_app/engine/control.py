"""What a reviewer does beside answering: try again, leave, come back, speak up, go back."""

from __future__ import annotations

from django.db import transaction

from sessions_app import dialogue, events
from sessions_app import rollback as rolling
from sessions_app.engine import states
from sessions_app.engine.access import Actor, require_answerable
from sessions_app.engine.access import take_over as _take_over
from sessions_app.engine.create import key_reused, request_key
from sessions_app.engine.faults import point
from sessions_app.engine.present import bump, set_status
from sessions_app.engine.runs import has_live_run
from sessions_app.locking import lock_public
from sessions_app.models import Event, FreeText, Run, Session, Widget
from sessions_app.rollback.teardown import supersede_pending
from sessions_app.widgets.response import free_text
from thoth.lib.clock import now
from thoth.lib.errors import Conflict, NotFound


def retry(public_id: str, *, actor: Actor) -> None:
    """The failed or blocked step will be tried again.

    Raises: Conflict `nothing_to_retry`, `session_finalised`; Forbidden; NotFound.
    """
    with transaction.atomic():
        session = lock_public(public_id)
        require_answerable(session, actor)
        status = states.after(session.status, "retry")
        bump(session)
        set_status(session, status)


def pause(public_id: str, *, actor: Actor) -> None:
    """The reviewer leaves; the pending question stays. Pausing twice is harmless.

    Raises: Conflict `no_pending_widget`, `session_finalised`; Forbidden; NotFound.
    """
    with transaction.atomic():
        session = lock_public(public_id)
        require_answerable(session, actor)
        set_status(session, states.after(session.status, "exit"))


def take_over(public_id: str, *, actor: Actor) -> None:
    """The session is the curator's to answer from now on. Raises: Forbidden; NotFound."""
    with transaction.atomic():
        _take_over(lock_public(public_id), actor)


def resume(public_id: str, *, actor: Actor) -> None:
    """A paused session goes on: with the question that was left, or with what comes next.

    Raises: Conflict `not_paused`, `session_finalised`; Forbidden; NotFound.
    """
    with transaction.atomic():
        session = lock_public(public_id)
        require_answerable(session, actor)
        set_status(session, states.after(session.status, "resume"))


def steer(public_id: str, *, text: str, actor: Actor, key: str = "") -> str:
    """The reviewer's words are recorded and must be taken up by the next proposal; returns their id.

    A running model call is told (or the next step is); a pending question is asked anew. The same
    `key` of the same actor records them once.

    Raises: Conflict `session_finalised`, `idempotency_key_reused`; Invalid `text_*`; Forbidden;
    NotFound.
    """
    with transaction.atomic():
        session = lock_public(public_id)
        require_answerable(session, actor)
        digest = request_key(actor, key)
        known = _steered(session, digest)
        if known is not None:
            if known.text != free_text(text):
                raise key_reused()
            return known.uid
        status = states.after(session.status, "steer")
        moment = now()
        written = dialogue.Written(text, FreeText.Kind.STEERING, actor.name)
        recorded = dialogue.text_record(session, written, now=moment)
        if not has_live_run(session):
            supersede_pending(session, now=moment)
            bump(session)
        payload: dict[str, object] = {"event": "steered", "text": recorded.uid, "key": digest}
        events.append(session, "system_event", payload, now=moment)
        _keep_failure(session, status)
    return recorded.uid


def not_meant(public_id: str, *, text_id: str, actor: Actor) -> None:
    """The text is unaddressed again, and the question that misread it is asked anew.

    Raises: Conflict `no_pending_widget`, `text_not_addressed` (the pending question does not rest on
    this text), …; NotFound; Forbidden.
    """
    with transaction.atomic():
        session = lock_public(public_id)
        require_answerable(session, actor)
        status = states.after(session.status, "not_meant")
        widget = Widget.objects.filter(session=session, status=Widget.Status.PENDING).first()
        text = FreeText.objects.filter(session=session, uid=text_id).first()
        if text is None:
            raise NotFound("text_not_found", f"The session has no text {text_id}.")
        if widget is None or text.addressed_by_widget_id != widget.pk:
            message = "The question that waits for an answer does not rest on this text."
            raise Conflict("text_not_addressed", message)
        FreeText.objects.filter(session=session, addressed_by_widget=widget).update(
            status=FreeText.Status.OPEN, reading="", addressed_by_widget=None, addressed_by_run=None
        )
        moment = now()
        payload: dict[str, object] = {"event": "not_meant", "widget": widget.uid, "text": text_id}
        events.append(session, "system_event", payload, now=moment)
        supersede_pending(session, now=moment)
        bump(session)
        set_status(session, status)


def rollback(
    public_id: str, *, target: str, actor: Actor, expected_version: int, text: str = ""
) -> rolling.Rolled:
    """The session is back at `target`. Raises: as `sessions_app.rollback.rollback`; Forbidden."""
    with transaction.atomic():
        session = lock_public(public_id, expected_version=expected_version)
        require_answerable(session, actor)
        states.after(session.status, "rollback")
        rolled = rolling.rollback(
            public_id, target, author=actor.name, expected_version=expected_version, text=text
        )
        point("rollback.before_commit")
    point("rollback.after_commit")
    return rolled


def cancel_run(public_id: str, *, actor: Actor) -> None:
    """A running step is given up and shown as failed; its late result is dropped."""
    with transaction.atomic():
        session = lock_public(public_id)
        require_answerable(session, actor)
        running = Run.objects.filter(session=session, status=Run.Status.RUNNING)
        if not running.exists():
            raise Conflict("no_running_step", "No step is running.")
        moment = now()
        running.update(
            status=Run.Status.FAILED,
            failure_code="cancelled",
            failure_message="The reviewer stopped the step.",
            lease_token="",
            lease_until=None,
            finished_at=moment,
        )
        session.status = states.after(session.status, "fail")
        session.failure_code = "cancelled"
        session.failure_message = "The step was stopped."
        session.save(update_fields=["status", "failure_code", "failure_message", "updated_at"])


def _steered(session: Session, digest: str | None) -> FreeText | None:
    """The text that was recorded under this key."""
    if digest is None:
        return None
    told = Event.objects.filter(session=session, payload__event="steered", payload__key=digest)
    uid = told.values_list("payload__text", flat=True).first()
    return FreeText.objects.filter(session=session, uid=uid).first() if uid else None


def _keep_failure(session: Session, status: states.Status) -> None:
    """Speaking up does not hide why a step failed."""
    if session.status != status:
        set_status(session, status)
