"""An answer becomes decisions: one transaction, once, whoever else answers at the same moment."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable

from django.db import transaction

from sessions_app import artifacts, dialogue, events, gate, ledger
from sessions_app.engine import keep, states
from sessions_app.engine.access import Actor, require_answerable
from sessions_app.engine.advance import tell_phase
from sessions_app.engine.context import stage_context
from sessions_app.engine.faults import point
from sessions_app.engine.present import bump, set_status
from sessions_app.gate import NewText, Outcome
from sessions_app.locking import lock_public
from sessions_app.models import Event, FreeText, Session, Widget
from sessions_app.phases import conduct
from sessions_app.phases.base import Effects, StageContext
from sessions_app.rollback import rollback
from sessions_app.widgets.request import UiRequest
from sessions_app.widgets.response import Answer, answer_hash, parse_answer
from thoth.contracts.decisions import Decision
from thoth.lib.clock import now
from thoth.lib.errors import Conflict, NotFound


@dataclasses.dataclass(frozen=True, slots=True)
class Accepted:
    """What an accepted answer did. `again`: the same answer had been accepted before."""

    session_id: str
    widget_id: str
    control: str | None = None
    again: bool = False


def answer(public_id: str, body: dict[str, object], *, actor: Actor) -> Accepted:
    """The pending widget is answered, its decisions are in the ledger, the session goes on.

    The same body sent again gives the same result; another one is refused. The caller has the
    session advanced afterwards.

    Raises: NotFound `session_not_found`, `widget_not_found`; Conflict `widget_already_answered`,
    `widget_superseded` (both with the current widget), `no_pending_widget`, `session_paused`,
    `session_finalised`; Forbidden `not_your_session`; Invalid (parse_answer, gate.interpret, stage);
    LedgerRefused; for going back what `rollback` raises.
    """
    parsed = parse_answer(body)
    with transaction.atomic():
        accepted = _answer(public_id, body, parsed, actor)
        point("answer.before_commit")
    point("answer.after_commit")
    return accepted


def _answer(public_id: str, body: dict[str, object], parsed: Answer, actor: Actor) -> Accepted:
    session, widget_id = lock_public(public_id), parsed.id
    widget = Widget.objects.filter(session=session, uid=widget_id).first()
    if widget is None:
        raise NotFound("widget_not_found", f"The session has no question {widget_id}.")
    digest = answer_hash(body)
    if _already(session, widget, digest):
        return Accepted(public_id, widget_id, again=True)
    _require_current(session, widget)
    require_answerable(session, actor)
    request = UiRequest.model_validate(widget.request)
    outcome = gate.interpret(request, parsed)
    if outcome.control == "back":
        return _back(session, widget, outcome.target, actor, digest)
    if outcome.control == "exit":
        set_status(session, states.after(session.status, "exit"))
        _remember_control(session, widget, digest, "exit")
        return Accepted(public_id, widget_id, control="exit")
    target = _proposed_reopening(outcome)
    if target is not None:
        return _back(session, widget, target, actor, digest)
    _mark_answered(widget, body, digest, actor)
    _accept(session, widget, outcome, actor)
    return Accepted(public_id, widget_id, control=outcome.control)


def _accept(session: Session, widget: Widget, outcome: Outcome, actor: Actor) -> None:
    """Texts, documents, decisions, closing: in this order, since each may need the one before.

    The widget is marked answered already, so that the ledger knows it as the last answered one.
    """
    moment = now()
    before = session.phase
    ctx = stage_context(session)
    if ctx is None:
        raise Conflict("session_finalised", states.REFUSALS["session_finalised"])
    effects = _effects(ctx, widget, outcome)
    texts = _store_texts(session, widget, outcome, actor, moment)
    influenced = _influences(session, widget)
    decisions = [_quoting(item, texts, influenced) for item in outcome.written]
    _store_documents(session, widget, effects, moment)
    follow = [gate.quoted(d, influenced) if _cites(d) else d for d in effects.decisions]
    if widget.activity == keep.ACTIVITY:
        keep.restore(session, before, outcome, author=actor.name, widget=widget)
        follow = list(_closing_of_kept(session))
    ledger.append(session, [*decisions, *follow], author=actor.name, widget=widget.uid, now=moment)
    in_words = bool(outcome.all_texts) and not decisions
    _go_on(session, before, "answer_text" if in_words else "answer_decisions")


def _store_documents(
    session: Session, widget: Widget, effects: Effects, moment: dt.datetime
) -> None:
    for text in effects.contents:
        artifacts.text_store(text, now=moment)
    for name, text in effects.artifacts:
        artifacts.put(session, name, text, stage=widget.stage, widget=widget.uid, now=moment)


def _effects(ctx: StageContext, widget: Widget, outcome: Outcome) -> Effects:
    if outcome.control is not None or widget.activity == keep.ACTIVITY:
        return Effects()
    request = UiRequest.model_validate(widget.request)
    return conduct(ctx.stage.stage).on_answer(ctx, request, outcome)


def _closing_of_kept(session: Session) -> Iterable[Decision]:
    """A kept approval that closes its stage closes it again."""
    ctx = stage_context(session)
    closing = getattr(conduct(ctx.stage.stage), "closing_of_kept", None) if ctx else None
    return closing(ctx) if closing else ()


def _go_on(session: Session, before: str, event: states.Event) -> None:
    bump(session)
    if not session.stage:
        event = "answer_last"
    set_status(session, states.after(session.status, event))
    if session.status == Session.Status.FINALISED:
        _finalise(session)
    tell_phase(session, before)


def _finalise(session: Session) -> None:
    FreeText.objects.filter(session=session, status=FreeText.Status.OPEN).update(
        status=FreeText.Status.LEFT_UNADDRESSED
    )
    events.append(session, "system_event", {"event": "finalised"})
    point("finalise.before_commit")
    transaction.on_commit(lambda: point("finalise.after_commit"))


def _mark_answered(widget: Widget, body: dict[str, object], digest: str, actor: Actor) -> None:
    widget.status = Widget.Status.ANSWERED
    widget.answer = body
    widget.answer_hash = digest
    widget.answered_by = actor.name
    widget.answered_at = now()
    widget.save(update_fields=["status", "answer", "answer_hash", "answered_by", "answered_at"])


def _store_texts(
    session: Session, widget: Widget, outcome: Outcome, actor: Actor, moment: dt.datetime
) -> dict[NewText, str]:
    """The answer's texts with the ids they got."""
    ids: dict[NewText, str] = {}
    for text in outcome.all_texts:
        written = dialogue.Written(
            text.text, FreeText.Kind(text.kind), actor.name, text.about[:1000]
        )
        ids[text] = dialogue.text_record(session, written, now=moment, widget=widget).uid
    return ids


def _influences(session: Session, widget: Widget) -> dict[str, str]:
    """Texts that the widget's proposal took up: what is decided by it quotes them."""
    return dict(
        FreeText.objects.filter(
            session=session, addressed_by_widget=widget, status=FreeText.Status.ADDRESSED
        ).values_list("uid", "text")
    )


def _quoting(item: gate.Written, texts: dict[NewText, str], influenced: dict[str, str]) -> Decision:
    quotes = dict(influenced) if _cites(item.decision) else {}
    if item.text is not None:
        quotes[texts[item.text]] = item.text.text
    return gate.quoted(item.decision, quotes)


def _cites(decision: Decision) -> bool:
    """Closing rows quote nothing: they decide nothing of their own."""
    return not decision.type.startswith("phase_")


def _proposed_reopening(outcome: Outcome) -> str | None:
    for item in outcome.written:
        if item.decision.type == "phase_reopened":
            return item.decision.subject.removeprefix("phase:")
    return None


def _back(session: Session, widget: Widget, target: str, actor: Actor, digest: str) -> Accepted:
    point("rollback.before_commit")
    rollback(session.public_id, target, author=actor.name, expected_version=widget.shown_version)
    _remember_control(session, widget, digest, "back")
    transaction.on_commit(lambda: point("rollback.after_commit"))
    return Accepted(session.public_id, widget.uid, control="back")


def _remember_control(session: Session, widget: Widget, digest: str, control: str) -> None:
    """Controls leave the widget unanswered: an event is what makes sending them twice harmless."""
    payload: dict[str, object] = {"event": control, "widget": widget.uid, "answer": digest}
    events.append(session, "system_event", payload)


def _already(session: Session, widget: Widget, digest: str) -> bool:
    if widget.answer_hash:
        return widget.answer_hash == digest and widget.status == Widget.Status.ANSWERED
    if widget.status == Widget.Status.PENDING and session.status == Session.Status.WAITING:
        return False
    return Event.objects.filter(
        session=session, kind="system_event", payload__widget=widget.uid, payload__answer=digest
    ).exists()


def _require_current(session: Session, widget: Widget) -> None:
    if widget.status == Widget.Status.PENDING:
        states.after(session.status, "answer_decisions")
        return
    current = Widget.objects.filter(session=session, status=Widget.Status.PENDING).first()
    answered = widget.status in (Widget.Status.ANSWERED, Widget.Status.UNDONE)
    code = "widget_already_answered" if answered else "widget_superseded"
    message = "This question has been answered already." if answered else "This question is gone."
    raise Conflict(code, message, widget=current.request if current else None)
