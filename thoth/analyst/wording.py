"""An intent in words, for the reviewer to approve: what is asked, of what, under which conditions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from thoth.analyst.reading.reading import Reading
from thoth.contracts.intent import Filter, Measure, Period, QueryIntent

_OPS = {
    "=": ("is", "è"), "!=": ("is not", "non è"), "<": ("below", "inferiore a"),
    "<=": ("at most", "al massimo"), ">": ("above", "superiore a"), ">=": ("at least", "almeno"),
    "between": ("between", "tra"), "in": ("one of", "uno tra"), "contains": ("contains", "contiene"),
    "starts_with": ("starts with", "inizia con"), "ends_with": ("ends with", "finisce con"),
    "is_null": ("is empty", "è vuoto"), "is_true": ("is true", "è vero"),
    "exists": ("there is at least one", "c'è almeno un"),
    "followed_within": ("followed by another one within", "seguito da un altro entro"),
    "preceded_within": ("preceded by another one within", "preceduto da un altro entro"),
}  # fmt: skip
_NEGATED = {
    "=": ("is not", "non è"), "contains": ("does not contain", "non contiene"),
    "is_null": ("is filled in", "è valorizzato"), "is_true": ("is not true", "non è vero"),
    "exists": ("there is no", "non c'è alcun"),
}  # fmt: skip
_AGGREGATES = {
    "count": ("number of", "numero di"), "sum": ("total of", "totale di"),
    "avg": ("average of", "media di"), "min": ("minimum of", "minimo di"),
    "max": ("maximum of", "massimo di"), "median": ("median of", "mediana di"),
    "stddev": ("standard deviation of", "deviazione standard di"), "value": ("", ""),
    "ratio": ("share of", "quota di"),
}  # fmt: skip
_GRAINS = {
    "year": "anno", "quarter": "trimestre", "month": "mese", "week": "settimana", "day": "giorno",
    "hour": "ora", "weekday": "giorno della settimana", "month_of_year": "mese dell'anno",
    "hour_of_day": "ora del giorno",
}  # fmt: skip
_UNITS = {
    "second": "secondi", "minute": "minuti", "hour": "ore", "day": "giorni", "week": "settimane",
    "month": "mesi", "year": "anni", "percent": "%",
}  # fmt: skip
_ASSUMED_PERIOD = "The period is that of "


def in_words(intent: QueryIntent, language: str) -> str:
    """A sentence that says what is asked, then numbered conditions, period, order, each on a line."""
    say = _Words(intent, italian=language == "it")
    return "\n".join([say.head(), *say.conditions(), *say.order()])


class _Words:
    def __init__(self, intent: QueryIntent, *, italian: bool) -> None:
        self.intent, self.italian = intent, italian

    def of(self, pair: tuple[str, str]) -> str:
        return pair[1] if self.italian else pair[0]

    def head(self) -> str:
        intent = self.intent
        if not intent.measures:
            shown = ", ".join(d.label for d in intent.dimensions)
            listed = (
                ("List", "Elenca")
                if not intent.distinct
                else ("List, without repetitions,", "Elenca, senza ripetizioni,")
            )
            return f"{self.of(listed)} {shown} ({self.of(('from', 'da'))} {self.named(intent.population)})."  # fmt: skip
        shown = "; ".join(self.measure(m) for m in self._shown())
        text = f"{self.of(('Compute', 'Calcola'))}: {shown}"
        if intent.dimensions:
            text += f", {self.of(('for each', 'per ciascun'))} " + ", ".join(map(self.dimension, intent.dimensions))  # fmt: skip
        counted = all(m.of == "*" and not m.distinct for m in self._shown())
        return (
            f"{text}."
            if counted
            else f"{text} ({self.of(('over', 'su'))} {self.named(intent.population)})."
        )

    def named(self, concept: str) -> str:
        return f"«{concept}»" if self.italian else f"“{concept}”"

    def _shown(self) -> Sequence[Measure]:
        shown = {o.of for o in self.intent.output}
        return [m for m in self.intent.measures if m.id in shown] or self.intent.measures

    def measure(self, measure: Measure) -> str:
        if measure.numerator and measure.denominator:
            sides = [
                m for m in self.intent.measures if m.id in (measure.numerator, measure.denominator)
            ]
            return self.of((" divided by ", " diviso ")).join(self.measure(m) for m in sides)  # fmt: skip
        of = self.intent.population if measure.of == "*" else measure.of
        distinct = self.of(("distinct ", "distinti: ")) if measure.distinct else ""
        agg = self.of(("percentage of", "percentuale di")) if measure.agg == "ratio" and measure.unit == "percent" else self.of(_AGGREGATES[measure.agg])  # fmt: skip
        when = f" ({self.of(('where', 'dove'))} {', '.join(measure.when)})" if measure.when else ""
        share = self.of((", as a share of all", ", in quota sul totale")) if measure.share else ""
        return f"{agg} {distinct}{self.named(of)}".strip() + when + share

    def dimension(self, dimension: object) -> str:
        label, grain = getattr(dimension, "label", ""), getattr(dimension, "grain", None)
        of = getattr(dimension, "of", "")
        if grain:
            return f"{_GRAINS[grain] if self.italian else grain.replace('_', ' ')} ({of})"
        return str(label)

    def conditions(self) -> list[str]:
        lines = [f"{f.id}. {self.condition(f)}" for f in self.intent.filters]
        period = self.intent.period
        return [*lines, f"{period.id}. {self.period(period)}"] if period else lines

    def condition(self, item: Filter) -> str:
        plain, negated = _OPS[item.op], _NEGATED.get(item.op)
        op = self.of(negated) if item.negated and negated else self.of(plain)
        prefix = self.of(("not: ", "non: ")) if item.negated and not negated else ""
        values = self.of((" and ", " e ")).join(self.quoted(item, v) for v in item.values)
        amount = f"{item.amount} {self.unit(item.unit)}" if item.amount is not None else ""
        subject = self._subject(item)
        parts = (op, subject) if item.op == "exists" else (subject, op, values, amount)
        text = prefix + " ".join(part for part in parts if part)
        return text + self._role(item)

    def _subject(self, item: Filter) -> str:
        measure = next((m for m in self.intent.measures if m.id == item.subject), None)
        return self.measure(measure) if measure else item.subject

    def _role(self, item: Filter) -> str:
        notes = []
        if item.within:
            notes.append(f"{self.of(('within', 'all’interno di'))} {item.within}")
        if item.any_of:
            group = [f.id for f in self.intent.filters if f.any_of == item.any_of]
            notes.append(f"{self.of(('one of', 'una tra'))} {', '.join(group)}")
        if item.role == "when":
            notes.append(self.of(("only for its measure", "solo per la sua misura")))
        return f" ({'; '.join(notes)})" if notes else ""

    def quoted(self, item: Filter, value: str) -> str:
        if item.kind != "text":
            return value
        return self.named(value)

    def unit(self, unit: str | None) -> str:
        return (_UNITS.get(unit or "", "") if self.italian else unit) or ""

    def period(self, period: Period) -> str:
        since, until = self.of(("from", "dal")), self.of(("to", "al"))
        parts = [f"{since} {period.start}" if period.start else ""]
        parts.append(f"{until} {_last_day(period.end)}" if period.end else "")
        return f"{period.subject}: " + " ".join(part for part in parts if part)

    def order(self) -> list[str]:
        names = {m.id: self.measure(m) for m in self.intent.measures}
        names |= {d.id: self.dimension(d) for d in self.intent.dimensions}
        turned = {"asc": ("ascending", "crescente"), "desc": ("descending", "decrescente")}
        order = [
            f"{names.get(o.by, o.by)} ({self.of(turned[o.direction])})" for o in self.intent.order
        ]
        lines = [f"{self.of(('Order', 'Ordine'))}: {', '.join(order)}."] if order else []
        if self.intent.limit is not None:
            per = f" {self.of(('for each', 'per ciascun'))} {names[self.intent.limit_per]}" if self.intent.limit_per else ""  # fmt: skip
            lines.append(f"{self.of(('Only the first', 'Solo i primi'))} {self.intent.limit}{per}.")
        return lines


def _last_day(end: str) -> str:
    """The last day of a half-open period; a moment stays as it is, said to be excluded by its time."""
    try:
        return (dt.date.fromisoformat(end) - dt.timedelta(days=1)).isoformat()
    except ValueError:
        return end


def serving_in_words(intent: QueryIntent | None, ids: Iterable[str], language: str) -> str:
    """`f1: regime` for each id that a table or column serves."""
    if intent is None:
        return ", ".join(ids)
    names: dict[str, str] = {m.id: m.label for m in intent.measures}
    names |= {d.id: d.label for d in intent.dimensions}
    names |= {f.id: _Words(intent, italian=language == "it").condition(f) for f in intent.filters}
    if intent.period:
        names[intent.period.id] = intent.period.text or intent.period.subject
    return "; ".join(f"{i}: {names[i]}" if i in names else i for i in ids)


def assumptions_of(reading: Reading, left_open: Iterable[str], language: str) -> tuple[str, ...]:
    """What the reading takes for granted, and the words that were left open."""
    italian = language == "it"
    said = [_translated(a, italian=italian) for a in reading.assumptions]
    words = [w for w in left_open if w]
    if words:
        quoted = ", ".join(f"«{w}»" if italian else f"“{w}”" for w in words)
        said.append(
            f"Lasciato aperto, senza effetto: {quoted}." if italian else f"Left open, without effect: {quoted}."
        )  # fmt: skip
    return tuple(said)


def _translated(assumption: str, *, italian: bool) -> str:
    if italian and assumption.startswith(_ASSUMED_PERIOD):
        return "Il periodo si riferisce a " + assumption.removeprefix(_ASSUMED_PERIOD)
    return assumption
