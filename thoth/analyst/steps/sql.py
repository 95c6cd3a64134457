"""F6 and F7: the steps and the final SQL, compiled from approved decisions alone."""

from __future__ import annotations

from thoth.analyst.compile import CompiledQuery, compile_query
from thoth.analyst.messages import cannot
from thoth.contracts.schema import Table
from thoth.contracts.steps import (
    Cannot,
    CtePlanProposal,
    CteRewriteProposal,
    FinalSqlProposal,
    TextReading,
)
from thoth.contracts.task import TaskDocument
from thoth.runtime.port import Toolbox


def plan(task: TaskDocument, tools: Toolbox) -> CtePlanProposal:
    addressed, unclear = _texts(task)
    compiled = unclear or compiled_query(task, tools)
    if isinstance(compiled, Cannot):
        return CtePlanProposal(addressed=addressed, cannot=compiled)
    return CtePlanProposal(ctes=compiled.ctes)


def rewrite_cte(task: TaskDocument, tools: Toolbox) -> CteRewriteProposal:
    """The analyst writes a step in one way only: a rejected one is a question back, never a repeat."""
    addressed, unclear = _texts(task)
    if unclear is not None or task.rejected:
        problem = unclear or cannot("nothing_new", task.language)
        return CteRewriteProposal(addressed=addressed, cannot=problem)
    compiled = compiled_query(task, tools)
    if isinstance(compiled, Cannot):
        return CteRewriteProposal(cannot=compiled)
    draft = next((c for c in compiled.ctes if c.name == task.rewrite_target), None)
    if draft is None:
        return CteRewriteProposal(cannot=cannot("nothing_new", task.language))
    return CteRewriteProposal(cte=draft)


def final(task: TaskDocument, tools: Toolbox) -> FinalSqlProposal:
    addressed, unclear = _texts(task)
    if unclear is not None or task.rejected:
        problem = unclear or cannot("nothing_new", task.language)
        return FinalSqlProposal(addressed=addressed, cannot=problem)
    compiled = compiled_query(task, tools)
    if isinstance(compiled, Cannot):
        return FinalSqlProposal(cannot=compiled)
    return FinalSqlProposal(sql=compiled.sql, explanation=_explanation(task))


def compiled_query(task: TaskDocument, tools: Toolbox) -> CompiledQuery | Cannot:
    """The query of the approved intent over the decided slice."""
    if task.intent is None:
        return cannot("unsupported_construct", task.language)
    return compile_query(task.intent, task.decided, described(task, tools))


def described(task: TaskDocument, tools: Toolbox) -> tuple[Table, ...]:
    """Descriptions of all decided tables, eight at a time, less where a slice has no room."""
    names = sorted({*task.decided.tables, *(c.rpartition(".")[0] for c in task.decided.columns)})
    waiting = [names[i : i + 8] for i in range(0, len(names), 8)]
    tables: list[Table] = []
    while waiting:
        asked = waiting.pop(0)
        part = tools.render_schema(tuple(asked))
        tables += part.tables
        if part.tables and part.omitted:
            waiting.append([name for name in asked if name in part.omitted])
    return tuple(tables)


def _texts(task: TaskDocument) -> tuple[tuple[TextReading, ...], Cannot | None]:
    """Decisions alone make the SQL: a text here means that a decision must change first."""
    if not task.texts:
        return (), None
    problem = cannot("text_not_understood", task.language, tuple(t.text for t in task.texts))
    go_back = (
        "Per cambiare questo, torna alla fase in cui è stato deciso."
        if task.language == "it"
        else "To change this, go back to the phase in which it was decided."
    )
    problem = problem.model_copy(update={"message": f"{problem.message} {go_back}"})
    return tuple(TextReading(text_id=t.id, reading=problem.message) for t in task.texts), problem


def _explanation(task: TaskDocument) -> str:
    intent = task.intent
    assert intent is not None  # noqa: S101 - compiled from it
    parts = [o.label for o in intent.output] or [intent.population]
    return ", ".join(parts)
