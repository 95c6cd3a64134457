"""An intent in words, for the reviewer to approve: population, conditions, output, assumptions."""

from __future__ import annotations

from thoth.contracts.intent import Filter, QueryIntent

_OPS = {
    "=": ("is", "è"), "!=": ("is not", "non è"), "<": ("<", "<"), "<=": ("≤", "≤"), ">": (">", ">"),
    ">=": ("≥", "≥"), "between": ("between", "tra"), "in": ("one of", "uno tra"),
    "contains": ("contains", "contiene"), "starts_with": ("starts with", "inizia con"),
    "ends_with": ("ends with", "finisce con"), "is_null": ("is empty", "è vuoto"),
    "is_true": ("is true", "è vero"), "exists": ("exists", "esiste"),
    "followed_within": ("is followed within", "è seguito entro"),
    "preceded_within": ("is preceded within", "è preceduto entro"),
}  # fmt: skip


def in_words(
    question: str, intent: QueryIntent, language: str, remarks: tuple[str, ...] = ()
) -> str:
    """The question, then each part of the intent on a line of its own."""
    italian = language == "it"
    lines = [question.strip()]
    lines.append(("Popolazione: " if italian else "Population: ") + intent.population)
    lines += [f"{f.id}: {_condition(f, italian=italian)}" for f in intent.filters]
    if intent.period is not None:
        lines.append(
            f"{intent.period.id}: {intent.period.subject}, {_period(intent, italian=italian)}"
        )
    if intent.dimensions:
        names = ", ".join(f"{d.id} {d.label}" for d in intent.dimensions)
        lines.append(("Per: " if italian else "By: ") + names)
    if intent.measures:
        names = ", ".join(f"{m.id} {m.label}" for m in intent.measures)
        lines.append(("Misure: " if italian else "Measures: ") + names)
    if intent.order:
        order = ", ".join(f"{o.by} {o.direction}" for o in intent.order)
        limit = f" ({'primi' if italian else 'first'} {intent.limit})" if intent.limit else ""
        lines.append(("Ordine: " if italian else "Order: ") + order + limit)
    return "\n".join([*lines, *remarks])


def _condition(filter_: Filter, *, italian: bool) -> str:
    op = _OPS[filter_.op][1 if italian else 0]
    values = ", ".join(f"«{v}»" if italian else f"“{v}”" for v in filter_.values)
    amount = f"{filter_.amount} {filter_.unit}" if filter_.amount else ""
    text = " ".join(part for part in (filter_.subject, op, values, amount) if part)
    return f"{'non' if italian else 'not'} ({text})" if filter_.negated else text


def _period(intent: QueryIntent, *, italian: bool) -> str:
    period = intent.period
    assert period is not None  # noqa: S101 - the caller has just seen it
    since, until = ("dal", "fino a prima del") if italian else ("from", "until before")
    parts = [
        f"{since} {period.start}" if period.start else "",
        f"{until} {period.end}" if period.end else "",
    ]
    return " ".join(part for part in parts if part)
