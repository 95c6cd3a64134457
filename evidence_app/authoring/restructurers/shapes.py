"""How the analyst knows what a block is: labels in Italian and English, names, marks of doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable

from thoth.lib.expression import expression_problem

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
COLUMN = re.compile(rf"(?<![\w./@-])({_WORD}\.{_WORD}\.{_WORD})(?![\w/@-]|\.\w)")
TABLE = re.compile(rf"(?<![\w./@-])({_WORD}\.{_WORD})(?![\w/@-]|\.\w)")
LINK = re.compile(r"\[([^\]]{1,300})\]\((https?://[^\s)]+)\)")
URL = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:)\]]")
ARROW = re.compile(r"\s*(?:->|→|=>)\s*")
DEFINED = re.compile(
    r"(?:\*\*|__)?([^:*=`]{2,80}?)(?:\*\*|__)?\s*(?::(?:\*\*)?|=|\s[–—-])\s+(.{3,})"
)
DOUBT = re.compile(
    r"\b(boh|forse|probabilmente|credo|non so|non (?:è|e') chiaro|da (?:verificare|chiarire|"
    r"confermare|sistemare)|sentire|mi pare|vd|ambigu\w*|maybe|perhaps|probably|unclear|unsure|"
    r"to (?:check|verify|confirm)|tbd|todo)\b|\?\?|\?\s*$",
    re.IGNORECASE,
)
CODE_HEADERS = frozenset(
    [
        "codice",
        "codici",
        "valore",
        "valori",
        "sigla",
        "code",
        "codes",
        "value",
        "values",
        "cod",
        "cod.",
    ]
)
MEANING_HEADERS = frozenset(
    [
        "significato",
        "descrizione",
        "definizione",
        "meaning",
        "description",
        "definition",
        "spiegazione",
    ]
)
TERM_HEADERS = frozenset(
    ["termine", "termini", "parola", "voce", "term", "word", "abbreviazione", "acronimo"]
)
COLUMN_HEADERS = frozenset(["colonna", "campo", "column", "field"])
FORMULA_HEADERS = frozenset(["formula", "sql", "espressione", "expression", "calcolo"])
GLOSSARY_HEADING = re.compile(
    r"glossar|termini|definizion|terminolog|terms|abbreviazion", re.IGNORECASE
)


def columns_in(*texts: str) -> tuple[str, ...]:
    """Full column names in the order met."""
    return _unique(name for text in texts for name in COLUMN.findall(text))


def tables_in(*texts: str) -> tuple[str, ...]:
    """Full table names, also those of full column names. A host or file name is none."""
    named = [name for text in texts for name in TABLE.findall(URL.sub(" ", text))]
    of_columns = [name.rpartition(".")[0] for name in columns_in(*texts)]
    schemas = {name.partition(".")[0] for name in of_columns}
    return _unique([*of_columns, *(name for name in named if name.partition(".")[0] in schemas)])


def sql_columns(sql: str) -> tuple[str, ...]:
    """Full column names that an expression uses; () where it uses one that isn't full."""
    import sqlglot  # noqa: PLC0415 - only where there is SQL
    from sqlglot import exp  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        tree = sqlglot.parse_one(f"SELECT {sql}", dialect="postgres")
    except (SqlglotError, RecursionError):
        return ()
    names = [
        ".".join(part for part in (column.db, column.table, column.name) if part)
        for column in tree.find_all(exp.Column)
    ]
    return _unique(names) if all(COLUMN.fullmatch(name) for name in names) else ()


def is_query(sql: str) -> bool:
    """Is it one complete query?"""
    if not re.match(r"\s*(select|with)\b", sql, re.IGNORECASE):
        return False
    import sqlglot  # noqa: PLC0415 - only where there is SQL
    from sqlglot import exp  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        found = [tree for tree in sqlglot.parse(sql, dialect="postgres") if tree is not None]
    except (SqlglotError, RecursionError):
        return False
    return len(found) == 1 and isinstance(found[0], exp.Query)


def is_formula(sql: str) -> bool:
    """Does it compute something from columns with full names? A lone name computes nothing."""
    plain = sql.strip().strip("`").strip()
    computes = re.search(r"[-+*/<>=(]|\b(is|in|between|like|case)\b", plain, re.IGNORECASE)
    return bool(computes and sql_columns(plain)) and not expression_problem(plain)


def is_doubtful(text: str) -> bool:
    """Does the writer say that they aren't sure?"""
    return bool(DOUBT.search(text))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
