"""The task document on a large catalog after thousands of decisions: time and tokens.

    python benchmarks/taskdoc.py
    python benchmarks/taskdoc.py --tables 2000 --decisions 10000

A model gets one document per step: at most 20 000 tokens, of which the prior decisions 5 000, counted
as ceil(UTF-8 bytes / 3). What is measured is what the engine does for a step: read the session from
PostgreSQL, fold its ledger, and fit the document; the catalog is synthetic and cached as in a worker.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.builders import clarifications, closed, decide, session_new
from benchmarks.catalogs import SCHEMA, catalog_of
from benchmarks.harness import installation
from benchmarks.timing import machine, met, table, timed

if TYPE_CHECKING:
    from sessions_app.models import Session
    from sessions_app.phases.base import StageContext
    from thoth.contracts.decisions import Decision
    from thoth.contracts.steps import StepName
    from thoth.contracts.task import TaskDocument
    from thoth.contracts.tools import EvidenceHit

WORKSPACE = "bench"
_PROMOTED = 12
_EVIDENCE = 20
STEPS: tuple[tuple[str, StepName], ...] = (
    ("clarification", "clarify"),
    ("schema_linking", "link_schema"),
    ("cte", "plan_ctes"),
    ("final_sql", "final_sql"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=600)
    parser.add_argument("--decisions", type=int, default=2_000)
    parser.add_argument("--repeat", type=int, default=20)
    arguments = parser.parse_args()
    with installation():
        _store_catalog(arguments.tables)
        print(machine())
        print(report(arguments.tables, arguments.decisions, arguments.repeat))
    return 0


def report(tables: int, decisions: int, repeat: int) -> str:
    """A row per step, on a session that has walked there and decided so much on the way."""
    lines = [_step(stage, step, tables, decisions, repeat) for stage, step in STEPS]
    header = (
        f"{tables} tables", "decisions", "read ms", "CPU ms", "read + build ms", "p95 ms", "tokens", "of them brief",
        "budgets",
    )  # fmt: skip
    return table(header, lines)


def _step(
    stage: str, step: StepName, tables: int, decisions: int, repeat: int
) -> tuple[object, ...]:
    from sessions_app import taskdoc
    from sessions_app.engine.context import stage_context
    from sessions_app.phases.base import Ask
    from thoth.lib.limits import BRIEF_MAX_TOKENS, TASK_MAX_TOKENS

    session = _walked(stage, tables, decisions)
    context = _context(session)
    hits = _hits()
    read = timed(lambda: stage_context(session), repeat=repeat)
    built = timed(
        lambda: taskdoc.task_document(_context(session), Ask(step), evidence=hits), repeat=repeat
    )
    document = taskdoc.task_document(context, Ask(step), evidence=hits)
    total, brief = taskdoc.tokens(taskdoc.render(document)), _brief_tokens(document)
    return (
        step,
        len(context.view.decisions),
        f"{read.median_ms:.0f}",
        f"{built.cpu_median_ms:.0f}",
        f"{built.median_ms:.0f}",
        f"{built.p95_ms:.0f}",
        total,
        brief,
        met(holds=total <= TASK_MAX_TOKENS and brief <= BRIEF_MAX_TOKENS),
    )


def _context(session: Session) -> StageContext:
    from sessions_app.engine.context import stage_context

    context = stage_context(session)
    assert context is not None
    return context


def _brief_tokens(document: TaskDocument) -> int:
    from sessions_app import taskdoc
    from thoth.lib.text import canonical_json

    return taskdoc.tokens(
        canonical_json([decision.model_dump(mode="json") for decision in document.decisions])
    )


def _walked(stage: str, tables: int, decisions: int) -> Session:
    """A session at this stage with so many effective decisions."""
    session = session_new(WORKSPACE, "Quante ablazioni transcatetere per anno?")
    if stage == "clarification":
        decide(session, clarifications(decisions))
        return session
    linking = _linking(tables)
    decide(session, [*clarifications(decisions - len(linking) - 1), *closed("clarification")])
    decide(session, [*closed("memory"), _rewritten()])
    decide(session, [*closed("rewriting"), *linking])
    if stage == "schema_linking":
        return session
    decide(session, closed("schema_linking"))
    _linking_file(session)
    decide(session, closed("synthesis"))
    if stage == "final_sql":
        decide(session, [_no_steps(), *closed("cte")])
    return session


def _linking_file(session: Session) -> None:
    """The document without which the synthesis may not close."""
    from sessions_app import artifacts
    from sessions_app.documents import Candidate, SchemaLinking
    from thoth.contracts.decisions import TablePromoted

    candidate = Candidate(table=f"{SCHEMA}.t1", decision=TablePromoted())
    text = SchemaLinking(candidates=(candidate,)).model_dump_json()
    artifacts.put(session, "schema_linking.json", text, stage="synthesis")


def _no_steps() -> Decision:
    from thoth.contracts.decisions import Decision

    return Decision(type="phase_skipped", subject="phase:F6", payload={"reason": "straight to SQL"})


def _rewritten() -> Decision:
    from thoth.contracts.decisions import Decision

    intent = {
        "population": "ablazioni",
        "measures": [{"id": "m1", "label": "numero", "agg": "count", "of": "*"}],
        "dimensions": [{"id": "d1", "label": "anno", "of": "data", "grain": "year"}],
        "filters": [{"id": "f1", "subject": "tipo", "op": "=", "values": ["transcatetere"]}],
        "output": [{"id": "o1", "label": "anno", "of": "d1"}, {"id": "o2", "label": "n", "of": "m1"}],
    }  # fmt: skip
    payload: dict[str, object] = {"text": "Ablazioni transcatetere per anno", "intent": intent}
    return Decision(type="question_rewritten", subject="question", payload=payload)


def _linking(tables: int) -> list[Decision]:
    """A dozen tables with columns, joins, values and formulas; all other tables struck out."""
    from thoth.contracts.decisions import Decision

    made: list[Decision] = []
    for number in range(1, _PROMOTED + 1):
        name = f"{SCHEMA}.t{number}"
        made.append(Decision(type="table_promoted", subject=name, payload={"serves": ["m1"]}))
        made += [
            Decision(type="column_promoted", subject=f"{name}.{column}", payload={"role": "output"})
            for column in ("id", "a1", "b1", "c1")
        ]
        made.append(_grounding(name, number))
    made += [_join(number) for number in range(1, _PROMOTED)]
    made += [_formula(number) for number in range(1, 5)]
    made += [
        Decision(
            type="table_excluded", subject=f"{SCHEMA}.t{n}", payload={"why": "Not about ablations."}
        )
        for n in range(_PROMOTED + 1, tables + 1)
    ]
    return made


def _grounding(table_name: str, number: int) -> Decision:
    from thoth.contracts.decisions import Decision

    hit = {"column": f"{table_name}.a1", "value": f"valore {number}", "op": "=", "score": "0.97"}
    payload: dict[str, object] = {"groundings": [hit], "serves": ["f1"]}
    return Decision(type="value_grounded", subject=f"valore {number}", payload=payload)


def _join(number: int) -> Decision:
    from thoth.contracts.decisions import Decision

    following = number + 1
    sides = sorted((f"{SCHEMA}.t{number}.t{following}_id", f"{SCHEMA}.t{following}.id"))
    return Decision(type="join_approved", subject="=".join(sides), payload={"kind": "inner"})


def _formula(number: int) -> Decision:
    from thoth.contracts.decisions import Decision

    column = f"{SCHEMA}.t{number}.b1"
    payload: dict[str, object] = {"sql": f"avg({column})", "columns": [column], "serves": ["m1"]}
    return Decision(type="concept_formula_approved", subject=f"formula {number}", payload=payload)


def _hits() -> list[EvidenceHit]:
    """Evidence of a few hundred words each: more of it than the document can take."""
    from thoth.contracts.tools import EvidenceHit

    text = "La data della procedura è quella del referto, non quella della richiesta. " * 40
    return [
        EvidenceHit(id=f"evidence:e{n}", kind="glossary", score=1 / n, excerpts=(text,))
        for n in range(1, _EVIDENCE + 1)
    ]


def _store_catalog(tables: int) -> None:
    """A workspace whose warehouse is never asked: its catalog is in the database already."""
    from thoth.lib.clock import now
    from thoth.warehouse.catalog_models import WarehouseCatalog
    from thoth.workspaces.facade import workspace_write

    catalog = catalog_of(tables)
    identifying = [
        f"{t.full_name}.{c.name}" for t in catalog.tables for c in t.columns if c.identifying
    ]
    workspace_write(
        document={
            "schema_version": 1,
            "name": WORKSPACE,
            "language": "it",
            "database": {"type": "postgresql", "dsn": "postgresql://n@127.0.0.1:9/n", "schemas": ["dw"]},
            "columns": {"identifying": identifying},
        }
    )  # fmt: skip
    WarehouseCatalog.objects.create(
        workspace=WORKSPACE,
        version=catalog.version,
        content=catalog.model_dump(mode="json"),
        read_at=now(),
    )


if __name__ == "__main__":
    raise SystemExit(main())
