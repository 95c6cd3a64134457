"""Measures as SQL: what is counted, summed or divided, and the refusal of multiplied sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from thoth.analyst.compile.conditions import all_of
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.filters import FilterConditions
from thoth.analyst.compile.formulas import Formula, parse_formula
from thoth.analyst.compile.literals import NUMBERS
from thoth.analyst.compile.plan import Plan
from thoth.analyst.compile.scope import Scope
from thoth.analyst.compile.serving import Ref, Serving
from thoth.contracts.intent import Measure, QueryIntent

_NUMERIC = frozenset({"sum", "avg", "median", "stddev"})
_UNHARMED = frozenset({"min", "max", "value"})  # repeated rows do not change these


@dataclass(frozen=True)
class Source:
    """What a measure is made of: columns, or a formula, or the rows of `table`."""

    refs: tuple[Ref, ...]
    formula: Formula | None
    table: str | None

    @property
    def tables(self) -> frozenset[str]:
        if self.formula is not None and self.formula.refs:
            return self.formula.tables
        if self.refs:
            return frozenset(ref.table for ref in self.refs)
        return frozenset({self.table} if self.table else ())


def source_of(measure: Measure, serving: Serving, population: str | None) -> Source:
    """The decisions that serve a measure.  Raises: UncompilableError `unserved`, `bad_formula`."""
    formula = serving.formula(measure.id, measure.concept)
    if formula is not None:
        return Source((), parse_formula(formula), population)
    if measure.concept is not None and not serving.refs(measure.id):
        message = f"“{measure.concept}” has no approved formula."
        raise UncompilableError("unserved", message, measure.concept)
    refs = tuple(serving.refs(measure.id))
    tables = serving.tables(measure.id)
    table = population if population in tables or not tables else tables[0]
    return Source(refs, None, table)


class Aggregates:
    """The measures of one query over the joined tables of a plan."""

    def __init__(
        self, intent: QueryIntent, serving: Serving, plan: Plan, scope: Scope,
        conditions: FilterConditions,
    ) -> None:  # fmt: skip
        self._measures = {m.id: m for m in intent.measures}
        self._serving = serving
        self._plan = plan
        self._scope = scope
        self._conditions = conditions

    def expression(self, measure: Measure) -> exp.Expr:
        """The measure, rounded as asked."""
        return rounded(self._shared(measure, self._bare(measure)), measure.decimals)

    def _shared(self, measure: Measure, tree: exp.Expr) -> exp.Expr:
        if not measure.share:
            return tree
        total = exp.Window(this=exp.Sum(this=tree.copy()))
        return quotient(tree, total, percent=measure.unit == "percent")

    def _bare(self, measure: Measure) -> exp.Expr:
        if measure.numerator or measure.denominator:
            return self._quotient(measure)
        source = source_of(measure, self._serving, self._plan.root)
        if source.formula is not None and source.formula.aggregated:
            return self._whole_formula(measure, source.formula)
        if measure.agg == "ratio":
            return self._ratio(measure, source)
        if measure.agg == "count":
            return self._count(measure, source, self._when(measure))
        return self._statistic(measure, source)

    def _quotient(self, measure: Measure) -> exp.Expr:
        parts = []
        for id_ in (measure.numerator, measure.denominator):
            part = self._measures.get(id_ or "")
            if part is None or part.numerator or part.denominator:
                raise UncompilableError("bad_intent", f"“{measure.label}” divides by no measure.")
            parts.append(self._bare(part))
        return quotient(parts[0], parts[1], percent=measure.unit == "percent")

    def _whole_formula(self, measure: Measure, formula: Formula) -> exp.Expr:
        if measure.when:
            message = f"The formula of “{measure.label}” cannot be restricted to some rows."
            raise UncompilableError("bad_formula", message, measure.label)
        for table in sorted(formula.tables):
            self._refuse_multiplied(measure, table)
        return formula.placed(self._scope)

    def _ratio(self, measure: Measure, source: Source) -> exp.Expr:
        when = self._when(measure)
        if source.formula is not None and not when:
            if not source.formula.is_condition:
                return source.formula.placed(self._scope)
            when, source = [source.formula.placed(self._scope)], Source((), None, self._plan.root)
        if not when:
            raise UncompilableError("bad_intent", f"“{measure.label}” is a share of nothing.")
        part, whole = self._count(measure, source, when), self._count(measure, source, [])
        return quotient(part, whole, percent=measure.unit == "percent")

    def _when(self, measure: Measure) -> list[exp.Expr]:
        return self._plan.place_all(self._conditions.when(measure.when), self._scope)

    # ---- counting

    def _count(self, measure: Measure, source: Source, when: list[exp.Expr]) -> exp.Expr:
        if source.formula is not None:
            return self._count_formula(measure, source.formula, when)
        if source.refs:
            return self._count_columns(measure, source.refs, when)
        table = source.table or self._plan.root
        if measure.distinct or self._plan.multiplied(table):
            return _filtered(exp.Count(this=self._distinct(self._key(table))), when)
        if self._plan.optional(table):
            return _filtered(exp.Count(this=self._columns(self._key(table)[:1])[0]), when)
        return _filtered(exp.Count(this=exp.Star()), when)

    def _count_formula(self, measure: Measure, formula: Formula, when: list[exp.Expr]) -> exp.Expr:
        placed = formula.placed(self._scope)
        if formula.is_condition and not measure.distinct:
            return self._count(measure, Source((), None, self._plan.root), [*when, placed])
        inner: exp.Expr = exp.Distinct(expressions=[placed]) if measure.distinct else placed
        if not measure.distinct:
            self._refuse_multiplied(measure, self._grain(formula.tables))
        return _filtered(exp.Count(this=inner), when)

    def _count_columns(
        self, measure: Measure, refs: tuple[Ref, ...], when: list[exp.Expr]
    ) -> exp.Expr:
        if measure.distinct:
            return _filtered(exp.Count(this=self._distinct(refs)), when)
        if not self._plan.multiplied(refs[0].table):
            return _filtered(exp.Count(this=self._scope.column(refs[0])), when)
        key = self._key(refs[0].table)
        if tuple(refs) != key and self._serving.meta(refs[0]).nullable:
            present = exp.Is(this=self._scope.column(refs[0]), expression=exp.Null(), negate=True)
            when = [*when, present]
        return _filtered(exp.Count(this=self._distinct(key)), when)

    def _key(self, table: str) -> tuple[Ref, ...]:
        return tuple(Ref(table, name) for name in self._serving.key(table))

    def _columns(self, refs: tuple[Ref, ...]) -> list[exp.Expr]:
        return [self._scope.column(ref) for ref in refs]

    def _distinct(self, refs: tuple[Ref, ...]) -> exp.Distinct:
        columns = self._columns(refs)
        return exp.Distinct(
            expressions=columns if len(columns) == 1 else [exp.Tuple(expressions=columns)]
        )

    # ---- statistics

    def grain_of(self, measure: Measure) -> str:
        """The table whose rows the measure adds up.  Raises: UncompilableError `fan_out`."""
        return self._grain(source_of(measure, self._serving, self._plan.root).tables)

    def value_of(self, measure: Measure) -> exp.Expr | None:
        """What is added up for one row; None when rows are counted."""
        source = source_of(measure, self._serving, self._plan.root)
        if source.formula is not None and source.formula.aggregated:
            raise UncompilableError("fan_out", f"“{measure.label}” is a total of repeated rows.")
        rows_only = measure.agg == "count" and not source.refs and source.formula is None
        return None if rows_only else self._value(measure, source)

    def _statistic(self, measure: Measure, source: Source) -> exp.Expr:
        value = self._value(measure, source)
        if measure.agg not in _UNHARMED and not (measure.distinct and measure.agg != "median"):
            self._refuse_multiplied(measure, self._grain(source.tables))
        when = self._when(measure)
        if measure.agg == "value":
            if when:
                raise UncompilableError("bad_intent", f"“{measure.label}” is not an aggregate.")
            return value
        if measure.agg == "median":
            return _filtered(statistic("median", value), when)
        inner = exp.Distinct(expressions=[value]) if measure.distinct else value
        return _filtered(statistic(measure.agg, inner), when)

    def _value(self, measure: Measure, source: Source) -> exp.Expr:
        if source.formula is not None:
            return source.formula.placed(self._scope).unnest()
        if len(source.refs) != 1:
            message = f"“{measure.label}” needs one column, and {len(source.refs)} serve it."
            raise UncompilableError("unserved", message, measure.label)
        ref = source.refs[0]
        family = self._serving.meta(ref).family
        if measure.agg in _NUMERIC and family not in NUMBERS | {"other"}:
            message = f"{ref} holds no numbers, so there is no {measure.agg} of it."
            raise UncompilableError("measure_type", message, str(ref))
        return self._scope.column(ref)

    def _grain(self, tables: frozenset[str]) -> str:
        """The table whose rows a value of these tables belongs to: the one the others are looked up from."""
        for table in sorted(tables or {self._plan.root}):
            if not any(self._plan.leads_to_many(table, other) for other in tables - {table}):
                return table
        names = ", ".join(sorted(tables))
        raise UncompilableError(
            "fan_out", f"No row of {names} determines the others.", *sorted(tables)
        )

    def _refuse_multiplied(self, measure: Measure, table: str) -> None:
        if self._plan.multiplied(table):
            message = (
                f"“{measure.label}” would count rows of {table} more than once, because the joins repeat "
                "them. Ask for it without the details of the other tables."
            )
            raise UncompilableError("fan_out", message, measure.label, table)


def rounded(tree: exp.Expr, decimals: int | None) -> exp.Expr:
    """The value with so many decimals; unchanged for None."""
    if decimals is None:
        return tree
    decimal = exp.Cast(this=tree, to=exp.DataType.build("decimal"))
    return exp.Round(this=decimal, decimals=exp.Literal.number(decimals))


def statistic(agg: str, value: exp.Expr) -> exp.Expr:
    """The aggregate of that name over `value`."""
    return _MAKERS[agg](value)


def quotient(part: exp.Expr, whole: exp.Expr, *, percent: bool) -> exp.Expr:
    """`part / whole` without integer division; NULL when `whole` is zero."""
    scaled = exp.Mul(
        this=exp.Literal.number("100.0" if percent else "1.0"), expression=_operand(part)
    )
    return exp.Div(
        this=scaled, expression=exp.Nullif(this=whole, expression=exp.Literal.number(0)), typed=True
    )


def _operand(tree: exp.Expr) -> exp.Expr:
    return exp.paren(tree, copy=False) if isinstance(tree, exp.Binary) else tree


def _filtered(aggregate: exp.Expr, when: list[exp.Expr]) -> exp.Expr:
    if not when:
        return aggregate
    return exp.Filter(this=aggregate, expression=exp.Where(this=all_of([w.copy() for w in when])))


def _median(value: exp.Expr) -> exp.Expr:
    middle = exp.PercentileCont(this=exp.Literal.number("0.5"))
    return exp.WithinGroup(this=middle, expression=exp.Order(expressions=[exp.Ordered(this=value)]))


_MAKERS: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    "count": lambda value: exp.Count(this=value),
    "sum": lambda value: exp.Sum(this=value),
    "avg": lambda value: exp.Avg(this=value),
    "min": lambda value: exp.Min(this=value),
    "max": lambda value: exp.Max(this=value),
    "median": _median,
    "stddev": lambda value: exp.StddevSamp(this=value),
}
