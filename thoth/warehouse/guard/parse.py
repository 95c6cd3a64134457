"""One text, one query: parse it, or say why not and where."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import TokenType

from thoth.lib.errors import Invalid
from thoth.warehouse.guard.agreement import check_agreement
from thoth.warehouse.guard.errors import place, refusal
from thoth.warehouse.guard.lexer import Token


class GuardDialect(Postgres):
    """PostgreSQL has no lambdas: `f(a -> 'x')` takes a JSON field. Subscripts stay as written."""

    INDEX_OFFSET = 0

    class Parser(PostgresParser):
        LAMBDAS: ClassVar = {
            token: builder
            for token, builder in PostgresParser.LAMBDAS.items()
            if token != TokenType.ARROW
        }


_SETTING_WORDS = frozenset({"set", "reset", "show"})
_TRANSACTION_WORDS = frozenset(
    {"begin", "commit", "rollback", "start", "savepoint", "end", "abort"}
)
_QUERY_STARTS = frozenset({"select", "with", "values", "table", "("})


def parse_query(sql: str, tokens: list[Token]) -> exp.Expr:
    """The tree of the one query in `sql`.

    Raises: Invalid `sql_empty`, `sql_multiple_statements`, `sql_not_a_query`, `sql_too_deep`,
    `sql_unparseable` (with position).
    """
    _check_statements(sql, tokens)
    try:
        dialect = GuardDialect()
        parts = dialect.tokenize(sql)
        check_agreement(tokens, [(part.start, part.end + 1) for part in parts], sql)
        trees = [tree for tree in dialect.parser().parse(parts, sql) if _says_something(tree)]
    except RecursionError:
        message = "The SQL is too deeply nested to check."
        raise Invalid("sql_too_deep", message) from None
    except ParseError as error:
        raise _unparseable(sql, error) from error
    except SqlglotError as error:
        raise Invalid("sql_unparseable", "The SQL could not be analysed.") from error
    if len(trees) != 1 or not isinstance(trees[0], (exp.Query, exp.Values)):
        raise refusal("sql_unparseable", "The SQL could not be analysed as one query.", offset=0)
    return trees[0]


def _says_something(tree: exp.Expr | None) -> bool:
    return tree is not None and not isinstance(tree, exp.Semicolon)


def _check_statements(sql: str, tokens: list[Token]) -> None:
    """Decided on tokens: the parser reads some commands as expressions (LISTEN x is an alias)."""
    spoken = [token for token in tokens if token.text != ";"]
    if not spoken:
        raise Invalid("sql_empty", "There is no SQL statement here.")
    first = spoken[0]
    word = first.name if first.kind == "name" else first.text
    ends = [token for token in tokens if token.text == ";"]
    if ends and spoken[-1].start > ends[0].start:
        follower = next(token for token in spoken if token.start > ends[0].start)
        message = f"Only one statement is allowed, but {follower.text.upper()} follows the first."
        raise refusal("sql_multiple_statements", message, sql=sql, offset=follower.start)
    if word not in _QUERY_STARTS:
        kind = _kind_of(word)
        message = f"{first.text.upper()} is {kind}; only a query (SELECT, WITH, VALUES) is allowed."
        raise refusal("sql_not_a_query", message, sql=sql, offset=first.start)


def _kind_of(word: str) -> str:
    if word in _TRANSACTION_WORDS:
        return "transaction control"
    return "a settings command" if word in _SETTING_WORDS else "not a query"


def _unparseable(sql: str, error: ParseError) -> Invalid:
    """Visibly different from "unsafe": the reviewer can ask for another wording."""
    detail = error.errors[0] if error.errors else {}
    line, column = detail.get("line"), detail.get("col")
    near = str(detail.get("highlight") or "").strip()
    if line is None or column is None:
        return Invalid("sql_unparseable", "The SQL could not be analysed.")
    offset = _offset(sql, int(line), int(column), near)
    message = f"The SQL could not be analysed near {near!r}. Write it another way."
    where = place(sql, offset)
    return Invalid("sql_unparseable", f"{message} ({where})", position=offset, place=where)


def _offset(sql: str, line: int, column: int, near: str) -> int:
    """The parser's column is the *end* of the token it stopped at, on lines cut at LF or CR LF."""
    starts = [0, *(match.end() for match in re.finditer("\n", sql))]
    start = starts[min(line, len(starts)) - 1] + column - max(len(near), 1)
    return max(0, min(start, len(sql)))
