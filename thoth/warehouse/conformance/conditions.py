"""Boolean expressions as atoms: negations pushed down, each atom knowing the OR it stands under."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from sqlglot import exp

from thoth.contracts.schema import Catalog
from thoth.warehouse.conformance import distances, values
from thoth.warehouse.conformance.canon import canon
from thoth.warehouse.conformance.facts import Atom, Context, Equality, Facts, Frame, deeper, resolve

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
Visit = Callable[[exp.Query, Frame, Context], Frame]


class Conditions:
    """Turns conditions of one query into atoms and equalities of `facts`.

    `formulas` are canonical texts of approved conditions: where one occurs it is one atom. `visit`
    walks a subquery and gives its frame.
    """

    def __init__(
        self, facts: Facts, catalog: Catalog, formulas: frozenset[str], visit: Visit
    ) -> None:
        self._facts = facts
        self._catalog = catalog
        self._formulas = formulas
        self._visit = visit
        self._or_ids = count(1)
        self._numbers = count(1)
        self._sink = facts.atoms

    def walk(self, node: exp.Expr, frame: Frame, context: Context) -> None:
        self._walk(node, frame, context, negated=False)

    def collect(self, node: exp.Expr, frame: Frame, context: Context) -> tuple[Atom, ...]:
        """The atoms of a condition that restricts one aggregate, kept apart from the query's."""
        outer, self._sink = self._sink, []
        try:
            self.walk(node, frame, context)
            return tuple(self._sink)
        finally:
            self._sink = outer

    def _walk(self, node: exp.Expr, frame: Frame, context: Context, *, negated: bool) -> None:
        node = node.unnest() if isinstance(node, exp.Paren) else node
        if self._is_formula(node, frame):
            self._emit(node, frame, context, negated=negated, op="formula")
        elif isinstance(node, exp.Not):
            self._walk(node.this, frame, context, negated=not negated)
        elif isinstance(node, exp.Connector):
            self._connector(node, frame, context, negated=negated)
        elif isinstance(node, exp.Exists):
            self._subquery(node.this, frame, context, negated=negated)
        elif isinstance(node, exp.In):
            self._in(node, frame, context, negated=negated)
        else:
            self._leaf(node, frame, context, negated=negated)

    def _is_formula(self, node: exp.Expr, frame: Frame) -> bool:
        if not self._formulas or isinstance(node, (exp.Exists, exp.Column)):
            return False
        return canon(resolve(node, frame)) in self._formulas

    def _connector(
        self, node: exp.Connector, frame: Frame, context: Context, *, negated: bool
    ) -> None:
        if isinstance(node, exp.Or) != negated:
            context = self._under_or(context)
        for part in (node.this, node.expression):
            self._walk(part, frame, context, negated=negated)

    def _under_or(self, context: Context) -> Context:
        return context if context.or_id is not None else replace(context, or_id=next(self._or_ids))

    def _subquery(
        self, query: exp.Expr, frame: Frame, context: Context, *, negated: bool
    ) -> Frame | None:
        inner = query.unnest()
        if not isinstance(inner, exp.Query):
            return None
        return self._visit(inner, frame, deeper(context, negated=negated))

    def _in(self, node: exp.In, frame: Frame, context: Context, *, negated: bool) -> None:
        query = node.args.get("query")
        if query is not None:
            inner = self._subquery(query, frame, context, negated=negated)
            if inner is not None:
                self._in_equality(node, frame, inner)
            return
        if len(node.expressions) > 1 and not negated:
            context = self._under_or(context)
        for value in node.expressions:
            equal = exp.EQ(this=node.this.copy(), expression=value.copy())
            self._compare(equal, node, frame, context, negated=negated)

    def _in_equality(self, node: exp.In, frame: Frame, inner: Frame) -> None:
        left = resolve(node.this, frame).unnest()
        right = resolve(inner.select.expressions[0].unalias(), inner).unnest()
        self._equality(left, right, inner.context, node)

    def _leaf(self, node: exp.Expr, frame: Frame, context: Context, *, negated: bool) -> None:
        if isinstance(node, exp.Is):
            self._is(node, frame, context, negated=negated)
        elif isinstance(node, exp.Between):
            self._between(node, frame, context, negated=negated)
        elif isinstance(node, (exp.Like, exp.ILike)):
            self._like(node, frame, context, negated=negated)
        elif type(node) in _COMPARISONS:
            self._compare(node, node, frame, context, negated=negated)
        elif isinstance(node, exp.Column):
            self._emit(node, frame, context, negated=negated, op="is_true")
        elif isinstance(node, exp.Boolean) and bool(node.this) != negated and context.or_id is None:
            return  # TRUE restricts nothing; under OR it would lift every other condition
        else:
            self._opaque(node, frame, context, negated=negated)

    def _is(self, node: exp.Is, frame: Frame, context: Context, *, negated: bool) -> None:
        tested = node.expression
        negated = negated != bool(node.args.get("negate"))  # IS NOT
        if isinstance(tested, exp.Null):
            self._emit(node.this, frame, context, negated=negated, op="is_null", node=node)
        elif isinstance(tested, exp.Boolean):
            flipped = negated != (not tested.this)
            self._emit(node.this, frame, context, negated=flipped, op="is_true", node=node)
        else:
            self._opaque(node, frame, context, negated=negated)

    def _between(self, node: exp.Between, frame: Frame, context: Context, *, negated: bool) -> None:
        if negated:
            context = self._under_or(context)
        low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        for bound in (low, high):
            self._compare(bound, node, frame, context, negated=negated)

    def _like(
        self, node: exp.Like | exp.ILike, frame: Frame, context: Context, *, negated: bool
    ) -> None:
        pattern = values.constant(node.expression)
        if pattern is None:
            self._opaque(node, frame, context, negated=negated)
            return
        op, value = values.like(pattern)
        negated = negated != bool(node.args.get("negate"))  # NOT LIKE
        left = _plain_text(resolve(node.this, frame))
        self._add(left, op, value, context, node, negated=negated)

    def _compare(
        self, comparison: exp.Expr, node: exp.Expr, frame: Frame, context: Context, *, negated: bool
    ) -> None:
        op = _COMPARISONS[type(comparison)]
        left = resolve(comparison.this, frame).unnest()
        right = resolve(comparison.expression, frame).unnest()
        value = values.constant(right)
        if value is None and values.constant(left) is not None:
            left, right, op = right, left, values.MIRRORED[op]
            value = values.constant(right)
        if value is not None and distances.of(left, op, right) is None:
            self._constant(left, op, value, context, node, negated=negated)
        else:
            self._two_sided(left, op, right, context, node, negated=negated)

    def _constant(
        self,
        left: exp.Expr,
        op: str,
        value: str,
        context: Context,
        node: exp.Expr,
        *,
        negated: bool,
    ) -> None:
        family, left, whole_days = self._measured(left)
        if family == "boolean" and op in ("=", "!=") and value in ("true", "false"):
            flipped = (op == "=") != (value == "true")
            self._add(left, "is_true", "", context, node, negated=negated != flipped)
            return
        negated, op = (not negated, "=") if op == "!=" else (negated, op)
        simple = values.canonical(family, op, value, whole_days=whole_days)
        if negated and len(simple) > 1:
            context = self._under_or(context)
        for one_op, one_value in simple:
            self._add(left, one_op, one_value, context, node, negated=negated)

    def _measured(self, left: exp.Expr) -> tuple[str, exp.Expr, bool]:
        """Family, the column behind it, and whether a day means the whole day there."""
        inner = left.this if isinstance(left, exp.Cast) else left
        inner = inner.unnest()
        if isinstance(left, exp.Cast) and isinstance(inner, exp.Column) and left.is_type("date"):
            return self._family(inner), inner, True
        inner = left.this if isinstance(left, exp.Cast) else left
        if isinstance(inner, exp.Extract) and str(inner.this).upper() == "YEAR":
            column = inner.expression.unnest()
            if isinstance(column, exp.Column):
                return self._family(column), column, True
        if isinstance(left, (exp.Lower, exp.Upper)):
            return "text", left.this.unnest(), False
        return self._family(left), left, False

    def _family(self, node: exp.Expr) -> str:
        if not isinstance(node, exp.Column):
            return "decimal"  # computed values: one spelling per number, days are not widened
        column = self._catalog.column(node.name)
        return column.family if column else "text"

    def _two_sided(
        self, left: exp.Expr, op: str, right: exp.Expr, context: Context, node: exp.Expr,
        *, negated: bool,
    ) -> None:  # fmt: skip
        if op == "=" and not negated and self._equality(left, right, context, node):
            return
        distance = distances.of(left, op, right)
        if distance is None:
            comparison = f"{canon(left)} {op} {canon(right)}"
            self._add(left, "expr", comparison, context, node, negated=negated)
            return
        for key, one_op, amount in distance.comparisons(self._facts):
            found = values.OPPOSITE[one_op] if negated else one_op
            self._push(
                Atom(
                    next(self._numbers),
                    key,
                    found,
                    amount,
                    negated=False,
                    context=context,
                    node=node,
                    expression=left,
                )
            )

    def _equality(self, left: exp.Expr, right: exp.Expr, context: Context, node: exp.Expr) -> bool:
        if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
            return False
        if not left.table or not right.table or left.table == right.table:
            return False
        self._facts.equalities.append(
            Equality(left.name, left.table, right.name, right.table, context, node)
        )
        return True

    def _opaque(self, node: exp.Expr, frame: Frame, context: Context, *, negated: bool) -> None:
        for subquery in node.find_all(exp.Subquery):
            self._subquery(subquery, frame, context, negated=False)
        resolved = resolve(node, frame)
        self._add(resolved, "expr", canon(resolved), context, node, negated=negated)

    def _emit(
        self, part: exp.Expr, frame: Frame, context: Context, *, negated: bool, op: str,
        node: exp.Expr | None = None,
    ) -> None:  # fmt: skip
        self._add(resolve(part, frame).unnest(), op, "", context, node or part, negated=negated)

    def _add(
        self, left: exp.Expr, op: str, value: str, context: Context, node: exp.Expr,
        *, negated: bool,
    ) -> None:  # fmt: skip
        if negated and op in values.OPPOSITE:
            op, negated = values.OPPOSITE[op], False
        key = left.name if isinstance(left, exp.Column) else canon(left)
        number = next(self._numbers)
        self._push(Atom(number, key, op, value, negated, context, node, left))

    def _push(self, atom: Atom) -> None:
        self._sink.append(atom)


def _plain_text(left: exp.Expr) -> exp.Expr:
    """The column behind LOWER, UPPER or a cast to text, which ILIKE makes no difference of."""
    while isinstance(left, (exp.Lower, exp.Upper, exp.Cast, exp.Paren)):
        left = left.this
    return left
