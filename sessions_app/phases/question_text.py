"""question.md: the rewritten question as a person reads it, with every id of its intent."""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions_app.phases.base import StageContext
from thoth.contracts.intent import Filter, Measure, Period, QueryIntent
from thoth.contracts.steps import RewriteProposal


def question_document(ctx: StageContext, rewrite: RewriteProposal, intent: QueryIntent) -> str:
    """Markdown: the text, population, numbered conditions, definitions, output, assumptions."""
    clarified = [f"{row.subject}: {row.detail}" for row in ctx.view.of_type("concept_clarified")]
    sections = [
        (_("Population"), [intent.population]),
        (_("Conditions"), _conditions(intent)),
        (_("Measures"), [measure_text(measure) for measure in intent.measures]),
        (_("Grouped by"), _dimensions(intent)),
        (_("Agreed definitions"), clarified),
        (_("Output"), [f"{o.id}: {o.label}" for o in intent.output]),
        (_("Order and limit"), _order(intent)),
        (_("Assumptions"), list(rewrite.assumptions)),
    ]
    body = [_section(title, lines) for title, lines in sections if lines]
    return "\n\n".join([f"# {ctx.session.question}", rewrite.text, *body]) + "\n"


def measure_text(measure: Measure) -> str:
    """`m1: count(distinct patients)`."""
    of = f"distinct {measure.of}" if measure.distinct else measure.of
    text = f"{measure.id}: {measure.label} = {measure.agg}({of})"
    if measure.numerator:
        text = f"{measure.id}: {measure.label} = {measure.numerator} / {measure.denominator}"
    if measure.when:
        text += " " + _("where %s") % ", ".join(measure.when)
    return text + (f" [{measure.unit}]" if measure.unit else "")


def filter_text(item: Filter) -> str:
    """`f1: not age >= 65`."""
    values = ", ".join(item.values)
    negation = _("not") + " " if item.negated else ""
    text = f"{item.id}: {negation}{item.subject} {item.op} {values}".rstrip()
    if item.amount is not None:
        text += f" {item.amount} {item.unit or ''}".rstrip()
    return text + (f" ({_('within')} {item.within})" if item.within else "")


def period_text(period: Period) -> str:
    """`p1: 2023-01-01 ≤ date < 2024-01-01`."""
    start = f"{period.start} ≤ " if period.start else ""
    end = f" < {period.end}" if period.end else ""
    return f"{period.id}: {start}{period.subject}{end}"


def _conditions(intent: QueryIntent) -> list[str]:
    lines = [filter_text(item) for item in intent.filters]
    return [*lines, period_text(intent.period)] if intent.period else lines


def _dimensions(intent: QueryIntent) -> list[str]:
    return [
        f"{d.id}: {d.label} ({d.of}" + (f", {d.grain})" if d.grain else ")")
        for d in intent.dimensions
    ]


def _order(intent: QueryIntent) -> list[str]:
    lines = [f"{order.by} {order.direction}" for order in intent.order]
    if intent.limit is not None:
        per = f" {_('within each')} {intent.limit_per}" if intent.limit_per else ""
        lines.append(f"{_('at most')} {intent.limit}{per}")
    return lines


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n" + "\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1))
