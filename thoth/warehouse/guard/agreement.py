"""The parser must cut the text exactly where PostgreSQL does; otherwise the text is refused.

Checking a tree that stands for another statement than the one that runs is the classic way past a
guard: a comment that ends earlier, a quote that is escaped for one of the two only.
"""

from __future__ import annotations

from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.lexer import Token
from thoth.warehouse.guard.words import words

_OPERATORS = words(
    "+ - * / % ^ < > = <= >= <> != || ~ ~* !~ !~* ~~ ~~* !~~ !~~* -> ->> #> #>> @> <@ ? ?| ?& && "
    "@@ @? | & # << >> |/ ||/ ^@ #- -|- <-> =>"
)
# PostgreSQL's one operator is two tokens to the parser, which puts them together again.
_SPLIT = frozenset({"!~", "!~*", "!~~", "!~~*", "<<", ">>"})


def check_operators(tokens: list[Token], sql: str, *, redefined: frozenset[str]) -> None:
    """Only built-in operators: any other runs a function that somebody wrote."""
    for token in tokens:
        if token.kind != "operator":
            continue
        if token.text not in _OPERATORS:
            message = f"The operator {token.text} could not be analysed. Use a function instead."
            raise refusal("sql_unparseable", message, sql=sql, offset=token.start)
        if token.text in redefined:
            message = (
                f"The operator {token.text} is redefined in this warehouse and may run any code."
            )
            raise refusal("sql_function_refused", message, sql=sql, offset=token.start)


def check_agreement(tokens: list[Token], spans: list[tuple[int, int]], sql: str) -> None:
    """`spans` are the parser's tokens. Raises: Invalid `sql_unparseable` where the two differ."""
    parsed = set(spans)
    ours = {(token.start, token.end) for token in tokens}
    if parsed == ours:
        return
    allowed = {span for token in tokens if _may_be_split(token) for span in _spans(token, parsed)}
    differing = (ours ^ parsed) - allowed - _word_groups(tokens, parsed)
    if differing:
        start, end = min(differing)
        message = f"The SQL could not be analysed near {sql[start:end]!r}: PostgreSQL reads it differently."
        raise refusal("sql_unparseable", message, sql=sql, offset=start)


def _word_groups(tokens: list[Token], parsed: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """ORDER BY is one token to the parser, two to PostgreSQL: its span and those of its words."""
    ends = {end: start for start, end in parsed}
    by_start = {token.start: index for index, token in enumerate(tokens)}
    allowed: set[tuple[int, int]] = set()
    for index, token in enumerate(tokens):
        start = ends.get(token.end)
        first = by_start.get(start) if start is not None and start < token.start else None
        words = tokens[first : index + 1] if first is not None else []
        if words and all(word.kind == "name" for word in words):
            allowed |= {(words[0].start, token.end), *((word.start, word.end) for word in words)}
    return allowed


def _may_be_split(token: Token) -> bool:
    return token.text in _SPLIT or (token.kind == "number" and token.text.startswith("."))


def _spans(token: Token, parsed: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The token's own span and the parser's pieces of it, if those cover it."""
    cuts = range(token.start + 1, token.end)
    for cut in cuts:
        pieces = {(token.start, cut), (cut, token.end)}
        if pieces <= parsed:
            return pieces | {(token.start, token.end)}
    return set()
