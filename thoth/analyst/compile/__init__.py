"""From an approved intent and the decided slice to SQL: pure, deterministic, nothing guessed."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from thoth.analyst.compile import names
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.once import STEP, OnceBuilder
from thoth.analyst.compile.query import QueryBuilder
from thoth.analyst.compile.serving import Serving
from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Table
from thoth.contracts.steps import Cannot, CteDraft
from thoth.contracts.task import DecidedSlice

__all__ = ["CompiledQuery", "compile_query"]

_RANKED = "ranked"


@dataclass(frozen=True)
class CompiledQuery:
    """`sql` is the whole query; `ctes` are its named steps, whose bodies occur in it unchanged."""

    sql: str
    ctes: tuple[CteDraft, ...] = ()


def compile_query(
    intent: QueryIntent, decided: DecidedSlice, tables: tuple[Table, ...]
) -> CompiledQuery | Cannot:
    """The query that the reviewer's decisions amount to, or what is missing for it.

    `tables` describe at least every decided table. Codes of `Cannot`: `unserved`, `unconnected`,
    `ambiguous_join`, `fan_out`, `ungrounded_value`, `value_absent`, `bad_value`, `bad_filter`,
    `bad_formula`, `bad_intent`, `bad_join`, `measure_type`, `grain_type`, `period_grain`, `period_type`,
    `mixed_measures`, `condition_spans`, `exists_self`, `order_not_shown`, `no_key`, `no_population`,
    `unknown_table`, `unknown_column`.
    """
    serving = Serving(decided, tables)
    try:
        return _compiled(intent, serving)
    except UncompilableError as error:
        return Cannot(code=error.code, message=error.message, words=error.words)


def _compiled(intent: QueryIntent, serving: Serving) -> CompiledQuery:
    try:
        builder = QueryBuilder(intent, serving)
    except UncompilableError as error:
        if error.code != "fan_out" or intent.limit_per:
            raise
        return _each_row_once(OnceBuilder(intent, serving))
    return _top_per_group(builder) if intent.limit_per else CompiledQuery(_text(_whole(builder)))


def _whole(builder: QueryBuilder) -> exp.Select:
    query = builder.body()
    order = builder.order()
    if order:
        query = query.order_by(*order)
    return query if builder.intent.limit is None else query.limit(builder.intent.limit)


def _each_row_once(builder: OnceBuilder) -> CompiledQuery:
    """Rows that joins repeat are listed once in one step, and added up in the next."""
    step = builder.step()
    comments = {projection.alias: "" for projection in step.expressions}
    purpose = "Lists each row once per group, so that no total counts it again."
    draft = CteDraft(name=STEP, purpose=purpose, sql=_text(step), columns=comments)
    return CompiledQuery(_with(draft, _whole(builder)), (draft,))


def _top_per_group(builder: QueryBuilder) -> CompiledQuery:
    """Rows numbered within each group in one step, cut in the next."""
    intent = builder.intent
    if intent.limit is None or not intent.order:
        raise UncompilableError("bad_intent", "The best of each group needs an order and a number.")
    rank = names.unique_labels([*(item.label for item in builder.items), "rank_in_group"])[-1]
    window = exp.Window(
        this=exp.RowNumber(),
        partition_by=builder.dimension(intent.limit_per or ""),
        order=exp.Order(expressions=builder.window_order()),
    )
    body = builder.body()
    if intent.distinct and not builder.grouped:
        raise UncompilableError(
            "bad_intent", "The best of each group cannot be asked without repetitions."
        )
    body = body.select(exp.alias_(window, names.identifier(rank)))
    outer = exp.select(*(exp.Column(this=names.identifier(item.label)) for item in builder.items))
    within = exp.LTE(
        this=exp.Column(this=names.identifier(rank)), expression=exp.Literal.number(intent.limit)
    )
    groups = [item for item in builder.items if item.of == intent.limit_per]
    keys = [
        exp.Column(this=names.identifier(label)) for label in [*(g.label for g in groups), rank]
    ]
    outer = outer.from_(exp.to_table(_RANKED)).where(within).order_by(*keys)
    comments = {item.label: "" for item in builder.items} | {rank: "position within its group"}
    draft = CteDraft(
        name=_RANKED,
        purpose="Numbers the rows within each group.",
        sql=_text(body),
        columns=comments,
    )
    return CompiledQuery(_with(draft, outer), (draft,))


def _with(draft: CteDraft, outer: exp.Select) -> str:
    """`WITH` around the very text of the step, so that what was reviewed is what runs."""
    indented = "\n".join("  " + line for line in draft.sql.splitlines())
    return f"WITH {draft.name} AS (\n{indented}\n)\n{_text(outer)}"


def _text(query: exp.Expr) -> str:
    return query.sql(dialect="postgres", pretty=True)
