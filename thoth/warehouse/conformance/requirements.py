"""What each filter of the intent must look like in the SQL, as comparisons on columns."""

from __future__ import annotations

from dataclasses import dataclass

from thoth.contracts.decisions import ValueGrounded
from thoth.contracts.intent import Filter
from thoth.warehouse.conformance import values
from thoth.warehouse.conformance.decided import Decided

PERIOD = "period"


@dataclass(frozen=True)
class Spec:
    """One comparison. `subject` is the decision behind it."""

    key: str
    op: str
    value: str = ""
    negated: bool = False
    subject: str = ""

    def flipped(self) -> Spec:
        if self.op in values.OPPOSITE:
            return Spec(
                self.key, values.OPPOSITE[self.op], self.value, negated=False, subject=self.subject
            )
        return Spec(self.key, self.op, self.value, not self.negated, self.subject)


@dataclass(frozen=True)
class Requirement:
    """The positive condition of a filter (or the period): all or any of `specs`.

    `negated` is the filter's own; `parity` and `depth` say in how many `exists` it stands;
    `alternatives` are other ways to write the same.
    """

    id: str
    label: str
    specs: tuple[Spec, ...]
    any_of: bool
    negated: bool
    parity: bool
    depth: int
    role: str
    group: str
    mixed: bool = False
    alternatives: tuple[tuple[Spec, ...], ...] = ()


def requirement_of(filter_: Filter, decided: Decided) -> Requirement | None:
    """The filter's comparisons; None when it is no comparison (exists, followed, having) or unserved."""
    negated = filter_.negated
    formula = decided.formula(filter_.id, filter_.concept)
    mixed = False
    if formula is not None:
        specs, any_of = _on_formula(filter_, formula.text, condition=formula.is_condition)
        negated = negated != (filter_.op == "!=")
    elif grounded := _groundings(filter_, decided):
        specs, any_of, mixed = _grounded(grounded, decided)
        negated = negated != (filter_.op == "!=")
    else:
        specs, any_of, negated = _on_columns(filter_, decided)
    if not specs:
        return None
    return Requirement(
        filter_.id, filter_.subject, specs, any_of, negated, decided.parity(filter_),
        decided.depth(filter_), filter_.role, filter_.any_of or filter_.id, mixed,
    )  # fmt: skip


def _groundings(filter_: Filter, decided: Decided) -> dict[str, ValueGrounded]:
    return {k: g for k, g in decided.slice.groundings.items() if filter_.id in g.serves}


def _grounded(
    grounded: dict[str, ValueGrounded], decided: Decided
) -> tuple[tuple[Spec, ...], bool, bool]:
    specs: list[Spec] = []
    for literal, value in grounded.items():
        for g in value.groundings:
            specs += _grounding_specs(g.column, g.op, g.value, literal, decided)
    specs = list(dict.fromkeys(specs))
    inner_all = any(v.combine == "all" and len(v.groundings) > 1 for v in grounded.values())
    any_of = not inner_all and len(specs) > 1
    return tuple(specs), any_of, inner_all and len(grounded) > 1


def _grounding_specs(
    column: str, op: str, value: str, literal: str, decided: Decided
) -> list[Spec]:
    if op in ("is_true", "is_false"):
        return [Spec(column, "is_true", "", op == "is_false", literal)]
    return [_with_subject(s, literal) for s in _compare(column, op, value, decided)]


def _with_subject(spec: Spec, subject: str) -> Spec:
    return Spec(spec.key, spec.op, spec.value, spec.negated, subject)


def _compare(column: str, op: str, value: str, decided: Decided) -> list[Spec]:
    """`column op value`, an interval being two comparisons."""
    family = decided.family(column)
    if op in ("contains", "starts_with", "ends_with"):
        return [Spec(column, op, value)]
    if family == "boolean":
        truth = value.strip().casefold() in ("true", "t", "1", "yes", "si", "sì", "vero")
        return [Spec(column, "is_true", "", not truth)]
    simple = values.canonical(family, op, value, whole_days=True)
    return [Spec(column, one_op, one_value) for one_op, one_value in simple]


def _on_formula(filter_: Filter, text: str, *, condition: bool) -> tuple[tuple[Spec, ...], bool]:
    if condition or not filter_.values:
        return (Spec(text, "formula", "", subject=filter_.concept or ""),), False
    family = {"number": "decimal", "date": "date"}.get(filter_.kind, "text")
    specs: list[Spec] = []
    for op, value in _pairs(filter_):
        simple = values.canonical(family, op, value, whole_days=True)
        specs += [Spec(text, o, v, subject=filter_.concept or "") for o, v in simple]
    return tuple(specs), len(filter_.values) > 1 and filter_.op != "between"


def _pairs(filter_: Filter) -> list[tuple[str, str]]:
    if filter_.op == "between" and len(filter_.values) == 2:
        return [(">=", filter_.values[0]), ("<=", filter_.values[1])]
    op = "=" if filter_.op in ("in", "!=") else filter_.op
    return [(op, value) for value in filter_.values]


def _on_columns(filter_: Filter, decided: Decided) -> tuple[tuple[Spec, ...], bool, bool]:
    columns = decided.columns(filter_.id)
    negated = filter_.negated != (filter_.op == "!=")
    if filter_.op in ("is_null", "is_true"):
        specs = tuple(Spec(c, filter_.op, subject=c) for c in columns)
        return specs, len(specs) > 1, negated
    if filter_.op in ("exists", "followed_within", "preceded_within") or filter_.role == "having":
        return (), False, negated
    found = [
        _with_subject(spec, column)
        for column in columns
        for op, value in _pairs(filter_)
        for spec in _compare(column, op, value, decided)
    ]
    single = len(columns) == 1 and (len(filter_.values) <= 1 or filter_.op == "between")
    return tuple(found), not single and len(found) > 1, negated


def period_requirement(decided: Decided) -> Requirement | None:
    """The half-open period on its column."""
    period = decided.intent.period
    if period is None:
        return None
    columns = decided.columns(period.id)
    formula = decided.formula(period.id, period.subject) if not columns else None
    key = columns[0] if columns else (formula.text if formula else "")
    if not key:
        return None
    family = decided.family(key) if columns else "date"
    bounds = [(op, v) for op, v in ((">=", period.start), ("<", period.end)) if v is not None]
    if family == "integer":
        bounds = [(op, value[:4]) for op, value in bounds]
    specs = tuple(_bound(key, family, op, value, period.subject) for op, value in bounds)
    outer = decided.filters.get(period.within or "")
    parity = outer is not None and outer.negated != decided.parity(outer)
    depth = 1 + decided.depth(outer) if outer else 0
    alternatives = _single_year(key, family, period.start, period.end)
    return Requirement(
        id=PERIOD,
        label=period.subject,
        specs=specs,
        any_of=False,
        negated=False,
        parity=parity,
        depth=depth,
        role="rows",
        group=PERIOD,
        alternatives=alternatives,
    )


def _bound(key: str, family: str, op: str, value: str, subject: str) -> Spec:
    text = value if family == "integer" else values.moment(value, family)
    return Spec(key, op, text, subject=subject)


def _single_year(
    key: str, family: str, start: str | None, end: str | None
) -> tuple[tuple[Spec, ...], ...]:
    if family != "integer" or not start or not end or int(end[:4]) - int(start[:4]) != 1:
        return ()
    return ((Spec(key, "=", start[:4]),),)
