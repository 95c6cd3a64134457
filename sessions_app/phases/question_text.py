"""question.md: the rewritten question as a person reads it, with every id of its intent."""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions_app.phases.base import StageContext
from sessions_app.words import (
    dimension_words,
    filter_words,
    measure_words,
    order_words,
    period_words,
)
from thoth.contracts.intent import QueryIntent
from thoth.contracts.steps import RewriteProposal


def question_document(ctx: StageContext, rewrite: RewriteProposal, intent: QueryIntent) -> str:
    """Markdown: the text, population, numbered conditions, definitions, output, assumptions."""
    clarified = [f"{row.subject}: {row.detail}" for row in ctx.view.of_type("concept_clarified")]
    sections = [
        (_("Population"), [intent.population]),
        (_("Conditions"), _conditions(intent)),
        (_("Measures"), [measure_words(m) for m in intent.measures]),
        (_("Grouped by"), [dimension_words(d) for d in intent.dimensions]),
        (_("Agreed definitions"), clarified),
        (_("Output"), [f"{o.id}: {o.label}" for o in intent.output]),
        (_("Order and limit"), _order(intent)),
        (_("Assumptions"), list(rewrite.assumptions)),
    ]
    body = [_section(title, lines) for title, lines in sections if lines]
    return "\n\n".join([f"# {ctx.session.question}", rewrite.text, *body]) + "\n"


def _conditions(intent: QueryIntent) -> list[str]:
    lines = [filter_words(item) for item in intent.filters]
    return [*lines, period_words(intent.period)] if intent.period else lines


def _order(intent: QueryIntent) -> list[str]:
    lines = [order_words(order) for order in intent.order]
    if intent.limit is not None:
        per = f" {_('within each')} {intent.limit_per}" if intent.limit_per else ""
        lines.append(f"{_('at most')} {intent.limit}{per}")
    return lines


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n" + "\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1))
