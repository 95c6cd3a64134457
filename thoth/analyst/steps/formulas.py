"""F4: a formula for each calculated concept."""

from __future__ import annotations

from thoth.analyst.messages import cannot
from thoth.analyst.reading.reading import FormulaUse
from thoth.analyst.steps.base import Work
from thoth.analyst.steps.linking import bound
from thoth.contracts.steps import Cannot, FormulaOption, FormulaProposal


def propose(work: Work) -> FormulaProposal:
    """The formula of the first concept without one. A text asks for another: the analyst knows one
    formula for a concept, so the reviewer is asked to write theirs or to go on without."""
    if work.task.texts:
        texts = tuple(text.text for text in work.task.texts)
        problem = work.unclear or cannot("one_formula", work.language, texts)
        return FormulaProposal(addressed=work.addressed, cannot=problem)
    fit = bound(work)
    if isinstance(fit, Cannot):
        return FormulaProposal(cannot=fit)
    decided = set(work.task.decided.formulas)
    decided |= {r.subject for r in work.task.decisions if r.type == "concept_formula_rejected"}
    use = next((u for u in fit.reading.formulas if u.concept not in decided), None)
    if use is None:
        return FormulaProposal(cannot=cannot("nothing_new", work.language))
    serves = tuple(use.serves)
    return FormulaProposal(concept=use.concept, serves=serves, options=(_option(use),))


def _option(use: FormulaUse) -> FormulaOption:
    return FormulaOption(
        id="f1",
        label=use.concept,
        sql=use.sql,
        columns=use.columns,
        source="retrieved" if use.source == "retrieved" else "synthesised",
        explanation=use.explanation,
        recommended=True,
    )
