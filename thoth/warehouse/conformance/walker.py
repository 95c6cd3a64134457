"""The walk over all SELECTs of a query that collects its facts."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope

from thoth.contracts.schema import Catalog
from thoth.warehouse.conformance.conditions import Conditions
from thoth.warehouse.conformance.facts import (
    Aggregate,
    Context,
    Facts,
    Frame,
    Instance,
    deeper,
    resolve,
)

_FUNCS: list[tuple[type[exp.Expr], str]] = [
    (exp.Count, "count"),
    (exp.Sum, "sum"),
    (exp.Avg, "avg"),
    (exp.Min, "min"),
    (exp.Max, "max"),
    (exp.PercentileCont, "median"),
    (exp.StddevSamp, "stddev"),
    (exp.Stddev, "stddev"),
]
_IMMATERIAL = (exp.Exists, exp.In)


def collect(query: exp.Query, catalog: Catalog, formulas: frozenset[str]) -> Facts:
    """The facts of a qualified query without set operations."""
    walker = _Walker(catalog, formulas)
    scope = build_scope(query)
    assert scope is not None
    walker.frame(scope, None, Context())
    return walker.facts


class _Walker:
    def __init__(self, catalog: Catalog, formulas: frozenset[str]) -> None:
        self.facts = Facts()
        self._catalog = catalog
        self._conditions = Conditions(self.facts, catalog, formulas, self._subquery)

    def _subquery(self, query: exp.Query, frame: Frame, context: Context) -> Frame:
        known = [s for s in frame.scope.subquery_scopes if s.expression is query]
        scope = known[0] if known else build_scope(query)
        assert scope is not None
        return self.frame(scope, frame, context)

    def frame(self, scope: Scope, parent: Frame | None, context: Context) -> Frame:
        frame = Frame(len(self.facts.frames), scope, parent, context)
        self.facts.frames.append(frame)
        joins = {join.this.alias_or_name: join for join in frame.select.args.get("joins") or []}
        for alias, (_, source) in scope.selected_sources.items():
            self._source(frame, alias, source, joins.get(alias))
        self._note_columns(frame)
        self._note_aggregates(frame)
        self._note_conditions(frame, joins)
        return frame

    def _source(
        self, frame: Frame, alias: str, source: exp.Table | Scope, join: exp.Join | None
    ) -> None:
        anti = join is not None and self._null_tests(frame, alias) != []
        context = deeper(frame.context, negated=True) if anti else frame.context
        if isinstance(source, Scope):
            # A derived table sees nothing of its siblings: only what encloses them all.
            frame.sources[alias] = self.frame(source, frame.parent, context)
            return
        full = f"{source.db}.{source.name}" if source.db else source.name
        side = str(join.side or "").upper() if join is not None else ""
        instance = Instance(
            f"i{len(self.facts.instances)}", full, source, context, side, anti, frame.number
        )
        self.facts.instances.append(instance)
        frame.sources[alias] = instance

    def _null_tests(self, frame: Frame, alias: str) -> list[exp.Expr]:
        """`alias.key IS NULL` among the ANDed conditions of WHERE, after a LEFT JOIN: an anti-join."""
        join = next(j for j in frame.select.args["joins"] if j.this.alias_or_name == alias)
        where = frame.select.args.get("where")
        if str(join.side or "").upper() != "LEFT" or where is None or join.args.get("on") is None:
            return []
        keys = {c.name for c in join.args["on"].find_all(exp.Column) if c.table == alias}
        keys |= self._never_null(join.this)
        return [part for part in _conjuncts(where.this) if _is_null_of(part, alias, keys)]

    def _never_null(self, source: exp.Expr) -> set[str]:
        full = f"{source.db}.{source.name}" if isinstance(source, exp.Table) else ""
        table = self._catalog.table(full)
        return {c.name for c in table.columns if not c.nullable} if table else set()

    def _note_columns(self, frame: Frame) -> None:
        # A step without repetitions may hold keys: they only keep its rows apart.
        apart = frame.number > 0 and frame.select.args.get("distinct") is not None
        for column in frame.scope.columns:
            found = frame.source(column.table) if column.table else None
            if found and isinstance(found[0], Instance):
                counted = column.find_ancestor(exp.Count, exp.Is, exp.Select)
                ref = f"{found[0].table}.{column.name}"
                self.facts.columns.append(
                    (ref, column, apart or isinstance(counted, (exp.Count, exp.Is)))
                )

    def _note_conditions(self, frame: Frame, joins: dict[str, exp.Join]) -> None:
        rows, ignored = frame.context, []
        for alias, join in joins.items():
            source = frame.sources.get(alias)
            anti = isinstance(source, Instance) and source.anti
            ignored += self._null_tests(frame, alias)
            if join.args.get("on") is not None:
                inner = deeper(rows, negated=True) if anti else rows
                self._conditions.walk(join.args["on"], frame, inner)
        where = frame.select.args.get("where")
        for part in _conjuncts(where.this) if where is not None else []:
            if not any(part is other for other in ignored):
                self._conditions.walk(part, frame, self._placed(part, frame))
        having = frame.select.args.get("having")
        if having is not None:
            context = Context("having", rows.exists_negated, rows.depth)
            self._conditions.walk(having.this, frame, context)

    def _placed(self, part: exp.Expr, frame: Frame) -> Context:
        """A WHERE over a step that aggregates works on groups."""
        if isinstance(part.unnest(), _IMMATERIAL) or not resolve(part, frame).find(exp.AggFunc):
            return frame.context
        return Context("having", frame.context.exists_negated, frame.context.depth)

    # ---- aggregates

    def _note_aggregates(self, frame: Frame) -> None:
        for node in list(frame.scope.find_all(exp.AggFunc)):
            func = next((name for kind, name in _FUNCS if isinstance(node, kind)), None)
            if func is None and isinstance(node, exp.RowNumber):
                continue
            if isinstance(node, exp.PercentileCont) and str(node.this.this) != "0.5":
                func = "percentile"
            number = len(self.facts.aggregates)
            node.meta["aggregate"] = number
            self.facts.aggregates[number] = self._aggregate(func or node.key, node, frame)

    def _aggregate(self, func: str, node: exp.Expr, frame: Frame) -> Aggregate:
        argument, distinct = _argument(node)
        atoms = [
            atom
            for condition in _restrictions(node)
            for atom in self._conditions.collect(condition, frame, _measure(frame))
        ]
        case = argument.unnest() if argument is not None else None
        if isinstance(case, exp.Case) and case.this is None and len(case.args["ifs"]) == 1:
            branch = case.args["ifs"][0]
            func, argument = _of_case(func, branch.args["true"], case.args.get("default"), argument)
            if argument is None or argument.unnest() is not case:
                atoms += self._conditions.collect(branch.this, frame, _measure(frame))
        windowed = isinstance(node.parent, exp.Window) or (
            isinstance(node.parent, exp.Filter) and isinstance(node.parent.parent, exp.Window)
        )
        resolved = resolve(argument, frame).unnest() if argument is not None else None
        return Aggregate(func, distinct, resolved, tuple(atoms), node, frame.number, windowed)


def _of_case(
    func: str, then: exp.Expr, default: exp.Expr | None, argument: exp.Expr | None
) -> tuple[str, exp.Expr | None]:
    """`SUM(CASE WHEN c THEN 1 ELSE 0 END)` counts rows with c; other sums and counts keep their value."""
    one = isinstance(then, exp.Literal) and float(then.this) == 1 if then.is_number else False
    nothing = default is None or isinstance(default, exp.Null)
    zero = isinstance(default, exp.Literal) and default.is_number and float(default.this) == 0
    if func == "sum" and one and (nothing or zero):
        return "count", None
    if func == "avg" and one and zero:
        return "share", None
    if func == "count" and nothing:
        return "count", None if isinstance(then, exp.Literal) else then
    if nothing or (func == "sum" and zero):
        return func, then
    return func, argument


def _measure(frame: Frame) -> Context:
    return Context("measure", frame.context.exists_negated, frame.context.depth)


def _argument(node: exp.Expr) -> tuple[exp.Expr | None, bool]:
    if isinstance(node, exp.PercentileCont):
        parent = node.parent
        order = parent.expression if isinstance(parent, exp.WithinGroup) else None
        return (order.expressions[0].this if order is not None else None), False
    inner = node.this
    if isinstance(inner, exp.Distinct):
        parts = inner.expressions
        return (parts[0] if len(parts) == 1 else exp.Tuple(expressions=parts)), True
    if isinstance(inner, (exp.Star, exp.Literal)):
        return None, False
    return inner, False


def _restrictions(node: exp.Expr) -> list[exp.Expr]:
    outer = node.parent.parent if isinstance(node.parent, exp.WithinGroup) else node.parent
    return [outer.expression.this] if isinstance(outer, exp.Filter) else []


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    node = node.unnest()
    if isinstance(node, exp.And):
        return [*_conjuncts(node.this), *_conjuncts(node.expression)]
    return [node]


def _is_null_of(part: exp.Expr, alias: str, keys: set[str]) -> bool:
    if (
        not isinstance(part, exp.Is)
        or part.args.get("negate")
        or not isinstance(part.expression, exp.Null)
    ):
        return False
    column = part.this
    return isinstance(column, exp.Column) and column.table == alias and column.name in keys
