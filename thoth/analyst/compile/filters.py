"""Filters and the period of an intent as conditions on served columns."""

from __future__ import annotations

from thoth.analyst.compile import comparisons, formula_conditions, literals
from thoth.analyst.compile.conditions import Atom, Condition, Group, Related, negated
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.following import followed
from thoth.analyst.compile.formulas import parse_formula
from thoth.analyst.compile.serving import Ref, Serving
from thoth.contracts.decisions import Grounding, ValueGrounded
from thoth.contracts.intent import Filter, Period, QueryIntent

_COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">=", "between", "in"})


class FilterConditions:
    """The conditions of one intent by filter id."""

    def __init__(self, intent: QueryIntent, serving: Serving) -> None:
        self._intent = intent
        self._serving = serving

    def rows(self) -> list[Condition]:
        """What rows must satisfy before grouping: filters, groups of alternatives, the period."""
        outer = [f for f in self._intent.filters if f.role == "rows" and f.within is None]
        return [*self._grouped(outer), *self._period_within(None)]

    def when(self, ids: tuple[str, ...]) -> list[Condition]:
        """The filters that restrict one measure, in the intent's order."""
        known = {f.id for f in self._intent.filters}
        for missing in sorted(set(ids) - known):
            raise UncompilableError(
                "bad_intent", f"The measure names the unknown filter {missing}."
            )
        return self._grouped([f for f in self._intent.filters if f.id in ids])

    def _grouped(self, filters: list[Filter]) -> list[Condition]:
        """Alternatives (`any_of`) become one OR, at the place of their first filter."""
        groups: dict[str, list[Condition]] = {}
        for filter_ in filters:
            groups.setdefault(filter_.any_of or filter_.id, []).append(self.one(filter_))
        return [g[0] if len(g) == 1 else Group(tuple(g), any_of=True) for g in groups.values()]

    def _period_within(self, id_: str | None) -> list[Condition]:
        period = self._intent.period
        return [self.period(period)] if period and period.within == id_ else []

    def one(self, filter_: Filter) -> Condition:
        """The condition of one filter, negation included; `!=` is a negated `=`.

        On related rows a negation means that none of them satisfies the condition.
        """
        if filter_.op == "!=":
            filter_ = filter_.model_copy(update={"op": "=", "negated": not filter_.negated})
        return negated(self._positive(filter_), really=filter_.negated)

    def _inner(self, filter_: Filter) -> tuple[Condition, ...]:
        inner = [f for f in self._intent.filters if f.within == filter_.id]
        return (*self._grouped(inner), *self._period_within(filter_.id))

    def _positive(self, filter_: Filter) -> Condition:
        if filter_.op == "exists":
            return self._related(filter_)
        if filter_.op in ("followed_within", "preceded_within"):
            return followed(filter_, self._serving, self._inner(filter_))
        formula = self._serving.formula(filter_.id, filter_.concept)
        if formula is not None:
            return self._formula(filter_)
        grounded = self._serving.groundings(filter_.id)
        if grounded:
            return self._grounded(grounded)
        return self._on_columns(filter_)

    def _related(self, filter_: Filter) -> Related:
        refs = self._serving.refs(filter_.id)
        tables = self._serving.tables(filter_.id) or [ref.table for ref in refs]
        if not tables:
            raise UncompilableError(
                "unserved", f"No table serves “{filter_.subject}”.", filter_.subject
            )
        keys = tuple(ref for ref in refs if ref.table == tables[0])
        return Related(tables[0], self._inner(filter_), keys)

    def _formula(self, filter_: Filter) -> Condition:
        found = self._serving.formula(filter_.id, filter_.concept)
        assert found is not None
        formula = parse_formula(found)
        if formula.aggregated:
            message = f"The formula of “{filter_.subject}” is a value of a group, not of a row."
            raise UncompilableError("bad_formula", message, filter_.subject)
        if formula.is_condition or filter_.op not in _COMPARISONS or not filter_.values:
            return formula_conditions.bare(formula)
        return formula_conditions.compared(formula, filter_)

    def _grounded(self, grounded: dict[str, ValueGrounded]) -> Condition:
        """Literals are alternatives; the conditions of one literal are joined as its `combine` says."""
        parts = [self._literal(value) for value in grounded.values()]
        return parts[0] if len(parts) == 1 else self._merged(list(grounded.values()), parts)

    def _literal(self, value: ValueGrounded) -> Condition:
        atoms = tuple(self._grounding(g) for g in value.groundings)
        if not atoms:
            raise UncompilableError("unserved", "A literal is grounded on no column.")
        if len(atoms) == 1:
            return atoms[0]
        same = {(g.column, g.op) for g in value.groundings}
        if value.combine == "any" and len(same) == 1 and value.groundings[0].op == "=":
            return self._one_of(value.groundings)
        return Group(atoms, any_of=value.combine == "any")

    def _merged(self, values: list[ValueGrounded], parts: list[Condition]) -> Condition:
        """`IN` when all literals are equalities on one and the same column, else OR."""
        every = tuple(g for value in values for g in value.groundings)
        plain = all(value.combine == "any" or len(value.groundings) == 1 for value in values)
        if plain and {(g.column, g.op) for g in every} == {(every[0].column, "=")}:
            return self._one_of(every)
        return Group(tuple(parts), any_of=True)

    def _one_of(self, groundings: tuple[Grounding, ...]) -> Atom:
        ref = Ref.parse(groundings[0].column)
        values = tuple(dict.fromkeys(g.value for g in groundings))
        return comparisons.atom(
            ref, self._serving.meta(ref), "in" if len(values) > 1 else "=", values
        )

    def _grounding(self, grounding: Grounding) -> Atom:
        ref = Ref.parse(grounding.column)
        return comparisons.atom(ref, self._serving.meta(ref), grounding.op, (grounding.value,))

    def _on_columns(self, filter_: Filter) -> Condition:
        absent = self._serving.absent(filter_.id)
        if absent:
            words = ", ".join(f"“{literal}”" for literal in absent)
            raise UncompilableError(
                "value_absent", f"The warehouse does not hold {words}.", *absent
            )
        refs = self._serving.refs(filter_.id)
        if not refs:
            raise UncompilableError(
                "unserved", f"No column serves “{filter_.subject}”.", filter_.subject
            )
        atoms = tuple(self._typed(filter_, ref) for ref in refs)
        return atoms[0] if len(atoms) == 1 else Group(atoms, any_of=True)

    def _typed(self, filter_: Filter, ref: Ref) -> Atom:
        column = self._serving.meta(ref)
        op: str = filter_.op
        if column.family == "boolean" and op == "=" and len(filter_.values) == 1:
            truth = literals.literal(filter_.values[0], column).this
            op = "is_true" if truth else "is_false"
        needs_grounding = filter_.kind == "text" and column.family == "text"
        if needs_grounding and op in _COMPARISONS and not column.type.startswith("time"):
            words = ", ".join(f"“{v}”" for v in filter_.values)
            raise UncompilableError(
                "ungrounded_value", f"{words} has no reviewed grounding.", *filter_.values
            )
        return comparisons.atom(ref, column, op, filter_.values)

    def period(self, period: Period) -> Condition:
        """The half-open interval on the column that serves it, or on its formula."""
        refs = self._serving.refs(period.id)
        formula = self._serving.formula(period.id, period.subject) if not refs else None
        if formula is not None:
            return formula_conditions.between_days(parse_formula(formula), period)
        if not refs:
            raise UncompilableError(
                "unserved", f"No column serves “{period.subject}”.", period.subject
            )
        atoms = tuple(
            comparisons.period(ref, self._serving.meta(ref), period.start, period.end)
            for ref in refs
        )
        return atoms[0] if len(atoms) == 1 else Group(atoms, any_of=True)
