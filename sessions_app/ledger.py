"""The ledger: the only place that inserts its rows, and the readers of it.

The database refuses every change of a row; docs/developers/ledger.md has the rules in words.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from django.db import transaction

from sessions_app import chain, prerequisites, rules, workflow
from sessions_app.locking import lock
from sessions_app.models import LedgerRow, Session, Widget
from sessions_app.types import Row
from sessions_app.view import EffectiveView, effective
from thoth.contracts.decisions import META_TYPES, Decision
from thoth.lib import clock
from thoth.lib.errors import Invalid
from thoth.lib.text import clean_text

logger = logging.getLogger(__name__)

_FIELDS = (
    "seq",
    "type",
    "phase",
    "stage",
    "subject",
    "detail",
    "rationale",
    "payload",
    "author",
    "widget",
    "created_at",
)


def append(
    session: Session,
    decisions: Iterable[Decision],
    *,
    author: str,
    widget: str = "",
    stage: str | None = None,
    now: dt.datetime | None = None,
) -> list[Row]:
    """The decisions are in the ledger, in order, or none of them is; returns their rows.

    Takes the session's row lock (call it in a transaction). Each decision is judged by the view
    that the ones before it leave. `stage` is the caller's stage (of the current phase; default: the
    current one); a reopening of what has just been reopened adds no row. Brings count, head, phase
    and stage of `session` up to date.

    Raises: LedgerRefused (codes in errors.REFUSALS), Invalid `text_nul`, `text_surrogate`.
    """
    locked = lock(session.pk)
    batch = _Batch(locked, stage)
    for decision in decisions:
        batch.add(decision, author, widget, now or clock.now())
    _store(locked, batch)
    for field in ("ledger_count", "ledger_head", "phase", "stage"):
        setattr(session, field, getattr(locked, field))
    return batch.new


def rows(session: Session) -> list[Row]:
    """All rows of the session, oldest first (one query)."""
    query = LedgerRow.objects.filter(session=session).order_by("seq")
    return [Row(*values) for values in query.values_list(*_FIELDS)]


def view(session: Session) -> EffectiveView:
    """The effective view of the session's ledger now."""
    return effective(workflow.of(session), rows(session))


def last_answered(session: Session) -> Widget | None:
    """The last answered widget: the latest whose answer is not undone."""
    answered = Widget.objects.filter(session=session, status=Widget.Status.ANSWERED)
    return answered.order_by("-number").first()


class _Batch:
    """The rows there are and the new ones, with the view that they make, folded when needed."""

    def __init__(self, session: Session, stage: str | None) -> None:
        self._session = session
        self._workflow = workflow.of(session)
        self._rows = rows(session)
        self._view: EffectiveView | None = None
        self._position: EffectiveView | None = None
        widget = last_answered(session)
        self._around = rules.Circumstances(
            last_answered=widget.uid if widget else "",
            facts=partial(prerequisites.facts_of, session),
            stage=stage,
        )
        self.new: list[Row] = []

    @property
    def view(self) -> EffectiveView:
        if self._view is None:
            self._view = self._position = effective(self._workflow, self._rows)
        return self._view

    def add(self, decision: Decision, author: str, widget: str, now: dt.datetime) -> None:
        payload = rules.payload_of(decision)
        # Ordinary decisions do not move the session: for them the last position is good enough,
        # which keeps a batch of hundreds from folding the ledger hundreds of times.
        is_meta = decision.type in META_TYPES
        around = self.view if is_meta or self._position is None else self._position
        phase, stage = rules.placed(decision, around, self._around)
        if self._repeats_reopening(decision):
            return
        row = Row(
            seq=self._session.ledger_count + len(self.new) + 1,
            type=decision.type,
            phase=phase,
            stage=stage,
            subject=decision.subject,
            detail=decision.detail,
            rationale=decision.rationale,
            payload=payload,
            author=author,
            widget=widget,
            created_at=now,
        )
        _refuse_unstorable(row)
        self._rows.append(row)
        self.new.append(row)
        self._view = None
        if is_meta:
            self._position = None

    def _repeats_reopening(self, decision: Decision) -> bool:
        last = self._rows[-1] if self._rows else None
        return (
            decision.type == "phase_reopened"
            and last is not None
            and last.type == "phase_reopened"
            and last.subject == decision.subject
        )


def _store(session: Session, batch: _Batch) -> None:
    if not batch.new:
        return
    head = session.ledger_head
    stored = []
    for row in batch.new:
        hash_ = chain.row_hash(session.public_id, row, head)
        values = {name: getattr(row, name) for name in _FIELDS}
        stored.append(LedgerRow(session=session, prev_hash=head, hash=hash_, **values))
        head = hash_
    LedgerRow.objects.bulk_create(stored)
    session.ledger_count += len(stored)
    session.ledger_head = head
    session.phase = batch.view.phase or ""
    session.stage = batch.view.stage or ""
    session.save(update_fields=["ledger_count", "ledger_head", "phase", "stage", "updated_at"])
    # After the commit: a head that was never stored would look like a removed tail later.
    transaction.on_commit(partial(_log_head, session.public_id, session.ledger_count, head))


def _log_head(session_id: str, count: int, head: str) -> None:
    logger.info("ledger_append session=%s count=%d head=%s", session_id, count, head)


def _refuse_unstorable(row: Row) -> None:
    """NUL and half characters have no place in the database; floats none in a hash."""
    for value in _leaves(
        [row.subject, row.detail, row.rationale, row.author, row.widget, row.payload]
    ):
        if isinstance(value, str):
            clean_text(value, what="decision", max_chars=len(value), allow_empty=True)
        elif isinstance(value, float):
            message = f"A decision holds no floating point numbers ({row.type}, {row.subject})."
            raise Invalid("decision_float", message)


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from (leaf for pair in value.items() for item in pair for leaf in _leaves(item))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield from (leaf for item in value for leaf in _leaves(item))
    else:
        yield value


def closing(stage: str, *, auto: bool = False, reason: str = "", rationale: str = "") -> Decision:
    """The decision that closes a stage: the reviewer's, or the engine's own when `auto`."""
    return Decision(
        type="phase_auto_approved" if auto else "phase_approved",
        subject=f"stage:{stage}",
        detail=reason,
        rationale=rationale,
        payload={"reason": reason} if reason else {},
    )


def as_decision(row: Row, *, restored: bool = False) -> Decision:
    """A row as a decision to append again; `restored` notes in its payload where it comes from."""
    payload = dict(row.payload)
    if restored:
        payload["restored_from"] = row.seq
    return Decision(
        type=row.type,
        subject=row.subject,
        detail=row.detail,
        rationale=row.rationale,
        payload=payload,
    )
