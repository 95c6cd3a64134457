"""Measures: function, DISTINCT, argument, own conditions, formula, unit; totals over repeated rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from sqlglot import exp

from thoth.contracts.intent import Measure
from thoth.warehouse.conformance.canon import canon, stripped
from thoth.warehouse.conformance.decided import ApprovedFormula, Decided
from thoth.warehouse.conformance.facts import Aggregate, Facts, Frame, Instance
from thoth.warehouse.conformance.filters import FilterRules
from thoth.warehouse.conformance.joins import members_of, multiplied
from thoth.warehouse.conformance.report import Finding, finding

PER_CENT = 100.0
_ADDITIVE = frozenset({"count", "sum", "avg", "median", "stddev", "share"})


@dataclass(frozen=True)
class Expected:
    """One aggregate that a measure consists of."""

    func: str
    distinct: bool
    columns: tuple[str, ...]
    formula: ApprovedFormula | None
    table: str | None
    when: tuple[str, ...]
    condition: ApprovedFormula | None = None  # counted are the rows that satisfy it


class MeasureRules:
    """Compares expressions of the result with measures of the intent."""

    def __init__(self, facts: Facts, decided: Decided, filters: FilterRules) -> None:
        self._facts = facts
        self._decided = decided
        self._filters = filters

    def aggregates(self, expression: exp.Expr) -> list[Aggregate]:
        """The aggregates inside a resolved expression, without window totals."""
        found = [
            self._facts.aggregates[node.meta["aggregate"]]
            for node in expression.find_all(exp.AggFunc, bfs=False)
            if "aggregate" in node.meta
        ]
        return [a for a in found if not a.windowed]

    def check(self, measure: Measure, expression: exp.Expr) -> list[Finding]:
        """The findings about `expression` as the value of `measure`; none when it is right."""
        formula = self._formula(measure)
        if formula is not None and formula.aggregated:
            return self._whole(measure, formula, expression)
        if measure.agg == "value":
            return self._value(measure, formula, expression)
        wanted, actual = self._expected(measure), self._expanded(expression)
        if measure.share:
            actual = actual[: len(wanted)]
        if [w.func for w in wanted] != [a.func for a in actual]:
            return [self._wrong_function(measure, wanted, expression)]
        result: list[Finding] = []
        for one, other in zip(wanted, actual, strict=True):
            result += self._compare(measure, one, other)
        return result + self._shape(measure, expression)

    def _formula(self, measure: Measure) -> ApprovedFormula | None:
        return self._decided.formula(measure.id, measure.concept)

    def _whole(self, measure: Measure, formula: ApprovedFormula, e: exp.Expr) -> list[Finding]:
        # `stripped` of both: a formula may itself end in ROUND or a cast.
        if canon(stripped(e)) == canon(stripped(formula.expression)):
            return []
        return [self._not_formula(measure, formula, e)]

    def _value(
        self, measure: Measure, formula: ApprovedFormula | None, expression: exp.Expr
    ) -> list[Finding]:
        plain = stripped(expression)
        if formula is not None:
            same = canon(plain) == canon(stripped(formula.expression))
            return [] if same else [self._not_formula(measure, formula, expression)]
        columns = self._decided.columns(measure.id)
        if isinstance(plain, exp.Column) and plain.name in columns:
            return []
        message = _("“{label}” is the value of {names}.").format(
            label=measure.label, names=", ".join(columns) or "–"
        )
        return [finding("aggregate", message, expression, subject=measure.id)]

    def _not_formula(self, measure: Measure, formula: ApprovedFormula, e: exp.Expr) -> Finding:
        message = _("“{label}” does not use the approved formula of “{concept}”.").format(
            label=measure.label, concept=formula.concept
        )
        fix = _("Use {sql}").format(sql=self._decided.slice.formulas[formula.concept].sql)
        return finding("formula", message, e, subject=formula.concept, fix=fix)

    def _wrong_function(self, measure: Measure, wanted: list[Expected], e: exp.Expr) -> Finding:
        names = ", ".join(w.func.upper() for w in wanted)
        message = _("“{label}” must be computed by {names}.").format(
            label=measure.label, names=names
        )
        return finding(
            "aggregate", message, e, subject=measure.id, fix=_("Use {names}.").format(names=names)
        )

    # ---- what a measure consists of

    def _expected(self, measure: Measure) -> list[Expected]:
        if measure.numerator or measure.denominator:
            parts = [
                self._decided.measure(i or "") for i in (measure.numerator, measure.denominator)
            ]
            return [e for part in parts if part is not None for e in self._expected(part)]
        part = self._one(measure, measure.agg, measure.when)
        if measure.agg != "ratio":
            return [part]
        whole = self._one(measure, "count", ())
        return [replace(part, func="count"), replace(whole, condition=None)]

    def _one(self, measure: Measure, func: str, when: tuple[str, ...]) -> Expected:
        population = self._decided.population()
        tables = self._decided.tables(measure.id)
        table = population if population in tables or not tables else tables[0]
        columns = tuple(self._decided.columns(measure.id))
        formula = self._formula(measure)
        counted = func in ("count", "ratio") and formula is not None and formula.is_condition
        if counted and not measure.distinct:
            return Expected(func, measure.distinct, (), None, population, when, formula)
        return Expected(func, measure.distinct, columns, formula, table, when)

    def _expanded(self, expression: exp.Expr) -> list[Aggregate]:
        """`AVG(CASE WHEN c THEN 1 ELSE 0 END)` is the count of rows with c, over all rows."""
        result: list[Aggregate] = []
        for a in self.aggregates(expression):
            if a.func != "share":
                result.append(a)
                continue
            result.append(Aggregate("count", a.distinct, None, a.atoms, a.node, a.frame))
            result.append(Aggregate("count", a.distinct, None, (), a.node, a.frame))
        return result

    # ---- one aggregate

    def _compare(self, measure: Measure, wanted: Expected, actual: Aggregate) -> list[Finding]:
        result = self._argument(measure, wanted, actual)
        atoms = actual.atoms
        if wanted.condition is not None:
            own = [a for a in atoms if a.key == wanted.condition.text]
            if not own:
                return [self._not_formula(measure, wanted.condition, actual.node)]
            atoms = tuple(a for a in atoms if a not in own)
        atoms = tuple(a for a in atoms if not self._is_presence(a, wanted))
        return result + self._filters.claim_when(wanted.when, atoms)

    def _is_presence(self, atom: object, wanted: Expected) -> bool:
        """Counting a column leaves its NULLs out, written as a condition or not."""
        key, op = getattr(atom, "key", ""), getattr(atom, "op", "")
        return op == "is_null" and bool(getattr(atom, "negated", False)) and key in wanted.columns

    def _argument(self, measure: Measure, wanted: Expected, actual: Aggregate) -> list[Finding]:
        if wanted.func == "count" and self._counts_rows(wanted):
            return self._rows(measure, wanted, actual)
        result = []
        if wanted.distinct != actual.distinct and not self._keeps_rows(wanted, actual):
            message = (
                _("“{label}” counts only different values.").format(label=measure.label)
                if wanted.distinct
                else _("“{label}” counts every row.").format(label=measure.label)
            )
            result.append(finding("distinct", message, actual.node, subject=measure.id))
        if not self._same_argument(wanted, actual):
            result.append(self._wrong_argument(measure, wanted, actual))
        return result

    def _counts_rows(self, wanted: Expected) -> bool:
        return wanted.formula is None and not wanted.columns

    def _rows(self, measure: Measure, wanted: Expected, actual: Aggregate) -> list[Finding]:
        """COUNT(*), or a column of the counted table that is never NULL, or its key."""
        if actual.argument is None:
            return []  # rows of one table differ; repeated ones are the matter of `fan_out`
        names = {c.name for c in actual.argument.find_all(exp.Column)}
        table = wanted.table or ""
        own = names and all(name.rpartition(".")[0] == table for name in names)
        whole = names == self._decided.key(table)
        if own and whole:
            return []
        solid = own and all(self._never_null(name) for name in names)
        if solid and not actual.distinct and not wanted.distinct:
            return []
        rule = "distinct" if actual.distinct and solid else "aggregate"
        message = _("“{label}” counts the rows of {table}.").format(
            label=measure.label, table=table
        )
        return [finding(rule, message, actual.node, subject=measure.id, fix=_("Use COUNT(*)."))]

    def _never_null(self, name: str) -> bool:
        column = self._decided.catalog.column(name)
        return column is not None and not column.nullable

    def _keeps_rows(self, wanted: Expected, actual: Aggregate) -> bool:
        """DISTINCT on a table's key counts its rows; that is how repeated rows are counted once."""
        if wanted.distinct or not actual.distinct or actual.argument is None:
            return False
        names = {c.name for c in actual.argument.find_all(exp.Column)}
        tables = {name.rpartition(".")[0] for name in wanted.columns}
        return wanted.func == "count" and any(names == self._decided.key(t) for t in tables)

    def _same_argument(self, wanted: Expected, actual: Aggregate) -> bool:
        if wanted.formula is not None:
            text = canon(actual.argument) if actual.argument is not None else ""
            return text == wanted.formula.text or (
                actual.argument is not None
                and canon(stripped(actual.argument)) == canon(stripped(wanted.formula.expression))
            )
        if actual.argument is None:
            return False
        names = sorted(c.name for c in actual.argument.find_all(exp.Column))
        if self._keeps_rows(wanted, actual):
            return True
        plain = isinstance(stripped(actual.argument), (exp.Column, exp.Tuple))
        if wanted.func != "count" or not wanted.distinct:
            return plain and names == sorted(wanted.columns)
        pairs = zip(names, sorted(wanted.columns), strict=False)
        return (
            plain
            and len(names) == len(wanted.columns)
            and all(self._decided.same(one, other) for one, other in pairs)
        )

    def _wrong_argument(self, measure: Measure, wanted: Expected, actual: Aggregate) -> Finding:
        if wanted.formula is not None:
            return self._not_formula(measure, wanted.formula, actual.node)
        names = ", ".join(wanted.columns) or "rows"
        message = _("“{label}” is computed over {names}.").format(label=measure.label, names=names)
        return finding(
            "aggregate",
            message,
            actual.node,
            subject=measure.id,
            fix=_("Use {names}.").format(names=names),
        )

    # ---- around the aggregates

    def _shape(self, measure: Measure, expression: exp.Expr) -> list[Finding]:
        core = stripped(expression)
        while isinstance(core, (exp.Filter, exp.WithinGroup)):
            core = core.this
        divides = measure.agg == "ratio" or measure.numerator or measure.share
        if not divides:
            if isinstance(core, exp.AggFunc):
                return []
            message = _("“{label}” is changed by further arithmetic.").format(label=measure.label)
            return [finding("aggregate", message, expression, subject=measure.id)]
        return self._division(measure, core)

    def _division(self, measure: Measure, core: exp.Expr) -> list[Finding]:
        result: list[Finding] = []
        averaged = any(a.func == "share" for a in self.aggregates(core))
        if not averaged and core.find(exp.Div) is None:
            message = _("“{label}” is a quotient.").format(label=measure.label)
            result.append(finding("aggregate", message, core, subject=measure.id))
        hundred = any(_is_hundred(n) for n in core.find_all(exp.Literal) if not _in_aggregate(n))
        if hundred != (measure.unit == "percent"):
            message = (
                _("“{label}” is asked for in per cent.").format(label=measure.label)
                if measure.unit == "percent"
                else _("“{label}” is not asked for in per cent.").format(label=measure.label)
            )
            result.append(finding("unit", message, core, subject=measure.id))
        if self._cuts_to_integer(core) and not averaged:
            message = _("“{label}” divides whole numbers, which drops the fraction.").format(
                label=measure.label
            )
            fix = _("Multiply by 1.0 or 100.0 before dividing.")
            result.append(finding("integer_division", message, core, subject=measure.id, fix=fix))
        return result

    def _cuts_to_integer(self, core: exp.Expr) -> bool:
        aggregates = self.aggregates(core)
        if not aggregates or any(not self._whole_number(a) for a in aggregates):
            return False
        decimals = any("." in str(n.this) for n in core.find_all(exp.Literal) if n.is_number)
        return not decimals and core.find(exp.Cast) is None

    def _whole_number(self, a: Aggregate) -> bool:
        if a.func == "count":
            return True
        column = a.argument
        family = self._decided.family(column.name) if isinstance(column, exp.Column) else ""
        return a.func in ("sum", "min", "max") and family == "integer"


def check_fan_out(facts: Facts, decided: Decided) -> list[Finding]:
    """Additive aggregates whose rows a join of the same SELECT can repeat."""
    result = []
    for a in facts.aggregates.values():
        if a.func not in _ADDITIVE or a.distinct or a.windowed:
            continue
        frame = next(f for f in facts.frames if f.number == a.frame)
        instance = _grain(a, frame, facts, decided)
        if instance is not None and multiplied(instance, frame, facts, decided):
            message = _(
                "The joins repeat rows of {table}, so this total counts them again."
            ).format(table=instance.table)
            fix = _("Count its key with DISTINCT, or ask for the other table with EXISTS.")
            result.append(finding("fan_out", message, a.node, subject=instance.table, fix=fix))
    return result


def _grain(a: Aggregate, frame: Frame, facts: Facts, decided: Decided) -> Instance | None:
    """The instance whose rows are added up: the argument's, else the population's."""
    mine = members_of(frame, facts)
    ids = {c.table for c in a.argument.find_all(exp.Column)} if a.argument is not None else set()
    named = [i for i in mine if i.id in ids]
    if named:
        calm = [i for i in named if not multiplied(i, frame, facts, decided)]
        return (calm or named)[0]
    counted = [t for m in decided.intent.measures for t in decided.tables(m.id)]
    tables = [*counted, decided.population() or ""]
    return next((i for table in tables for i in mine if i.table == table), None)


def _is_hundred(node: exp.Literal) -> bool:
    return bool(node.is_number) and float(node.this) == PER_CENT


def _in_aggregate(node: exp.Expr) -> bool:
    return node.find_ancestor(exp.AggFunc, exp.Filter) is not None
