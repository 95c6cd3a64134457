"""Values as typed SQL literals: the text of a person never becomes SQL, only a quoted literal."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from thoth.analyst.compile.errors import UncompilableError
from thoth.contracts.schema import Column

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_YEAR = re.compile(r"\d{4}\Z")
_TRUE = frozenset({"true", "t", "1", "yes", "si", "sì", "vero"})
_FALSE = frozenset({"false", "f", "0", "no", "falso"})
DATES = frozenset({"date", "timestamp"})
NUMBERS = frozenset({"integer", "decimal"})


def cast(value: str, sql_type: str) -> exp.Expr:
    return exp.Cast(
        this=exp.Literal.string(value), to=exp.DataType.build(sql_type, dialect="postgres")
    )


def literal(value: str, column: Column) -> exp.Expr:
    """`value` typed for `column`.  Raises: UncompilableError `bad_value`."""
    makers = {"date": _date, "timestamp": _timestamp, "time": _time, "boolean": _boolean}
    if column.family in NUMBERS:
        return number(value)
    if column.family in makers:
        return makers[column.family](value)
    return exp.Literal.string(value)


def number(value: str) -> exp.Expr:
    """A number, without exponent.  Raises: UncompilableError `bad_value`."""
    try:
        parsed = Decimal(value.strip())
    except InvalidOperation:
        raise UncompilableError("bad_value", f"“{value}” is not a number.", value) from None
    if not parsed.is_finite():
        raise UncompilableError("bad_value", f"“{value}” is not a number.", value)
    text = format(abs(parsed), "f")
    plain = exp.Literal.number(text)
    return exp.Neg(this=plain) if parsed < 0 else plain


def date_of(value: str) -> dt.date:
    """The day that an ISO date or timestamp names.  Raises: UncompilableError `bad_value`."""
    try:
        return dt.datetime.fromisoformat(value.strip()).date()
    except ValueError:
        raise UncompilableError("bad_value", f"“{value}” is not a date.", value) from None


def is_day(value: str) -> bool:
    """Whether the value names a whole day, not a moment in it."""
    return bool(_ISO_DATE.match(value.strip()))


def is_year(value: str) -> bool:
    return bool(_YEAR.match(value.strip()))


def day_after(value: str) -> str:
    return (date_of(value) + dt.timedelta(days=1)).isoformat()


def like_pattern(value: str, op: str) -> exp.Expr:
    """The ILIKE pattern for `contains`, `starts_with` or `ends_with`, wildcards of the value escaped."""
    escaped = re.sub(r"([\\%_])", r"\\\1", value)
    before = "" if op == "starts_with" else "%"
    after = "" if op == "ends_with" else "%"
    return exp.Literal.string(f"{before}{escaped}{after}")


def _date(value: str) -> exp.Expr:
    return cast(date_of(value).isoformat(), "DATE")


def _timestamp(value: str) -> exp.Expr:
    date_of(value)
    return cast(value.strip(), "TIMESTAMP")


def _time(value: str) -> exp.Expr:
    try:
        dt.time.fromisoformat(value.strip())
    except ValueError:
        raise UncompilableError("bad_value", f"“{value}” is not a time of day.", value) from None
    return cast(value.strip(), "TIME")


def _boolean(value: str) -> exp.Expr:
    word = value.strip().casefold()
    if word not in _TRUE | _FALSE:
        raise UncompilableError("bad_value", f"“{value}” is neither true nor false.", value)
    return exp.Boolean(this=word in _TRUE)
