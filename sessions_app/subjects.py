"""The grammar of ledger subjects, by type of decision. Names keep PostgreSQL's spelling."""

from __future__ import annotations

import re

_GRAMMAR: dict[str, tuple[str, str]] = {
    "question_rewritten": (r"question", "question"),
    "table": (r"[^.]+\..+", "schema.table"),
    "column": (r"[^.]+\..+\..+", "schema.table.column"),
    "join": (r"[^=&]*\.[^=&]*\.[^=&]*=.*\..*\..*", "a.b.c=d.e.f[&…], sides sorted"),
    "sql": (r"sql_final", "sql_final"),
    "closing": (r"stage:[a-z][a-z0-9_]*", "stage:<name>"),
    "phase": (r"phase:F[1-9][0-9]?", "phase:Fk"),
    "seq": (r"seq:[1-9][0-9]*", "seq:N"),
    "datamart": (r"datamart", "datamart"),
}
_OF_TYPE = {
    "question_rewritten": "question_rewritten",
    "table_promoted": "table",
    "table_excluded": "table",
    "column_promoted": "column",
    "column_corrected": "column",
    "join_approved": "join",
    "join_modified": "join",
    "sql_approved": "sql",
    "sql_revised": "sql",
    "sql_rejected": "sql",
    "phase_approved": "closing",
    "phase_auto_approved": "closing",
    "phase_skipped": "phase",
    "phase_reopened": "phase",
    "decision_retracted": "seq",
    "memory_promoted": "seq",
    "memory_promotion_declined": "seq",
    "datamart_requested": "datamart",
    "datamart_declined": "datamart",
}


def expected(type_: str, subject: str) -> str | None:
    """The form that a subject of this type should have had, or None when it has it."""
    rule = _OF_TYPE.get(type_)
    if rule is None:  # a concept, a literal, an evidence id, a CTE: any text
        return None
    pattern, form = _GRAMMAR[rule]
    fits = re.fullmatch(pattern, subject, re.DOTALL) is not None
    if fits and rule == "join":
        fits = _sorted_join(subject)
    return None if fits else form


def _sorted_join(subject: str) -> bool:
    pairs = subject.split("&")
    sides = [pair.split("=") for pair in pairs]
    if any(len(side) != 2 for side in sides):
        return True  # a column's own name holds `=` or `&`: the order cannot be told
    return pairs == sorted(pairs) and all(side == sorted(side) for side in sides)
