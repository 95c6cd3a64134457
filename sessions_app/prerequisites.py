"""What must hold before a stage closes; the same function decides on finalisation."""

from __future__ import annotations

from dataclasses import dataclass, field

from sessions_app import documents
from sessions_app.models import Artifact, Session
from sessions_app.view import EffectiveView
from sessions_app.workflow import Prerequisite

PLAN = "cte_plan.json"


@dataclass(frozen=True)
class Facts:
    """What prerequisites need beside the view: texts of the JSON artifacts, hashes of all."""

    texts: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)


def facts_of(session: Session) -> Facts:
    """The session's live artifacts (two queries)."""
    artifacts = Artifact.objects.filter(session=session)
    hashes = dict(artifacts.values_list("name", "content_id"))
    documents_ = artifacts.filter(name__endswith=".json")
    return Facts(texts=dict(documents_.values_list("name", "content__text")), hashes=hashes)


def unmet(view: EffectiveView, facts: Facts, stage: str | None = None) -> list[str]:
    """The prerequisites of `stage` (of all stages when None) that do not hold, in words."""
    names = view.workflow.stages if stage is None else (stage,)
    return [
        f"{name}: {prerequisite}"
        for name in names
        for prerequisite in view.workflow.stage(name).prerequisites
        if not holds(prerequisite, view, facts)
    ]


def holds(prerequisite: Prerequisite, view: EffectiveView, facts: Facts) -> bool:
    """Does one prerequisite hold?"""
    if prerequisite.any is not None:
        return any(holds(item, view, facts) for item in prerequisite.any)
    if prerequisite.decision_exists is not None:
        return view.latest(prerequisite.decision_exists) is not None
    if prerequisite.decision_subject_exists is not None:
        kind, subject = prerequisite.decision_subject_exists
        return view.latest(kind, subject=subject) is not None
    if prerequisite.artifact_validates is not None:
        name, document = prerequisite.artifact_validates
        return name in facts.texts and documents.problem(document, facts.texts[name]) is None
    return all_ctes_approved(view, facts)


def all_ctes_approved(view: EffectiveView, facts: Facts) -> bool:
    """Is every CTE of the plan approved, in the text that its file has? True for an empty plan.

    Without a plan the answer is no: nobody has said yet that no steps are needed.
    """
    names = planned_ctes(facts)
    if names is None:
        return False
    last = view.latest_by_subject("cte_approved", "cte_rejected")
    return all(
        name in last
        and last[name].type == "cte_approved"
        and facts.hashes.get(f"ctes/{name}.sql") == last[name].payload["sha256"]
        for name in names
    )


def planned_ctes(facts: Facts) -> tuple[str, ...] | None:
    """Names of the plan's CTEs in order; None without a readable plan."""
    text = facts.texts.get(PLAN)
    if text is None or documents.problem("CtePlan", text) is not None:
        return None
    plan = documents.CtePlan.model_validate_json(text)
    return tuple(cte.name for cte in plan.ctes)
