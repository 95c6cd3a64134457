"""One SELECT for one intent."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from thoth.analyst.compile import comparisons, names
from thoth.analyst.compile.aggregates import Aggregates, Source, source_of
from thoth.analyst.compile.conditions import Condition, Group, all_of
from thoth.analyst.compile.dimensions import Part, parts_of
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.filters import FilterConditions
from thoth.analyst.compile.joins import JoinGraph
from thoth.analyst.compile.plan import Plan
from thoth.analyst.compile.population import population_of
from thoth.analyst.compile.serving import Serving
from thoth.contracts.intent import Filter, Measure, Order, Output, QueryIntent
from thoth.contracts.schema import Column


@dataclass(frozen=True)
class Item:
    """One column of the result: `of` is the id it shows."""

    of: str
    label: str
    expression: exp.Expr

    def selected(self) -> exp.Expr:
        return exp.alias_(self.expression.copy(), names.identifier(self.label))


class QueryBuilder:
    """Resolves an intent against the decided slice, then writes its parts."""

    def __init__(self, intent: QueryIntent, serving: Serving) -> None:
        self.intent = intent
        self._conditions = FilterConditions(intent, serving)
        self.parts = {d.id: parts_of(d, serving) for d in intent.dimensions}
        rows = self._conditions.rows()
        sources = {m.id: source_of(m, serving, None) for m in intent.measures if not m.numerator}
        when = [c for m in intent.measures for c in self._conditions.when(m.when)]
        self.root = population_of(serving, self.parts, sources, rows)
        self.serving = serving
        self.plan = self._make_plan(serving, sources, rows, when)
        self.scope = self.plan.scope()
        self._rows = rows
        self.aggregates = Aggregates(intent, serving, self.plan, self.scope, self._conditions)
        self.grouped = any(_is_aggregate(m, sources.get(m.id)) for m in intent.measures)
        self.items = self._make_items()

    def _make_plan(
        self,
        serving: Serving,
        sources: dict[str, Source],
        rows: list[Condition],
        when: list[Condition],
    ) -> Plan:
        shown = {t for parts in self.parts.values() for part in parts for t in part.tables}
        shown |= {t for source in sources.values() for t in source.tables}
        asked = {t for condition in (*rows, *when) for t in condition.tables}
        graph = JoinGraph(serving.decided.joins, serving.catalog)
        plan = Plan(serving, graph, self.root, frozenset(shown | asked | {self.root}))
        plan.join(shown)
        for condition in rows:
            plan.admit(condition, keep_rows=isinstance(condition, Group))
        for condition in when:
            plan.admit(condition, keep_rows=True)
        return plan

    # ---- columns of the result

    def _make_items(self) -> list[Item]:
        outputs = self.intent.output or self._default_outputs()
        raw = [item for output in outputs for item in self._items_of(output)]
        if not raw:
            raise UncompilableError("bad_intent", "The question asks for no column and no measure.")
        labels = names.unique_labels(item.label for item in raw)
        return [Item(i.of, label, i.expression) for i, label in zip(raw, labels, strict=True)]

    def _default_outputs(self) -> tuple[Output, ...]:
        named = [(d.id, d.label) for d in self.intent.dimensions]
        named += [(m.id, m.label) for m in self.intent.measures]
        return tuple(
            Output(id=f"o{n}", of=of, label=label) for n, (of, label) in enumerate(named, 1)
        )

    def _items_of(self, output: Output) -> list[Item]:
        if output.of not in self.parts:
            return [Item(output.of, output.label, self.measure(output.of))]
        shown = [part for part in self.parts[output.of] if part.shown]
        return [
            Item(
                output.of,
                output.label if len(shown) == 1 else part.name,
                self.part_expression(part),
            )
            for part in shown
        ]

    def part_expression(self, part: Part) -> exp.Expr:
        return part.expression(self.scope)

    def measure_expression(self, measure: Measure) -> exp.Expr:
        return self.aggregates.expression(measure)

    def measure(self, id_: str) -> exp.Expr:
        """The expression of a measure.  Raises: UncompilableError `bad_intent`, `mixed_measures`."""
        found = next((m for m in self.intent.measures if m.id == id_), None)
        if found is None:
            raise UncompilableError("bad_intent", f"The intent has no measure or dimension {id_}.")
        tree = self.measure_expression(found)
        if self.grouped and not tree.find(exp.AggFunc):
            message = f"“{found.label}” is a value of single rows, the other measures are totals."
            raise UncompilableError("mixed_measures", message, found.label)
        return tree

    def dimension(self, id_: str) -> list[exp.Expr]:
        return [self.part_expression(part) for part in self.parts[id_]]

    def all_parts(self) -> list[Part]:
        return [part for parts in self.parts.values() for part in parts]

    # ---- clauses

    def body(self) -> exp.Select:
        """The SELECT with everything but ORDER and LIMIT."""
        query = self.source().select(*(item.selected() for item in self.items))
        if self.grouped:
            query = self._group(query)
        elif self.intent.distinct:
            query = query.distinct()
        return query

    def source(self) -> exp.Select:
        """FROM with its joins, and WHERE."""
        query = self.plan.query(self.scope)
        where = self.plan.place_all(self._rows, self.scope)
        return query.where(all_of(where)) if where else query

    def _group(self, query: exp.Select) -> exp.Select:
        for part in self.all_parts():
            query = query.group_by(self.part_expression(part))
        having = [self._having(f) for f in self.intent.filters if f.role == "having"]
        return query.having(all_of(having)) if having else query

    def _having(self, filter_: Filter) -> exp.Expr:
        left = self.measure(filter_.subject)
        left = exp.paren(left, copy=False) if isinstance(left, exp.Binary) else left
        number = Column(name=filter_.subject, type="numeric", family="decimal")
        make = comparisons.opposite if filter_.negated else comparisons.condition
        return make(left, number, filter_.op, filter_.values)

    def order(self) -> list[exp.Ordered]:
        """What was asked for, then, under a limit, the shown dimensions: ties are always cut alike."""
        asked = [key for order in self.intent.order for key in self._ordered(order)]
        if self.intent.limit is None:
            return asked
        done = {order.by for order in self.intent.order}
        rest = [item for item in self.items if item.of in self.parts and item.of not in done]
        return asked + [exp.Ordered(this=_by_label(item)) for item in rest]

    def _ordered(self, order: Order) -> list[exp.Ordered]:
        shown: list[exp.Expr] = [_by_label(item) for item in self.items if item.of == order.by]
        if not shown and self.intent.distinct and not self.grouped:
            message = "A list without repetitions can only be ordered by what it shows."
            raise UncompilableError("order_not_shown", message, order.by)
        keys = shown or self.expressions(order.by)
        return [_directed(key, order.direction) for key in keys]

    def expressions(self, id_: str) -> list[exp.Expr]:
        return self.dimension(id_) if id_ in self.parts else [self.measure(id_)]

    def window_order(self) -> list[exp.Ordered]:
        """The order with expressions instead of labels, which a window cannot see."""
        keys = [
            _directed(e, order.direction)
            for order in self.intent.order
            for e in self.expressions(order.by)
        ]
        done = {order.by for order in self.intent.order}
        rest = [
            i
            for i in self.items
            if i.of in self.parts and i.of not in {*done, self.intent.limit_per}
        ]
        return keys + [exp.Ordered(this=item.expression.copy()) for item in rest]


def _by_label(item: Item) -> exp.Expr:
    return exp.Column(this=names.identifier(item.label))


def _directed(key: exp.Expr, direction: str) -> exp.Ordered:
    # In PostgreSQL NULL sorts above everything, so descending orders must put it last.
    descending = direction == "desc"
    return exp.Ordered(this=key, desc=descending or None, nulls_first=False)


def _is_aggregate(measure: Measure, source: Source | None) -> bool:
    if measure.agg != "value" and source is not None and source.formula is not None:
        formula = source.formula
        return (
            formula.aggregated
            or measure.agg != "ratio"
            or formula.is_condition
            or bool(measure.when)
        )
    formula_ = source.formula if source else None
    return measure.agg != "value" or bool(formula_ and formula_.aggregated)
