"""What the conformance check says: findings of rules with stable ids."""

from __future__ import annotations

from typing import Literal

from sqlglot import exp

from thoth.contracts.schema import Frozen

RULES: dict[str, str] = {
    "parse": "the text is one query whose names all resolve",
    "set_operation": "one SELECT: the decisions do not speak of unions",
    "tables": "only promoted tables are read",
    "columns": "only promoted columns, or those of approved joins, formulas and groundings",
    "join": "every connection of two tables is an approved join",
    "join_kind": "a join keeps or drops rows as approved",
    "cross_join": "no table stands unconnected beside the others",
    "filter_missing": "every filter of the intent is applied, to the rows or to its measure",
    "filter_operator": "with its own operator",
    "filter_value": "and its own value, on its own column",
    "negation": "negated exactly when the intent negates it",
    "combination": "alternatives are joined by OR, everything else by AND",
    "extra_filter": "no other condition restricts the rows",
    "formula": "calculated concepts use their approved formula",
    "aggregate": "each measure is computed by its own aggregate over its own column",
    "distinct": "repetitions count exactly where the intent counts them",
    "unit": "per cent where the intent says so",
    "integer_division": "a share is not cut to whole numbers",
    "fan_out": "no total over rows that a join repeats",
    "group_by": "grouped by the dimensions of the intent, and by nothing else",
    "order": "ordered as asked",
    "limit": "cut as asked",
    "output": "the columns of the intent, and no others",
    "ctes": "the named steps are those of the approved plan",
}


class Finding(Frozen):
    """One contradiction between the SQL and the decisions.

    `start` and `end` are offsets in the SQL text (end exclusive; both 0 when the finding is about
    something that is missing). `decision_subject` is the ledger subject or intent id it contradicts.
    """

    rule: str
    message: str
    node: str = ""
    start: int = 0
    end: int = 0
    decision_subject: str = ""
    fix: str = ""
    severity: Literal["error", "warning"] = "error"


class ConformanceReport(Frozen):
    """`checked` names the rules that ran; without findings the SQL says what was decided."""

    findings: tuple[Finding, ...] = ()
    checked: tuple[str, ...] = ()

    @property
    def conformant(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)


def finding(
    rule: str, message: str, node: exp.Expr | None = None, *, subject: str = "", fix: str = ""
) -> Finding:
    """A finding with the node's text and its place in the SQL."""
    assert rule in RULES, rule
    start, end = span_of(node) if node is not None else (0, 0)
    text = node.sql(dialect="postgres") if node is not None else ""
    return Finding(
        rule=rule,
        message=message,
        node=text,
        start=start,
        end=end,
        decision_subject=subject,
        fix=fix,
    )


def span_of(node: exp.Expr) -> tuple[int, int]:
    """[start, end) of the identifiers and literals below `node`; (0, 0) when the parser kept none."""
    metas = [n.meta for n in node.walk() if "start" in n.meta and "end" in n.meta]
    if not metas:
        return 0, 0
    return min(m["start"] for m in metas), max(m["end"] for m in metas) + 1
