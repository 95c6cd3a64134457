"""Dates and periods: "nel 2023", "from April 1 to April 4 2023", "in the last 3 months".

A period is half-open [start, end). "Today" is the task's, never the clock's.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass

from thoth.analyst.language.numbers import ORDINALS, WORDS
from thoth.analyst.language.tokens import Token, fold

_MONTH_NAMES = (
    ("january", "jan", "gennaio"), ("february", "feb", "febbraio"), ("march", "mar", "marzo"),
    ("april", "apr", "aprile"), ("may", "maggio"), ("june", "jun", "giugno"),
    ("july", "jul", "luglio"), ("august", "aug", "agosto"), ("september", "sept", "sep", "settembre"),
    ("october", "oct", "ottobre"), ("november", "nov", "novembre"), ("december", "dec", "dicembre"),
)  # fmt: skip
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (("monday", "lunedi"), ("tuesday", "martedi"), ("wednesday", "mercoledi"),
         ("thursday", "giovedi"), ("friday", "venerdi"), ("saturday", "sabato"),
         ("sunday", "domenica")), 1,
    )
    for name in names
}  # fmt: skip
_UNITS = {
    "day": "day", "days": "day", "giorno": "day", "giorni": "day",
    "week": "week", "weeks": "week", "settimana": "week", "settimane": "week",
    "month": "month", "months": "month", "mese": "month", "mesi": "month",
    "year": "year", "years": "year", "anno": "year", "anni": "year",
    "quarter": "quarter", "quarters": "quarter", "trimestre": "quarter", "trimestri": "quarter",
}  # fmt: skip
_M = r"(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")"
_Y = r"(?P<year>(?:19|20)\d{2})"
_D = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<slash>\d{{1,2}}/\d{{1,2}}/\d{{4}})"
    rf"|{_M}\s+{_D}\s*,?\s*{_Y}|{_D.replace('day', 'day2')}\s+(?:of\s+|di\s+)?{_M.replace('month', 'month2')}\s*,?\s*(?:del\s+)?{_Y.replace('year', 'year2')})"
)
_PARTIAL = rf"(?:{_M.replace('month', 'pm')}\s+{_D.replace('day', 'pd')})"


@dataclass(frozen=True, slots=True)
class PeriodSpan:
    """Characters [start_char, end_char) mean [start, end); `month` a calendar month without year.

    `grain` is the size of what was named: day, month, quarter, year or range.
    """

    start_char: int
    end_char: int
    start: str | None
    end: str | None
    text: str
    grain: str = "range"


def find_periods(text: str, today: dt.date) -> tuple[PeriodSpan, ...]:
    """All periods of `text`, leftmost and longest first, never overlapping."""
    folded = fold_keep_length(text)
    taken: list[PeriodSpan] = []
    for spans in (_ranges(folded), _relative(folded, today), _bounds(folded), _single(folded)):
        for span in spans:
            if all(span.end_char <= t.start_char or span.start_char >= t.end_char for t in taken):
                taken.append(span)
    return tuple(sorted(taken, key=lambda span: span.start_char))


def fold_keep_length(text: str) -> str:
    """Folded, and of the same length, so that offsets hold."""
    return "".join(fold(char)[:1] or " " for char in text)


def _span(
    match: re.Match[str], start: dt.date | None, end: dt.date | None, grain: str
) -> PeriodSpan:
    return PeriodSpan(
        match.start(),
        match.end(),
        start.isoformat() if start else None,
        end.isoformat() if end else None,
        match.group().strip(),
        grain,
    )


_POINT = rf"(?:{_DATE}|{_M.replace('month', 'my')}(?:\s+|\s+del\s+|\s*,\s*|\s+of\s+){_Y.replace('year', 'yy')}|{_Y.replace('year', 'y')})"


def _suffixed(pattern: str, suffix: str) -> str:
    return re.sub(r"\(\?P<(\w+)>", lambda m: f"(?P<{m.group(1)}{suffix}>", pattern)


def _point(groups: dict[str, str | None], suffix: str) -> tuple[dt.date, dt.date, str] | None:
    """[start, end) of one named day, month or year."""

    def get(name: str) -> str:
        return groups.get(name + suffix) or ""

    try:
        day = _day(get)
        if day:
            return day, day + dt.timedelta(days=1), "day"
        if get("my"):
            return (*month_bounds(int(get("yy") or 0), MONTHS[get("my")]), "month")
        if get("y"):
            year = int(get("y"))
            return dt.date(year, 1, 1), dt.date(year + 1, 1, 1), "year"
    except ValueError:
        return None
    return None


def _day(get: Callable[[str], str]) -> dt.date | None:
    if get("iso"):
        return dt.date.fromisoformat(get("iso"))
    if get("slash"):
        day, month, year = (int(part) for part in get("slash").split("/"))
        return dt.date(year, month, day)
    if get("month"):
        return dt.date(int(get("year")), MONTHS[get("month")], int(get("day")))
    if get("month2"):
        return dt.date(int(get("year2")), MONTHS[get("month2")], int(get("day2")))
    return None


def month_bounds(year: int, month: int) -> tuple[dt.date, dt.date]:
    start = dt.date(year, month, 1)
    return start, add_months(start, 1)


def add_months(day: dt.date, months: int) -> dt.date:
    """The same day `months` later, cut to the length of the month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


_RANGE = re.compile(
    rf"(?:\b(?:between|from|tra|fra|dal|dall'|dalla|da)\s+(?:il\s+|the\s+|l')?{_suffixed(_POINT, 'A')}\s+"
    rf"(?:and|to|until|through|till|e|al|all'|alla|a|ed)\s+(?:il\s+|the\s+|l')?{_suffixed(_POINT, 'B')}\b"
    rf"|\b{_suffixed(_POINT, 'C')}\s*[-–]\s*{_suffixed(_POINT, 'E')}\b)"
    r"(?:\s*\((?:both |inclusive|inclus|compres)[^)]*\))?"
)
_SHARED = re.compile(
    rf"\b(?:between|from|tra|fra|dal|da)\s+{_M.replace('month', 'm1')}\s+(?:and|to|e|a)\s+{_M.replace('month', 'm2')}\s+{_Y}\b"
)
_SHARED_DAYS = re.compile(
    rf"\b(?:between|from)\s+{_M.replace('month', 'm1')}\s+(?P<d1>\d{{1,2}})\s*,?\s*(?:and|to)\s+{_M.replace('month', 'm2')}\s+(?P<d2>\d{{1,2}})\s*,?\s*{_Y}\b"
)


def _ranges(text: str) -> list[PeriodSpan]:
    found = []
    for match in _RANGE.finditer(text):
        groups = match.groupdict()
        first = _point(groups, "A") or _point(groups, "C")
        last = _point(groups, "B") or _point(groups, "E")
        if first and last and first[0] < last[1]:
            found.append(_span(match, first[0], last[1], "range"))
    for match in _SHARED.finditer(text):
        year = int(match["year"])
        start, end = (
            month_bounds(year, MONTHS[match["m1"]])[0],
            month_bounds(year, MONTHS[match["m2"]])[1],
        )
        found.append(_span(match, start, end, "range"))
    for match in _SHARED_DAYS.finditer(text):
        year = int(match["year"])
        try:
            start = dt.date(year, MONTHS[match["m1"]], int(match["d1"]))
            end = dt.date(year, MONTHS[match["m2"]], int(match["d2"])) + dt.timedelta(days=1)
        except ValueError:
            continue
        found.append(_span(match, start, end, "range"))
    return found


_UNIT = "(?P<unit>" + "|".join(sorted(_UNITS, key=len, reverse=True)) + ")"
_COUNT = r"(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|ten|twelve|due|tre|quattro|cinque|sei|sette|otto|dieci|dodici)"
_LAST = re.compile(
    rf"\b(?:(?:in|for|over|during|within)\s+)?(?:each\s+of\s+)?(?:the\s+)?(?:whole\s+of\s+the\s+)?(?:last|past|previous|prior|preceding|ultimi|ultime|ultimo|ultima|scorso|scorsa|negli ultimi|nelle ultime|nell'ultimo|nell'ultima|precedente)\s+(?:{_COUNT}\s+)?(?P<iso>iso\s+|calendar\s+|full\s+)?{_UNIT}\b"
    r"(?P<tail>[\s,]*\(?(?:not including|excluding|exclusive of|escluso|esclusa|inclusive of|including|compreso)\s+(?:the\s+|il\s+|la\s+)?(?P<what>current\s+\w+|today(?:'s\s+date)?|\d+\s+\w+\s+ago|mese corrente|settimana corrente|anno corrente|oggi)\)?)?"
)
_LAST_IT = re.compile(rf"\b(?:lo |la |il |l')?{_UNIT}\s+(?:scorso|scorsa|precedente)\b")
_THIS = re.compile(rf"\b(?:this|current|quest'|questo|questa)\s*{_UNIT}\b")
_TODAY = re.compile(r"\b(?P<word>today|yesterday|oggi|ieri)\b(?!'s date)")


def _relative(text: str, today: dt.date) -> list[PeriodSpan]:
    found = []
    for match in _LAST.finditer(text):
        start, end, grain = _last(match, today)
        found.append(_span(match, start, end, grain))
    for match in _LAST_IT.finditer(text):
        unit = _UNITS[match["unit"]]
        end = floor(today, unit)
        found.append(_span(match, shift(end, unit, -1), end, unit))
    for match in _THIS.finditer(text):
        unit = _UNITS[match["unit"]]
        start = floor(today, unit)
        found.append(_span(match, start, shift(start, unit, 1), unit))
    for match in _TODAY.finditer(text):
        day = today - dt.timedelta(days=match["word"] in ("yesterday", "ieri"))
        found.append(_span(match, day, day + dt.timedelta(days=1), "day"))
    return found


def _last(match: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date | None, str]:
    unit = _UNITS[match["unit"]]
    count = (
        int(match["count"])
        if (match["count"] or "").isdigit()
        else WORDS.get(match["count"] or "", 1)
    )
    what = match["what"] or ""
    calendar_cut = match["iso"] or what.startswith(("current", "mese", "settimana", "anno"))
    bare = match["count"] is None and not re.search(r"\bpast\b|\bin the last\b", match.group())
    if calendar_cut or bare:
        end = floor(today, unit)
        return shift(end, unit, -count), end, unit if count == 1 else "range"
    if what.startswith(("today", "oggi")) and unit == "day":
        return today - dt.timedelta(days=count - 1), None, "range"
    return shift(today, unit, -count), None, "range"


def floor(day: dt.date, unit: str) -> dt.date:
    """First day of the week, month, quarter or year of `day`."""
    if unit == "week":
        return day - dt.timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    if unit == "quarter":
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    if unit == "year":
        return day.replace(month=1, day=1)
    return day


def shift(day: dt.date, unit: str, count: int) -> dt.date:
    if unit == "day":
        return day + dt.timedelta(days=count)
    if unit == "week":
        return day + dt.timedelta(weeks=count)
    return add_months(day, count * {"month": 1, "quarter": 3, "year": 12}[unit])


_SINCE = re.compile(
    rf"\b(?:since|from|on or after|starting(?:\s+from|\s+in)?|as of|dal|dall'|dalla|a partire dal|a partire dall'|a partire da)\s+(?:l'|il\s+|the\s+)?{_POINT}(?:\s+(?:on|onwards?|in poi|in avanti))?\b"
)
_AFTER = re.compile(rf"\b(?:after|dopo)\s+(?:il\s+|the\s+)?{_POINT}\b")
_BEFORE = re.compile(
    rf"\b(?:before|prior to|prima del|prima dell'|prima di)\s*(?:il\s+|the\s+)?{_POINT}\b"
)
_UNTIL = re.compile(
    rf"\b(?:until|up to|through|on or before|fino al|fino a)\s+(?:the\s+)?{_POINT}\b"
)


def _bounds(text: str) -> list[PeriodSpan]:
    found = []
    for pattern in (_SINCE, _AFTER, _BEFORE, _UNTIL):
        for match in pattern.finditer(text):
            point = _point(match.groupdict(), "")
            if point is None:
                continue
            bounds = {
                _SINCE: (point[0], None), _AFTER: (point[1], None),
                _BEFORE: (None, point[0]), _UNTIL: (None, point[1]),
            }[pattern]  # fmt: skip
            found.append(_span(match, *bounds, "range"))
    return found


_ORD = "(?P<ord>" + "|".join(ORDINALS) + ")"
_QUARTER = re.compile(
    rf"\b(?:in\s+|nel\s+)?(?:the\s+|il\s+)?(?:{_ORD}\s+(?:quarter|trimestre)|q(?P<q>[1-4]))\s*(?:of|del|,)?\s*(?:the\s+year\s+)?{_Y}\b"
)
_HALF = re.compile(rf"\b(?:nel\s+|in\s+the\s+)?{_ORD}\s+(?:half|semestre)\s+(?:of|del)\s+{_Y}\b")
_SINGLE = re.compile(
    rf"\b(?:(?:in|on|during|for|of|nel|nell'|del|dell'|a|al|il|nei|durante)\s+)?(?:the\s+)?(?:(?:year|month of|anno|mese di)\s+)?{_POINT}\b"
)


def _single(text: str) -> list[PeriodSpan]:
    found = []
    for match in _QUARTER.finditer(text):
        quarter = int(match["q"]) if match["q"] else ORDINALS[match["ord"]]
        start = dt.date(int(match["year"]), quarter * 3 - 2, 1)
        found.append(_span(match, start, add_months(start, 3), "quarter"))
    for match in _HALF.finditer(text):
        start = dt.date(int(match["year"]), ORDINALS[match["ord"]] * 6 - 5, 1)
        found.append(_span(match, start, add_months(start, 6), "range"))
    for match in _SINGLE.finditer(text):
        point = _point(match.groupdict(), "")
        if point:
            found.append(_span(match, *point))
    return found


def tokens_of(span: PeriodSpan, tokens: tuple[Token, ...]) -> range:
    """Indexes of the tokens inside the span."""
    inside = [t.index for t in tokens if t.start < span.end_char and t.end > span.start_char]
    return range(inside[0], inside[-1] + 1) if inside else range(0)
