"""Identifiers as PostgreSQL wants them, and short aliases a person can read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

# Words that PostgreSQL does not accept as a bare column name or alias.
_RESERVED_WORDS = """all analyse analyze and any array as asc asymmetric authorization binary both case cast check
collate collation column concurrently constraint create cross current_catalog current_date
current_role current_schema current_time current_timestamp current_user default deferrable desc
distinct do else end except false fetch for foreign freeze from full grant group having ilike in
initially inner intersect into is isnull join lateral leading left like limit localtime
localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
references returning right select session_user similar some symmetric system_user table
tablesample then to trailing true union unique user using variadic verbose when where window with
year month day hour minute second interval values position precision row time timestamp"""
RESERVED = frozenset(_RESERVED_WORDS.split())
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")
_PREFIX = re.compile(r"\A(?:dim|fact|fct|tbl|tab|vw|v|t|d|f)_(?=.)")
_LABEL_MAX_BYTES = 63  # PostgreSQL cuts longer names silently


def identifier(name: str) -> exp.Identifier:
    """`name` as an identifier, quoted when PostgreSQL would read it differently without quotes."""
    return exp.to_identifier(name, quoted=not _PLAIN.match(name) or name in RESERVED)


def table_source(full_name: str, alias: str) -> exp.Expr:
    """`schema.table AS alias`."""
    schema, _, name = full_name.rpartition(".")
    table = exp.Table(this=identifier(name), db=identifier(schema) if schema else None)
    return exp.alias_(table, exp.to_identifier(alias), table=True)


def column(alias: str, name: str) -> exp.Column:
    """`alias.name`."""
    return exp.Column(this=identifier(name), table=exp.to_identifier(alias))


def pick_alias(full_name: str, taken: Iterable[str]) -> str:
    """The initials of a table's words (`fact_ablazione` -> `a`), numbered when taken or reserved."""
    bare = _PREFIX.sub("", full_name.rpartition(".")[2].lower())
    words = [word for word in re.split(r"[^a-z0-9]+", bare) if word]
    stem = "".join(word[0] for word in words) or "t"
    if stem[0].isdigit():
        stem = "t" + stem
    used, alias, number = set(taken), stem, 1
    while alias in used or alias in RESERVED:
        number += 1
        alias = f"{stem}{number}"
    return alias


def unique_labels(labels: Iterable[str]) -> list[str]:
    """The labels, cut to what PostgreSQL keeps and numbered where they repeat."""
    seen: dict[str, int] = {}
    result: list[str] = []
    for label in labels:
        short = _cut(label.strip() or "value", _LABEL_MAX_BYTES - 4)
        count = seen[short] = seen.get(short, 0) + 1
        result.append(short if count == 1 else f"{short}_{count}")
    return result


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")
