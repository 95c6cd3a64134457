"""The rollback dialog: where one can go back to, and what that would undo, by name."""

from __future__ import annotations

from dataclasses import dataclass

from sessions_app import workflow
from sessions_app.models import Session, Widget
from sessions_app.pages.labels import phase_label, sentence
from sessions_app.rollback import Losses, rollback_losses
from sessions_app.rollback.targets import available
from sessions_app.types import Row


@dataclass(frozen=True, slots=True)
class Target:
    """`id` is `again`, `previous` or a phase id; `label` the phase it leads to."""

    id: str
    label: str
    phase: str


@dataclass(frozen=True, slots=True)
class LostLine:
    """A decision that will no longer count; `offered`: it can be kept afterwards."""

    text: str
    phase: str
    offered: bool


@dataclass(frozen=True, slots=True)
class GoingBack:
    """`losses` and `decisions` are those of `target`; without a target there are none."""

    session_id: str
    version: int
    targets: tuple[Target, ...]
    target: Target | None
    losses: Losses | None
    decisions: tuple[LostLine, ...]
    question: str

    @property
    def nothing_lost(self) -> bool:
        losses = self.losses
        return losses is None or not (
            self.decisions or losses.artifacts or losses.texts or losses.results
        )


def going_back(session: Session, target: str) -> GoingBack:
    """The dialog for a target, or (empty target) the choice of one.

    Raises: as `rollback_losses`.
    """
    labels = {phase.id: phase_label(phase) for phase in workflow.of(session).phases}
    offered = available(session)
    losses = rollback_losses(session, target) if target else None
    chosen = Target(target, labels[losses.phase], losses.phase) if losses else None
    return GoingBack(
        session_id=session.public_id,
        version=session.version,
        targets=tuple(Target(id_, labels[phase], phase) for id_, phase in offered.items()),
        target=chosen,
        losses=losses,
        decisions=_lost(losses, labels) if losses else (),
        question=_question_again(session, losses) if target == "again" else "",
    )


def _lost(losses: Losses, labels: dict[str, str]) -> tuple[LostLine, ...]:
    return tuple(
        LostLine(
            sentence(Row(item.seq, item.type, item.phase, "", item.subject, item.detail), labels),
            labels.get(item.phase, item.phase),
            item.offered,
        )
        for item in losses.decisions
    )


def _question_again(session: Session, losses: Losses | None) -> str:
    """The title of the question that would be asked again."""
    uids = losses.answers if losses else ()
    widget = Widget.objects.filter(session=session, uid__in=uids).order_by("-number").first()
    return str(widget.request.get("title", "")) if widget else ""
