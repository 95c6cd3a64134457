"""The effective view written down as slowly and literally as the rules read."""

from __future__ import annotations

from sessions_app.types import Row
from sessions_app.workflow import Workflow


def naive_rows(flow: Workflow, rows: list[Row]) -> list[Row]:
    """Row by row: does anything later take it away?"""
    order = [phase.id for phase in flow.phases]
    survivors = []
    for i, row in enumerate(rows):
        if row.type in ("phase_reopened", "decision_retracted"):
            continue
        for later in rows[i + 1 :]:
            if later.type == "decision_retracted" and later.subject == f"seq:{row.seq}":
                break
            if later.type == "phase_reopened" and order.index(row.phase) >= order.index(
                later.subject.split(":")[1]
            ):
                break
        else:
            survivors.append(row)
    return survivors


def naive_stage(flow: Workflow, rows: list[Row]) -> str | None:
    closed = [
        row.subject.split(":")[1]
        for row in naive_rows(flow, rows)
        if row.type in ("phase_approved", "phase_auto_approved")
    ]
    for phase in flow.phases:
        for stage in phase.stages:
            if stage.stage not in closed:
                return stage.stage
    return None
