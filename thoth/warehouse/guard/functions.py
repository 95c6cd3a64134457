"""Functions are decided by name, on PostgreSQL's own tokens.

The tree is no help here: the parser turns `date_part` and friends into nodes of its own and forgets
how they were written. Whatever name stands before an opening bracket must be a word of the grammar,
a type, an alias, or an allowed function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from thoth.lib.errors import Invalid
from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.lexer import Token
from thoth.warehouse.guard.words import words

# Words that may stand before a bracket without calling anything. The first line holds words that
# PostgreSQL never takes as a function name.
_GRAMMAR = words(
    "all and any array as asc both case cast collate desc distinct else end except exists fetch for "
    "from group having in intersect lateral leading limit not offset on only or order placing select "
    "some symmetric then to trailing union using values when where window with between is like ilike "
    "similar join inner left right full cross natural isnull notnull "
    "by over filter sets rollup cube materialized recursive escape within rows range groups"
)
# Called without a row in pg_proc: the grammar knows them.
_SYNTAX_FUNCTIONS = words(
    "coalesce nullif greatest least extract substring position overlay trim normalize row grouping "
    "json_object json_array json_exists json_value json_query json_scalar json_serialize "
    "json_objectagg json_arrayagg current_time current_timestamp localtime localtimestamp"
)
_TYPES_WITH_LENGTH = words(
    "numeric decimal dec varchar char character bpchar bit varying time timestamp timestamptz timetz "
    "interval float varbit"
)
# Without a bracket, and only when not a label (AS user, t.user).
_BARE_REFUSED = words(
    "current_user session_user user current_role current_catalog current_schema system_user"
)


@dataclass(frozen=True, slots=True)
class FunctionRules:
    """`builtin`: lower-case names in pg_catalog; `extra`: `name` or `schema.name` by configuration."""

    builtin: frozenset[str]
    extra: frozenset[str]

    def allows(self, schema: str | None, name: str) -> bool:
        if schema in (None, "pg_catalog") and name in self.builtin:
            return True
        if schema is None:
            return name in self.extra or name in _SYNTAX_FUNCTIONS
        return f"{schema}.{name}" in self.extra


def called_functions(
    tokens: list[Token], tree: exp.Expr, rules: FunctionRules, sql: str
) -> frozenset[str]:
    """The functions the text calls. Raises: Invalid `sql_function_refused` naming the first bad one."""
    aliases = _alias_offsets(tree)
    called = set()
    for index, token in enumerate(tokens):
        _check_bare(tokens, index, sql)
        if _is_called(tokens, index) and token.start not in aliases:
            schema = _schema_of(tokens, index)
            if not rules.allows(schema, token.name):
                raise _refuse(schema, token, sql)
            called.add(token.name if schema is None else f"{schema}.{token.name}")
    _check_tree(tree, rules, sql)
    return frozenset(called)


def _is_called(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    if not token.is_identifier or index + 1 == len(tokens) or tokens[index + 1].text != "(":
        return False
    grammar = token.name in _GRAMMAR or token.name in _TYPES_WITH_LENGTH
    return not (token.kind == "name" and grammar)


def _schema_of(tokens: list[Token], index: int) -> str | None:
    """`s` of `s.f(`; a longer path is kept whole, so that it matches nothing."""
    parts = []
    while index >= 2 and tokens[index - 1].text == ".":
        parts.append(tokens[index - 2].name)
        index -= 2
    return ".".join(reversed(parts)) or None


def _alias_offsets(tree: exp.Expr) -> frozenset[int]:
    """Where names with a column list stand: WITH q(a), FROM t AS q(a)."""
    return frozenset(
        alias.this.meta["start"]
        for alias in tree.find_all(exp.TableAlias)
        if alias.this is not None and alias.this.meta.get("start") is not None
    )


def _check_bare(tokens: list[Token], index: int, sql: str) -> None:
    token = tokens[index]
    if token.kind != "name" or token.name not in _BARE_REFUSED:
        return
    before = tokens[index - 1] if index else None
    if before is not None and (before.text == "." or before.name == "as"):
        return
    message = (
        f'{token.text} tells who is connected. For a column of that name write "{token.name}".'
    )
    raise refusal("sql_function_refused", message, sql=sql, offset=token.start)


def _check_tree(tree: exp.Expr, rules: FunctionRules, sql: str) -> None:
    """Second look: calls that the parser does not know keep their name in the tree."""
    for call in tree.find_all(exp.Anonymous):
        name = call.this.name if isinstance(call.this, exp.Identifier) else str(call.this).lower()
        known = name in rules.builtin or name in _SYNTAX_FUNCTIONS
        if not known and not any(extra.rpartition(".")[2] == name for extra in rules.extra):
            raise refusal(
                "sql_function_refused", _message(name), sql=sql, offset=call.meta.get("start")
            )


def function_dots(tree: exp.Expr) -> Iterator[exp.Dot]:
    """`schema.function(…)` nodes; any other dot reads a field of a row value."""
    for dot in tree.find_all(exp.Dot):
        if isinstance(dot.expression, exp.Func):
            yield dot


def _refuse(schema: str | None, token: Token, sql: str) -> Invalid:
    name = token.name if schema is None else f"{schema}.{token.name}"
    return refusal("sql_function_refused", _message(name), sql=sql, offset=token.start)


def _message(name: str) -> str:
    return (
        f"The function {name} is not allowed: only PostgreSQL's own functions without side effects, "
        "and those that the workspace lists."
    )
