"""What a rollback would cost, by name, before the reviewer confirms it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django.db.models import Q, QuerySet

from sessions_app.models import Artifact, FreeText, Receipt, ResultFile, Session, Widget
from sessions_app.rollback.targets import Scope, resolve
from sessions_app.types import Row
from sessions_app.view import closed_stage


@dataclass(frozen=True, slots=True)
class LostDecision:
    """`offered`: "Keep these answers" will offer it again."""

    seq: int
    type: str
    phase: str
    subject: str
    detail: str
    offered: bool


@dataclass(frozen=True, slots=True)
class LostText:
    uid: str
    text: str


@dataclass(frozen=True, slots=True)
class Losses:
    """Everything that a rollback to `phase` undoes. Nothing of it leaves the ledger."""

    phase: str
    decisions: tuple[LostDecision, ...]
    artifacts: tuple[str, ...]
    texts: tuple[LostText, ...]
    answers: tuple[str, ...]  # ids of widgets whose answers are undone
    pending: str | None  # the widget that is superseded
    memory: tuple[str, ...]  # ids of Memory items that are retired
    receipts: int
    results: int

    def as_dict(self) -> dict[str, object]:
        """JSON-serialisable."""
        return asdict(self)


def rollback_losses(session: Session, target: str) -> Losses:
    """What `rollback(target)` would undo now; changes nothing.

    Raises: as `rollback`.
    """
    return losses_of(session, resolve(session, target))


def losses_of(session: Session, scope: Scope) -> Losses:
    """The losses of a resolved rollback."""
    pending = Widget.objects.filter(session=session, status=Widget.Status.PENDING)
    return Losses(
        phase=scope.phase,
        decisions=tuple(_lost(row, scope) for row in scope.removed if not closed_stage(row)),
        artifacts=tuple(artifacts(session, scope).values_list("name", flat=True)),
        texts=tuple(LostText(*pair) for pair in texts(session, scope).values_list("uid", "text")),
        answers=tuple(answers(session, scope).values_list("uid", flat=True)),
        pending=pending.values_list("uid", flat=True).first(),
        memory=promoted_memory(scope),
        receipts=receipts(session, scope).count(),
        results=results(session, scope).count(),
    )


def artifacts(session: Session, scope: Scope) -> QuerySet[Artifact]:
    """Documents of the phases, or those that the widget's answer or anything later produced."""
    mine = Artifact.objects.filter(session=session).order_by("name")
    if scope.widget is None:
        return mine.filter(phase__in=scope.phases)
    number, answered_at = scope.widget.number, scope.widget.answered_at
    later = Widget.objects.filter(session=session, number__gte=number)
    uids = later.values("uid")
    # Some documents come with no widget, from a step that ran after the answer.
    return mine.filter(Q(widget__in=uids) | Q(widget="", created_at__gte=answered_at))


def texts(session: Session, scope: Scope) -> QuerySet[FreeText]:
    """Texts that are dropped: of the phases, or those that came with the widget's answer."""
    live = (FreeText.Status.OPEN, FreeText.Status.ADDRESSED)
    mine = FreeText.objects.filter(session=session, status__in=live).order_by("number")
    if scope.widget is not None:
        return mine.filter(widget=scope.widget)
    mine = mine.filter(phase__in=scope.phases)
    # Reopened twice with nothing in between: what was said with the first time still holds.
    return mine.exclude(kind=FreeText.Kind.ROLLBACK) if scope.repeats else mine


def answers(session: Session, scope: Scope) -> QuerySet[Widget]:
    """Answered widgets whose answers are undone."""
    mine = Widget.objects.filter(session=session, status=Widget.Status.ANSWERED)
    if scope.widget is not None:
        return mine.filter(pk=scope.widget.pk)
    return mine.filter(phase__in=scope.phases).order_by("number")


def receipts(session: Session, scope: Scope) -> QuerySet[Receipt]:
    """Evidence receipts of the phases; answering again keeps them."""
    return Receipt.objects.filter(session=session, phase__in=scope.phases)


def results(session: Session, scope: Scope) -> QuerySet[ResultFile]:
    """Files with results of what is undone."""
    phases = scope.phases or (scope.phase,)
    return ResultFile.objects.filter(session=session, phase__in=phases)


def promoted_memory(scope: Scope) -> tuple[str, ...]:
    """Memory items whose promotion leaves the view."""
    return tuple(
        str(row.payload["memory_id"]) for row in scope.removed if row.type == "memory_promoted"
    )


def _lost(row: Row, scope: Scope) -> LostDecision:
    offered = scope.widget is None and row.phase == scope.phase
    return LostDecision(row.seq, row.type, row.phase, row.subject, row.detail, offered)
