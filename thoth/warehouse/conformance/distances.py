"""The distance between two dates compared with an amount: `a - b <= 30`, `a <= b + INTERVAL '1 month'`."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from thoth.warehouse.conformance import values
from thoth.warehouse.conformance.facts import Facts


@dataclass(frozen=True)
class Distance:
    """`later - earlier op amount`; an amount is a number of days or `n UNIT`."""

    later: exp.Column
    earlier: exp.Column
    op: str
    amount: str

    def comparisons(self, facts: Facts) -> list[tuple[str, str, str]]:
        """(key, operator, amount): whole days in one form, the inner row named apart from the outer."""
        key = f"{_side(self.later, self.earlier, facts)} - {_side(self.earlier, self.later, facts)}"
        if self.op == "=":
            return [(key, ">=", self.amount), (key, "<=", self.amount)]
        if self.op == ">=" and self.amount == "1":
            return [(key, ">", "0")]  # plain dates: one day later at least is later
        return [(key, self.op, self.amount)]


def of(left: exp.Expr, op: str, right: exp.Expr) -> Distance | None:
    """The comparison as a distance between two columns, or None when it is none."""
    for one, one_op, other in ((left, op, right), (right, values.MIRRORED[op], left)):
        constant = values.constant(other)
        found = None
        if isinstance(one, exp.Sub) and constant is not None:
            found = _difference(one, one_op, constant)
        elif isinstance(one, exp.Column):
            found = _shifted(one, one_op, other)
        if found is not None and op != "!=":
            return found
    return None


def _difference(node: exp.Sub, op: str, amount: str) -> Distance | None:
    later, earlier = node.this.unnest(), node.expression.unnest()
    if not isinstance(later, exp.Column) or not isinstance(earlier, exp.Column):
        return None
    return (
        Distance(later, earlier, op, values.number(amount)) if _two_rows(later, earlier) else None
    )


def _shifted(left: exp.Column, op: str, right: exp.Expr) -> Distance | None:
    """`left op right [± amount]`."""
    amount, sign, base = "0", "", right.unnest()
    if isinstance(base, (exp.Add, exp.Sub)):
        amount_ = _amount(base.expression)
        if amount_ is None:
            return None
        sign = "-" if isinstance(base, exp.Sub) else ""
        amount, base = amount_, base.this.unnest()
    if not isinstance(base, exp.Column) or not _two_rows(left, base):
        return None
    if sign:  # a < b - n is b - a > n
        return Distance(base, left, values.MIRRORED[op], amount)
    return Distance(left, base, op, amount)


def _amount(node: exp.Expr) -> str | None:
    node = node.unnest()
    if not isinstance(node, exp.Interval):
        text = values.constant(node)
        return values.number(text) if text is not None else None
    text = values.constant(node.this) if node.this is not None else None
    unit = str(node.args.get("unit") or "").upper().rstrip("S")
    if text is None:
        return None
    days = {"DAY": 1, "WEEK": 7}.get(unit)
    return str(int(text) * days) if days and text.isdigit() else f"{values.number(text)} {unit}"


def _two_rows(one: exp.Column, other: exp.Column) -> bool:
    return bool(one.table and other.table) and one.table != other.table


def _side(column: exp.Column, other: exp.Column, facts: Facts) -> str:
    """`inner` marks the row of the deeper query."""
    mine = facts.instance(column.table).context.depth
    theirs = facts.instance(other.table).context.depth
    return f"inner {column.name}" if mine > theirs else f"outer {column.name}"
