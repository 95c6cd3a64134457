"""F4: a formula for each calculated concept."""

from __future__ import annotations

from thoth.analyst.steps.base import Work
from thoth.contracts.steps import FormulaOption, FormulaProposal


def propose(work: Work) -> FormulaProposal:
    if work.unclear is not None:
        return FormulaProposal(addressed=work.addressed, cannot=work.unclear)
    if work.reading is None:
        return FormulaProposal(addressed=work.addressed, cannot=work.problem())
    decided = work.task.decided.formulas
    rejected = {
        row.subject for row in work.task.decisions if row.type == "concept_formula_rejected"
    }
    for use in work.reading.formulas:
        if use.concept in decided or use.concept in rejected:
            continue
        option = FormulaOption(
            id="f1", label=use.concept, sql=use.sql, columns=use.columns,
            source="retrieved" if use.source == "retrieved" else "synthesised",
            explanation=use.explanation, recommended=True,
        )  # fmt: skip
        return FormulaProposal(
            addressed=work.addressed,
            concept=use.concept,
            serves=tuple(use.serves),
            options=(option,),
        )
    return FormulaProposal(addressed=work.addressed, cannot=work.problem())
