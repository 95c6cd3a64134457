"""How tables, columns, values and conditions are named to the reviewer."""

from __future__ import annotations

from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import SchemaView
from thoth.contracts.decisions import Grounding

_COMMENT_MAX_CHARS = 140
_OPS = {"contains": "∋", "starts_with": "…", "ends_with": "…", "is_true": "=", "is_false": "="}


def short(name: str) -> str:
    """`table.column` or `table`, without the schema."""
    return name.split(".", 1)[-1]


def first_words(comment: str) -> str:
    """The first sentence of a comment, cut at a word where it is long."""
    sentence = comment.partition(". ")[0].strip().rstrip(".")
    if len(sentence) <= _COMMENT_MAX_CHARS:
        return sentence
    return sentence[:_COMMENT_MAX_CHARS].rsplit(" ", 1)[0] + " …"


def described(
    candidate: Candidate | None, language: str
) -> tuple[str, tuple[str, ...], str | None]:
    """Label, columns and condition (SQL-like) of one reading of some words."""
    italian = language == "it"
    if candidate is None or candidate.kind == "none":
        return ("Non aggiunge condizioni" if italian else "It adds no condition"), (), None
    name = short(candidate.target)
    if not candidate.column:
        rows = ("Le righe di " if italian else "The rows of ") + name
        return (rows if candidate.kind == "table" else candidate.value or name), (), None
    condition = _condition(candidate)
    if condition is None:
        return ("La colonna " if italian else "The column ") + name, (candidate.target,), None
    return condition[0], (candidate.target,), condition[1]


def _condition(candidate: Candidate) -> tuple[str, str] | None:
    """What a flag or value asks of its column: to be read, and as a condition."""
    name = short(candidate.target)
    if candidate.kind == "flag":
        return f"{name} = true", f"{candidate.target} IS TRUE"
    if candidate.kind == "value" and candidate.value is not None:
        value = candidate.value.replace("'", "''")
        sign = _OPS.get(candidate.op, candidate.op)
        return f"{name} {sign} {candidate.value}", f"{candidate.target} = '{value}'"
    return None


def comment_of(schema: SchemaView, candidate: Candidate | None) -> str:
    """What the warehouse itself says about the column, else about the table."""
    if candidate is None:
        return ""
    view = schema.column(candidate.target) if candidate.column else None
    if view is not None:
        return first_words(view.column.comment)
    table = schema.tables.get(candidate.table)
    return first_words(table.table.comment) if table else ""


def grounding_label(groundings: tuple[Grounding, ...], combine: str, language: str) -> str:
    """`table.column = value`; several joined by "or" or "and"."""
    words = {"any": ("or", "o"), "all": ("and", "e")}[combine][language == "it"]
    return f" {words} ".join(
        f"{short(g.column)} {_OPS.get(g.op, g.op)} {_value(g)}" for g in groundings
    )


def _value(grounding: Grounding) -> str:
    truth = {"is_true": "true", "is_false": "false"}
    return truth.get(grounding.op, grounding.value)
