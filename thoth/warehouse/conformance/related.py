"""`exists` and `followed_within`: the related rows that must, or must not, be there."""

from __future__ import annotations

from django.utils.translation import gettext as _

from thoth.contracts.intent import Filter
from thoth.warehouse.conformance.decided import Decided
from thoth.warehouse.conformance.facts import Atom, Facts, Instance
from thoth.warehouse.conformance.report import Finding, finding

_DAYS = {"day": 1, "week": 7}


def check_exists(facts: Facts, decided: Decided) -> list[Finding]:
    """Each `exists` has an EXISTS (or a join) over its table with its sign."""
    result = []
    for filter_ in decided.intent.filters:
        if filter_.op != "exists":
            continue
        tables = decided.tables(filter_.id) or [
            c.rpartition(".")[0] for c in decided.columns(filter_.id)
        ]
        result += _exists(filter_, tables[:1], facts, decided)
    return result


def _exists(filter_: Filter, tables: list[str], facts: Facts, decided: Decided) -> list[Finding]:
    mine = [i for i in facts.instances if i.table in tables]
    wanted = filter_.negated != decided.parity(filter_)
    if any(_fits(i, wanted=wanted) for i in mine):
        return []
    inside = [i for i in mine if i.context.depth > 0]
    if inside:
        message = (
            _("“{subject}” must not have rows; the query asks for the contrary.").format(
                subject=filter_.subject
            )
            if filter_.negated
            else _("“{subject}” must have rows; the query asks for the contrary.").format(
                subject=filter_.subject
            )
        )
        return [finding("negation", message, inside[0].node, subject=filter_.id)]
    message = _("The condition that “{subject}” has rows or none is missing.").format(
        subject=filter_.subject
    )
    return [finding("filter_missing", message, subject=filter_.id)]


def _fits(instance: Instance, *, wanted: bool) -> bool:
    """A positive `exists` is met by an inner join too."""
    joined = instance.context.depth == 0 and instance.side in ("", "INNER") and not wanted
    return joined or (instance.context.depth > 0 and instance.context.exists_negated == wanted)


def check_followed(
    facts: Facts, decided: Decided, atoms: list[Atom]
) -> tuple[list[Finding], set[int]]:
    """The findings of all `followed_within` and `preceded_within` filters, and the atoms they own."""
    result: list[Finding] = []
    used: set[int] = set()
    for filter_ in decided.intent.filters:
        if filter_.op in ("followed_within", "preceded_within"):
            found, mine = _followed(filter_, facts, decided, atoms)
            result += found
            used |= mine
    return result, used


def _followed(
    filter_: Filter, facts: Facts, decided: Decided, atoms: list[Atom]
) -> tuple[list[Finding], set[int]]:
    key, keys = _distance_key(filter_, decided)
    amount = _amount(filter_)
    mine = [a for a in atoms if a.key == key]
    wanted = filter_.negated != decided.parity(filter_)
    lower = [a for a in mine if (a.op, a.value) in ((">", "0"), (">=", "1"))]
    upper = [a for a in mine if (a.op, a.value) == ("<=", amount)]
    used = {a.number for a in mine}
    if not mine:
        message = _("“{subject}” must be followed within {amount} {unit}.").format(
            subject=filter_.subject, amount=filter_.amount, unit=filter_.unit
        )
        return [finding("filter_missing", message, subject=filter_.id)], used
    if not lower or not upper:
        message = _(
            "The time between the rows must be more than nothing and at most {amount}."
        ).format(amount=amount)
        return [finding("filter_value", message, mine[0].node, subject=filter_.id)], used
    if any(a.context.exists_negated != wanted for a in (*lower, *upper)):
        message = _("“{subject}” has the wrong sign.").format(subject=filter_.subject)
        return [finding("negation", message, mine[0].node, subject=filter_.id)], used
    linked = {e.left for e in facts.equalities if e.left == e.right}
    if not set(keys) <= linked:
        message = _("The two rows must belong to the same person.")
        return [finding("filter_missing", message, mine[0].node, subject=filter_.id)], used
    return [], used


def _distance_key(filter_: Filter, decided: Decided) -> tuple[str, list[str]]:
    columns = decided.columns(filter_.id)
    roles = {c: decided.slice.columns[c].role for c in columns}
    dates = [c for c in columns if decided.family(c) in ("date", "timestamp")]
    keys = [c for c in columns if roles[c] == "key" or c not in dates]
    begin = next((c for c in dates if roles[c] == "period"), dates[0] if dates else "")
    end = next((c for c in dates if c != begin), begin)
    if filter_.op == "followed_within":
        return f"inner {begin} - outer {end}", keys
    return f"outer {begin} - inner {end}", keys


def _amount(filter_: Filter) -> str:
    days = _DAYS.get(filter_.unit or "")
    amount = filter_.amount or 0
    return str(amount * days) if days else f"{amount} {(filter_.unit or '').upper()}"
