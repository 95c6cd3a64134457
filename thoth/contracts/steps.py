"""Steps and their proposals: what a model is asked and the typed JSON it answers with.

One step = one call = one proposal = at most one widget. A proposal is never a side effect.
Any proposal may instead carry `cannot`: the runtime says what it cannot express, and asks.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from thoth.contracts.decisions import (
    Cardinality,
    ConceptClarified,
    Grounding,
)
from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Frozen

StepName = Literal[
    "clarify",
    "rewrite",
    "ground_values",
    "formulas",
    "link_schema",
    "link_joins",
    "plan_ctes",
    "rewrite_cte",
    "final_sql",
]


class TextReading(Frozen):
    """How a free text of the reviewer was understood."""

    text_id: str
    reading: str


class Cannot(Frozen):
    """What the runtime cannot express or does not understand; shown with no recommended option.

    `code` is stable, snake_case (`no_matching_table`, `unexplained_words`, `unsupported_construct`,
    `off_topic`, …); `message` tells the reviewer what is missing; `words` are the words concerned.
    """

    code: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    message: str
    words: tuple[str, ...] = ()


class Proposal(Frozen):
    """Base of all proposals."""

    addressed: tuple[TextReading, ...] = ()
    cannot: Cannot | None = None


class ClarifyOption(Frozen):
    """One reading. `count_sql` is a guarded one-number query the engine runs to show its consequence."""

    id: str
    label: str
    description: str = ""
    recommended: bool = False
    columns: tuple[str, ...] = ()
    filter: str | None = None
    evidence_id: str | None = None
    evidence_score: str | None = None
    risk: str = ""
    count_sql: str | None = None
    clarification: ConceptClarified


class Ambiguity(Frozen):
    """The one ambiguity with the largest effect. `exclusive` -> select, else multiselect."""

    concept: str
    title: str
    why: str = ""
    risk: str = ""
    exclusive: bool = True
    options: tuple[ClarifyOption, ...] = Field(min_length=2)


class ClarifyProposal(Proposal):
    """`ambiguity` None (and no `cannot`) means: nothing ambiguous is left."""

    ambiguity: Ambiguity | None = None


class Reopen(Frozen):
    phase: str
    reason: str


class RewriteProposal(Proposal):
    text: str = ""
    intent: QueryIntent | None = None
    assumptions: tuple[str, ...] = ()
    reopen: Reopen | None = None


class GroundingOption(Frozen):
    """One way to ground the literal: conditions joined by `combine`."""

    id: str
    label: str
    description: str = ""
    groundings: tuple[Grounding, ...] = Field(min_length=1)
    combine: Literal["any", "all"] = "any"
    recommended: bool = False


class LiteralGrounding(Frozen):
    """A cited literal. `obvious`: one exact hit in one obvious column -> a line of the checklist.

    No options: the literal is not in the data (`searched` columns, `nearest` values).
    `exclusive` False: several options may hold together (multiselect).
    """

    literal: str
    serves: tuple[str, ...]
    obvious: bool = False
    exclusive: bool = False
    options: tuple[GroundingOption, ...] = ()
    searched: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    why: str = ""


class GroundingProposal(Proposal):
    """All literals still undecided; the engine asks one widget's worth at a time."""

    literals: tuple[LiteralGrounding, ...] = ()


class FormulaOption(Frozen):
    id: str
    label: str
    sql: str
    columns: tuple[str, ...]
    source: Literal["retrieved", "synthesised"] = "synthesised"
    evidence_id: str | None = None
    explanation: str = ""
    findings: tuple[str, ...] = ()
    recommended: bool = False


class FormulaProposal(Proposal):
    """One calculated concept of the intent that has no formula yet."""

    concept: str = ""
    serves: tuple[str, ...] = ()
    options: tuple[FormulaOption, ...] = ()


class LinkedColumn(Frozen):
    column: str  # schema.table.column
    role: Literal["output", "filter", "measure", "key", "dimension", "period"]
    serves: tuple[str, ...] = ()
    why: str = ""
    score: str = ""
    recommended: bool = True
    alternatives: tuple[str, ...] = ()  # columns that could serve instead


class LinkedTable(Frozen):
    table: str
    serves: tuple[str, ...] = ()
    why: str = ""
    score: str = ""
    recommended: bool = True
    columns: tuple[LinkedColumn, ...] = ()


class LinkProposal(Proposal):
    tables: tuple[LinkedTable, ...] = ()


class LinkedJoin(Frozen):
    """A join between two promoted tables, by its ledger subject; `alternatives` are other subjects."""

    subject: str
    kind: Literal["inner", "left"] = "inner"
    cardinality: Cardinality = "many_to_one"
    declared: bool = True
    why: str = ""
    recommended: bool = True
    alternatives: tuple[str, ...] = ()


class JoinsProposal(Proposal):
    """`extra_tables`: tables in between that must be promoted with the joins."""

    joins: tuple[LinkedJoin, ...] = ()
    extra_tables: tuple[LinkedTable, ...] = ()


class CteDraft(Frozen):
    name: str = Field(pattern=r"^[a-z_][a-z0-9_]{0,62}$")
    purpose: str
    sql: str  # the body alone; it may refer to earlier CTEs of the plan by name
    columns: dict[str, str] = {}  # column -> comment


class CtePlanProposal(Proposal):
    """An empty plan means: no intermediate steps are needed."""

    ctes: tuple[CteDraft, ...] = ()


class CteRewriteProposal(Proposal):
    cte: CteDraft | None = None


class FinalSqlProposal(Proposal):
    sql: str = ""
    explanation: str = ""


PROPOSALS: dict[StepName, type[Proposal]] = {
    "clarify": ClarifyProposal,
    "rewrite": RewriteProposal,
    "ground_values": GroundingProposal,
    "formulas": FormulaProposal,
    "link_schema": LinkProposal,
    "link_joins": JoinsProposal,
    "plan_ctes": CtePlanProposal,
    "rewrite_cte": CteRewriteProposal,
    "final_sql": FinalSqlProposal,
}
