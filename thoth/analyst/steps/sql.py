"""F6 and F7: the steps and the final SQL, compiled from approved decisions alone."""

from __future__ import annotations

from thoth.analyst.compile import CompiledQuery, compile_query
from thoth.analyst.messages import cannot
from thoth.analyst.steps.base import Work
from thoth.analyst.wording import in_words
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


def plan(work: Work) -> CtePlanProposal:
    """The steps that the compiled query has; mostly none."""
    task = work.task
    addressed, unclear = _texts(task)
    compiled = unclear or compiled_query(work)
    if isinstance(compiled, Cannot):
        return CtePlanProposal(addressed=addressed, cannot=compiled)
    return CtePlanProposal(ctes=compiled.ctes)


def rewrite_cte(work: Work) -> CteRewriteProposal:
    """The analyst writes a step in one way only: a rejected one is a question back, never a repeat."""
    task = work.task
    addressed, unclear = _texts(task)
    if unclear is not None or task.rejected:
        problem = unclear or cannot("nothing_new", task.language)
        return CteRewriteProposal(addressed=addressed, cannot=problem)
    compiled = compiled_query(work)
    if isinstance(compiled, Cannot):
        return CteRewriteProposal(cannot=compiled)
    draft = next((c for c in compiled.ctes if c.name == task.rewrite_target), None)
    current = next((c for c in task.ctes if c.name == task.rewrite_target), None)
    if draft is None or (current is not None and current.sql == draft.sql):
        return CteRewriteProposal(cannot=cannot("nothing_new", task.language))
    return CteRewriteProposal(cte=draft)


def final(work: Work) -> FinalSqlProposal:
    """The query of the decisions; there is only one, so that a rejected one is a question back."""
    task = work.task
    addressed, unclear = _texts(task)
    if unclear is not None or task.rejected:
        problem = unclear or cannot("nothing_new", task.language)
        return FinalSqlProposal(addressed=addressed, cannot=problem)
    compiled = compiled_query(work)
    if isinstance(compiled, Cannot):
        return FinalSqlProposal(cannot=compiled)
    explanation = in_words(task.intent, task.language) if task.intent else ""
    return FinalSqlProposal(sql=compiled.sql, explanation=explanation)


def compiled_query(work: Work) -> CompiledQuery | Cannot:
    """The query of the approved intent over the decided slice."""
    task = work.task
    if task.intent is None:
        return cannot("unsupported_construct", task.language)
    return compile_query(task.intent, task.decided, described(task, work.tools))


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
