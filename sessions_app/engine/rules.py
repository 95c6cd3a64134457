"""What the gate demands of every proposal, whatever its step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from sessions_app.phases.base import Answered, ProposalRefused
from thoth.contracts.steps import Proposal
from thoth.contracts.task import RejectedProposal, TaskDocument
from thoth.lib.text import canonical_json


def check_proposal(task: TaskDocument, proposal: Proposal) -> None:
    """The proposal takes up every open text and is not what was rejected.

    Raises: ProposalRefused `text_unaddressed`, `text_unknown`, `text_reading_empty`,
    `unchanged_after_text`.
    """
    shown = {text.id for text in task.texts}
    addressed = {reading.text_id for reading in proposal.addressed}
    if shown - addressed:
        missing = ", ".join(sorted(shown - addressed))
        raise ProposalRefused(
            "text_unaddressed", f"The reviewer's words are not taken up: {missing}."
        )
    if addressed - shown:
        unknown = ", ".join(sorted(addressed - shown))
        raise ProposalRefused("text_unknown", f"There are no such open texts: {unknown}.")
    if any(not reading.reading.strip() for reading in proposal.addressed):
        raise ProposalRefused("text_reading_empty", "Say how each text was understood.")
    if proposal_hash(proposal.model_dump(mode="json")) in {r.sha256 for r in task.rejected}:
        message = "The proposal is the one that the reviewer has just refused."
        raise ProposalRefused("unchanged_after_text", message)


def proposal_hash(proposal: Mapping[str, object]) -> str:
    """Hex sha256 of what is proposed; how texts were understood does not make it another one."""
    content = {key: value for key, value in proposal.items() if key != "addressed"}
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


def rejected_proposals(
    history: Iterable[Answered], step: str, extra: Iterable[Mapping[str, object]] = ()
) -> tuple[RejectedProposal, ...]:
    """Proposals of this step that were answered in words since the last one that was decided on.

    `extra` are proposals whose widget was taken back by "not what I meant" or by steering.
    """
    found: dict[str, RejectedProposal] = {}
    for answered in history:
        if answered.activity != step or answered.proposal is None:
            continue
        if not _in_words(answered):
            found.clear()
            continue
        key = proposal_hash(answered.proposal)
        found[key] = RejectedProposal(sha256=key, summary=answered.request.title)
    for proposal in extra:
        key = proposal_hash(proposal)
        found[key] = RejectedProposal(sha256=key, summary="")
    return tuple(found.values())


def _in_words(answered: Answered) -> bool:
    """Was the answer a text: Other, a rejection, "look further", "say it in other words"?"""
    if answered.control == "other":
        return True
    chosen = set(answered.chosen)
    return any(
        option.id in chosen
        and option.opens
        and option.opens.widget == "freetext"
        and not option.opens.into
        for option in answered.request.options
    )
