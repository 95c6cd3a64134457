"""Constants and comparisons in one form, so that two ways to write a condition become equal.

`canonical` turns `op value` on a column of a family into simple comparisons: on days `<= d` becomes
`< d + 1`, on integers `> 3` becomes `>= 4`; a year, a month, or (on a timestamp) a day of the intent
becomes an interval.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal, InvalidOperation

from sqlglot import exp

Comparison = tuple[str, str]  # operator and canonical value

MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_YEAR = re.compile(r"\d{4}\Z")
_MONTH = re.compile(r"\d{4}-\d{2}\Z")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
NUMBERS = frozenset({"integer", "decimal"})
DATES = frozenset({"date", "timestamp"})


def constant(node: exp.Expr) -> str | None:
    """The text of a literal, also behind a sign or a cast; None for anything computed."""
    if isinstance(node, exp.Paren):
        return constant(node.this)
    if isinstance(node, exp.Cast):
        return constant(node.this)
    if isinstance(node, exp.Neg):
        inner = constant(node.this)
        return f"-{inner}" if inner is not None else None
    if isinstance(node, exp.Boolean):
        return "true" if node.this else "false"
    return str(node.this) if isinstance(node, exp.Literal) else None


def number(text: str) -> str:
    """One spelling per number; the text itself when it is none."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return text
    return format(value.normalize(), "f") if value.is_finite() else text


def canonical(family: str, op: str, text: str, *, whole_days: bool) -> list[Comparison]:
    """The comparisons that `op text` means. `whole_days`: a day stands for all of its moments."""
    if family in NUMBERS:
        return [_number(family, op, text)]
    if family not in DATES:
        return [(op, text)]
    span = _span(text, days=whole_days or family == "date")
    if span is None:
        return [(op, moment(text, family))]
    start, end = (moment(part, family) for part in span)
    is_point = family == "date" and bool(_DAY.match(text.strip()))
    if op in ("=", "!="):
        return [(op, start)] if is_point else [(">=", start), ("<", end)]
    return [{"<": ("<", start), "<=": ("<", end), ">": (">=", end), ">=": (">=", start)}[op]]


def _number(family: str, op: str, text: str) -> Comparison:
    value = number(text)
    whole = family == "integer" and re.fullmatch(r"-?\d+", value)
    if whole and op in (">", "<="):
        return (">=" if op == ">" else "<"), str(int(value) + 1)
    return op, value


def moment(text: str, family: str) -> str:
    """ISO form: a day for dates, a second for timestamps; the text itself when it is neither."""
    try:
        value = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return text
    return value.date().isoformat() if family == "date" else value.isoformat()


def _span(text: str, *, days: bool) -> tuple[str, str] | None:
    text = text.strip()
    try:
        if _YEAR.match(text):
            return f"{text}-01-01", f"{int(text) + 1:04d}-01-01"
        if _MONTH.match(text):
            first = dt.date.fromisoformat(f"{text}-01")
            return first.isoformat(), (first + dt.timedelta(days=32)).replace(day=1).isoformat()
        if days and _DAY.match(text):
            day = dt.date.fromisoformat(text)
            return text, (day + dt.timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return None
    return None


def like(pattern: str) -> Comparison:
    """`contains`, `starts_with`, `ends_with` with the plain text, or `like` with the pattern."""
    start, end = pattern.startswith("%"), pattern.endswith("%") and not pattern.endswith(r"\%")
    body = pattern[1 if start else 0 : -1 if end and len(pattern) > 1 else None]
    plain = re.sub(r"\\(.)", r"\1", body)
    if re.search(r"(?<!\\)[%_]", body):
        return "like", pattern
    names = {(True, True): "contains", (False, True): "starts_with", (True, False): "ends_with"}
    return names.get((start, end), "="), plain
