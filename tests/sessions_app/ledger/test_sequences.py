"""Generated sequences of decisions, retractions, reopenings and closings against a naive model.

The model decides by the rules as the design words them, which code each step is refused with.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions_app import artifacts, ledger, verify, workflow
from sessions_app.errors import LedgerRefused
from sessions_app.models import Widget, WorkflowVersion
from sessions_app.types import Row
from tests.sessions_app.builders import (
    DATA,
    clarified,
    cte_approved,
    decide,
    linking_json,
    make_session,
    make_widget,
    plan_json,
    promoted,
    rewritten,
    sql_approved,
)
from tests.sessions_app.view.naive import naive_rows, naive_stage
from thoth.contracts.decisions import Decision

pytestmark = pytest.mark.django_db

DECISIONS = [
    clarified("ablazione"),
    rewritten(),
    promoted(),
    cte_approved("per_anno", "SELECT 1"),
    sql_approved("SELECT 2"),
    Decision(type="datamart_declined", subject="datamart"),
]
EMITTED_IN = {
    "concept_clarified": {"clarification", "memory"},
    "question_rewritten": {"rewriting"},
    "table_promoted": {"schema_linking"},
    "cte_approved": {"cte"},
    "sql_approved": {"final_sql"},
    "datamart_declined": {"closure"},
}
NEEDED = {  # all artifacts exist and match; so these decisions are all that closing needs
    "rewriting": "question_rewritten",
    "cte": "cte_approved",
    "final_sql": "sql_approved",
    "closure": "datamart_declined",
}
STEPS = st.one_of(
    # Weighted towards what moves forward, so that sequences get far.
    st.tuples(st.just("forward"), st.just(0)),
    st.tuples(st.just("forward"), st.just(1)),
    st.tuples(st.just("decide"), st.integers(0, len(DECISIONS) - 1)),
    st.tuples(st.just("close"), st.integers(0, 7)),
    st.tuples(st.just("retract"), st.integers(1, 30)),
    st.tuples(st.just("retract_last"), st.integers(0, 2)),
    st.tuples(st.just("reopen"), st.integers(0, 8)),
)


class Model:
    """What the ledger should do, by its own list of rows."""

    def __init__(self, flow):
        self.flow = flow
        self.rows: list[Row] = []
        self.last_widget = ""

    @property
    def stage(self):
        return naive_stage(self.flow, self.rows)

    def phase_of(self, stage):
        return next(p.id for p in self.flow.phases for s in p.stages if s.stage == stage)

    def refusal(self, decision):
        stage = self.stage
        if stage is None:
            return "session_finalised"
        check = {
            "phase_reopened": self._reopening,
            "decision_retracted": self._retraction,
            "phase_approved": self._closing,
        }.get(decision.type, self._ordinary)
        return check(decision, stage)

    def _reopening(self, decision, stage):
        order = [p.id for p in self.flow.phases]
        target = decision.subject.split(":")[1]
        if target not in order:
            return "reopening_unknown_phase"
        if order.index(target) > order.index(self.phase_of(stage)):
            return "reopening_later_phase"
        return None

    def _retraction(self, decision, stage):
        seq = int(decision.subject.split(":")[1])
        found = [row for row in naive_rows(self.flow, self.rows) if row.seq == seq]
        if not found:
            return "retraction_not_in_view"
        if found[0].type == "phase_approved":
            return "retraction_of_closing_row"
        if found[0].phase != self.phase_of(stage):
            return "retraction_other_phase"
        of_last = found[0].widget and found[0].widget == self.last_widget
        return None if of_last else "retraction_not_last_widget"

    def _closing(self, decision, stage):
        name = decision.subject.split(":")[1]
        view = naive_rows(self.flow, self.rows)
        if any(row.subject == decision.subject for row in view):
            return "stage_already_closed"
        if name != stage:
            return "stage_not_current"
        types = {row.type for row in view}
        names = NEEDED if name == "closure" else {name}
        missing = any(NEEDED[n] not in types for n in names if n in NEEDED)
        return "prerequisites_not_met" if missing else None

    def _ordinary(self, decision, stage):
        here = next(p for p in self.flow.phases if any(s.stage == stage for s in p.stages))
        stages = {s.stage for s in here.stages}
        return None if EMITTED_IN[decision.type] & stages else "decision_not_allowed_here"

    def take(self, decision, widget):
        last = self.rows[-1] if self.rows else None
        if decision.type == "phase_reopened":
            if last and (last.type, last.subject) == ("phase_reopened", decision.subject):
                return
            phase = decision.subject.split(":")[1]
        else:
            phase = self.phase_of(self.stage)
        seq = len(self.rows) + 1
        self.rows.append(Row(seq, decision.type, phase, "", decision.subject, widget=widget))


def chosen(model: Model, kind: str, number: int) -> Decision:
    stages = [s.stage for p in model.flow.phases for s in p.stages]
    if kind == "forward":
        stage = model.stage or "closure"
        emitted = [d for d in DECISIONS if stage in EMITTED_IN[d.type]]
        return emitted[0] if number == 0 and emitted else ledger.closing(stage)
    if kind == "decide":
        return DECISIONS[number]
    if kind == "close":
        return ledger.closing(stages[number])
    if kind == "reopen":
        return Decision(type="phase_reopened", subject=f"phase:F{number + 1}")
    seq = number if kind == "retract" else max(1, len(model.rows) - number)
    return Decision(type="decision_retracted", subject=f"seq:{seq}")


def prepared(flow):
    """A session of this workflow for which every document that closing needs exists."""
    version, _ = WorkflowVersion.objects.get_or_create(
        version=flow.version,
        defaults={"sha256": flow.sha256, "yaml": FILES[flow.version].read_text()},
    )
    session = make_session(workflow=version)
    artifacts.put(session, "schema_linking.json", linking_json(), stage="synthesis")
    artifacts.put(session, "cte_plan.json", plan_json("per_anno"), stage="cte")
    artifacts.put(session, "ctes/per_anno.sql", "SELECT 1", stage="cte")
    return session


FIVE_FILE = DATA / "workflow" / "five_phases.yaml"
FILES = {workflow.load(f).version: f for f in (workflow.DEFAULT_FILE, FIVE_FILE)}


@pytest.mark.parametrize("file", FILES.values(), ids=["eight", "five"])
@given(steps=st.lists(st.tuples(STEPS, st.booleans()), max_size=30))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_ledger_agrees_with_a_naive_model(file, steps):
    flow = workflow.load(file)
    session, model = prepared(flow), Model(flow)
    for (kind, number), by_widget in steps:
        decision = chosen(model, kind, number)
        expected = model.refusal(decision)
        if expected is None:
            widget = make_widget(session, status="answered").uid if by_widget else ""
            # A retraction is of the last answer before this one, so it comes without a widget.
            if by_widget and decision.type in ("decision_retracted", "phase_reopened"):
                Widget.objects.filter(session=session, uid=widget).update(status="undone")
                widget = ""
            model.take(decision, widget)
            model.last_widget = widget or model.last_widget
            decide(session, decision, widget=widget)
        else:
            with pytest.raises(LedgerRefused) as caught:
                decide(session, decision)
            assert caught.value.code == expected
        assert session.stage == (model.stage or "")
    stored = ledger.rows(session)
    assert [(r.seq, r.type, r.phase, r.subject, r.widget) for r in stored] == [
        (r.seq, r.type, r.phase, r.subject, r.widget) for r in model.rows
    ]
    assert [r.seq for r in ledger.view(session).rows] == [
        r.seq for r in naive_rows(flow, model.rows)
    ]
    assert verify.verify(session) == []
