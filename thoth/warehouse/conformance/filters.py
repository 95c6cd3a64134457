"""Filters: each one present, with its operator, value, sign and place; nothing else filters."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from thoth.warehouse.conformance.decided import Decided
from thoth.warehouse.conformance.facts import Atom, Facts
from thoth.warehouse.conformance.report import Finding, finding
from thoth.warehouse.conformance.requirements import (
    Requirement,
    Spec,
    period_requirement,
    requirement_of,
)


@dataclass(frozen=True)
class _Form:
    """One way to write a requirement: these comparisons under that parity of negated EXISTS."""

    specs: tuple[Spec, ...]
    any_of: bool
    parity: bool


class FilterRules:
    """Matches requirements with atoms. Atoms that no requirement claims are extra filters."""

    def __init__(self, facts: Facts, decided: Decided) -> None:
        self._facts = facts
        self._decided = decided
        self.used: set[int] = set()
        self._groups: dict[str, set[int | None]] = {}  # group -> ORs that its atoms stand under
        self._owners: dict[int, set[str]] = {}  # OR -> groups that have atoms under it
        self.findings: list[Finding] = []

    def check(self) -> list[Finding]:
        """The findings about filters that restrict rows."""
        for requirement in self._requirements("rows"):
            self.claim(requirement, self._facts.atoms)
        self._check_combinations()
        return self.findings

    def _requirements(self, role: str) -> list[Requirement]:
        served = [requirement_of(f, self._decided) for f in self._decided.intent.filters]
        found = [r for r in (*served, period_requirement(self._decided)) if r is not None]
        return [r for r in found if self._role(r) == role]

    def _role(self, requirement: Requirement) -> str:
        """Conditions within an `exists` have the role of the outermost filter."""
        filter_ = self._decided.filters.get(requirement.id)
        period = self._decided.intent.period
        if filter_ is None:
            filter_ = self._decided.filters.get((period.within if period else None) or "")
        while filter_ is not None and filter_.within in self._decided.filters:
            filter_ = self._decided.filters[filter_.within]
        return filter_.role if filter_ is not None else "rows"

    def claim_when(self, ids: tuple[str, ...], atoms: tuple[Atom, ...]) -> list[Finding]:
        """The findings about the conditions of one aggregate: the filters `ids`, and no others."""
        own = FilterRules(self._facts, self._decided)
        own.used = set(self.used)
        within = {f.id for f in self._decided.intent.filters if f.within in ids}
        for requirement in self._requirements("when"):
            if requirement.id in {*ids, *within}:
                own.claim(requirement, list(atoms))
        return own.findings + [_extra(a) for a in atoms if a.number not in own.used]

    def claim(self, requirement: Requirement, atoms: list[Atom]) -> None:
        """Find the atoms of a requirement and mark them as used, or say what is wrong."""
        free = [a for a in atoms if a.number not in self.used and a.context.place != "having"]
        for form in _forms(requirement):
            matched = _match(form, free, requirement)
            if matched is not None:
                self._use(requirement, form, matched)
                return
        self._diagnose(requirement, free)

    def _use(self, requirement: Requirement, form: _Form, atoms: list[Atom]) -> None:
        self.used |= {a.number for a in atoms}
        ors = {a.context.or_id for a in atoms}
        for or_id in ors - {None}:
            self._owners.setdefault(or_id or 0, set()).add(requirement.group)
        self._groups.setdefault(requirement.group, set()).update(ors)
        if form.any_of and not requirement.mixed and (len(ors) > 1 or None in ors):
            message = _("The alternatives of “{label}” must be joined by OR.").format(
                label=requirement.label
            )
            self.findings.append(
                finding("combination", message, atoms[0].node, subject=requirement.id)
            )
        elif (
            not form.any_of
            and len(atoms) > 1
            and ors != {None}
            and not self._is_shared(requirement)
        ):
            message = _("All conditions of “{label}” must hold together.").format(
                label=requirement.label
            )
            self.findings.append(
                finding("combination", message, atoms[0].node, subject=requirement.id)
            )

    def _is_shared(self, requirement: Requirement) -> bool:
        members = [f for f in self._decided.intent.filters if f.any_of == requirement.group]
        return len(members) > 1

    def _check_combinations(self) -> None:
        for or_id, groups in self._owners.items():
            atoms = [a for a in self._facts.atoms if a.context.or_id == or_id]
            if len(groups) > 1 or any(a.number not in self.used for a in atoms):
                message = _("Conditions that must hold together are joined by OR.")
                self.findings.append(
                    finding(
                        "combination", message, atoms[0].node, subject=", ".join(sorted(groups))
                    )
                )
        for filter_ in self._decided.intent.filters:
            group = filter_.any_of
            members = [f for f in self._decided.intent.filters if group and f.any_of == group]
            ors = self._groups.get(group or "", set())
            if len(members) > 1 and filter_ is members[0] and (len(ors) > 1 or None in ors):
                message = _("“{subject}” and its alternatives must be joined by OR.").format(
                    subject=filter_.subject
                )
                self.findings.append(finding("combination", message, subject=filter_.id))

    def _diagnose(self, requirement: Requirement, atoms: list[Atom]) -> None:
        wanted = requirement.specs
        keys = {s.key for s in wanted}
        near = [a for a in atoms if a.key in keys]
        rule, message, atom = _nearest(requirement, atoms)
        if atom is not None:
            self.used |= {a.number for a in near} | {atom.number}
        node = atom.node if atom is not None else None
        joiner = " OR " if requirement.any_of else " AND "
        fix = _("Use {names}").format(names=joiner.join(_shown(s) for s in wanted[:4]))
        subject = next((s.subject for s in wanted if s.subject), requirement.id)
        self.findings.append(finding(rule, message, node, subject=subject, fix=fix))

    def extra(self) -> list[Finding]:
        """Conditions on rows that no decision asks for."""
        return [
            _extra(a) for a in self._facts.atoms if a.number not in self.used and self._counts(a)
        ]

    def _counts(self, atom: Atom) -> bool:
        """NULL and truth tests follow their column's promotion, which is a rule of its own."""
        return atom.op != "is_null" or atom.key not in self._decided.slice.columns


def _forms(requirement: Requirement) -> list[_Form]:
    forms = []
    for specs in (requirement.specs, *requirement.alternatives):
        plain = _Form(specs, requirement.any_of, requirement.parity)
        if not requirement.negated:
            forms.append(plain)
            continue
        flipped = tuple(s.flipped() for s in specs)
        conjunction = len(specs) > 1 and not requirement.any_of
        forms.append(_Form(flipped, conjunction, requirement.parity))
        forms.append(_Form(specs, requirement.any_of, not requirement.parity))
    return forms


def _match(form: _Form, atoms: list[Atom], requirement: Requirement) -> list[Atom] | None:
    """One atom for each comparison, or None. A row-level negation may not hide inside an EXISTS."""
    found: list[Atom] = []
    for spec in form.specs:
        fitting = [
            a
            for a in atoms
            if _equal(a, spec) and a.context.exists_negated == form.parity and a not in found
        ]
        if requirement.negated and form.parity == requirement.parity:
            fitting = [a for a in fitting if a.context.depth <= requirement.depth]
        if not fitting:
            return None
        found.append(fitting[0])
    return found


def _equal(atom: Atom, spec: Spec) -> bool:
    if (atom.key, atom.op, atom.negated) != (spec.key, spec.op, spec.negated):
        return False
    if spec.op in ("contains", "starts_with", "ends_with"):
        return atom.value.casefold() == spec.value.casefold()
    return atom.value == spec.value


def _nearest(requirement: Requirement, atoms: list[Atom]) -> tuple[str, str, Atom | None]:
    """The rule that the closest atom breaks, a message, and the atom."""
    specs, free = _unmatched(requirement, atoms)
    label = requirement.label
    for spec in specs:
        near = [a for a in free if a.key == spec.key]
        same = next((a for a in near if _alike(a, spec)), None)
        if same is not None:
            message = (
                _("The condition on “{label}” must be negated.").format(label=label)
                if requirement.negated
                else _("The condition on “{label}” must not be negated.").format(label=label)
            )
            return "negation", message, same
        valued = next((a for a in near if a.value == spec.value and a.op != spec.op), None)
        if valued is not None:
            return (
                "filter_operator",
                _("“{label}” is compared with another operator.").format(label=label),
                valued,
            )
        if near:
            return (
                "filter_value",
                _("“{label}” is compared with another value.").format(label=label),
                near[0],
            )
    shown = {s.value for s in specs if s.value}
    elsewhere = next((a for a in free if a.value in shown), None)
    if elsewhere is not None:
        return (
            "filter_value",
            _("The value of “{label}” is sought in another column.").format(label=label),
            elsewhere,
        )
    return "filter_missing", _("The condition on “{label}” is missing.").format(label=label), None


def _unmatched(requirement: Requirement, atoms: list[Atom]) -> tuple[list[Spec], list[Atom]]:
    """What is left of the best fitting form, and of the atoms, when equal ones are paired off."""
    best: tuple[list[Spec], list[Atom]] | None = None
    for form in _forms(requirement):
        free, left = list(atoms), []
        for spec in form.specs:
            fit = next(
                (a for a in free if _equal(a, spec) and a.context.exists_negated == form.parity),
                None,
            )
            if fit is None:
                left.append(spec)
            else:
                free.remove(fit)
        if best is None or len(left) < len(best[0]):
            best = (left, free)
    # Everything pairs off when only the place of a negation is wrong.
    return best if best and best[0] else (list(requirement.specs), list(atoms))


def _alike(atom: Atom, spec: Spec) -> bool:
    """Equal but for the sign."""
    one = Spec(atom.key, atom.op, atom.value)
    other = Spec(spec.key, spec.op, spec.value)
    return one in (other, other.flipped()) or one == Spec(spec.key, spec.flipped().op, spec.value)


def _shown(spec: Spec) -> str:
    sign = "NOT " if spec.negated else ""
    return f"{sign}{spec.key} {spec.op} {spec.value}".strip()


def _extra(atom: Atom) -> Finding:
    return finding(
        "extra_filter",
        _("This condition restricts the rows although no decision asks for it."),
        atom.node,
        subject=atom.key,
        fix=_("Remove it, or go back and have it decided."),
    )
