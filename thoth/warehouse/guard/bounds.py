"""Size and depth, bounded before the parser sees the text: its recursion is not an error it reports.

Counted on PostgreSQL's own tokens, so a long literal full of parentheses costs nothing.
"""

from __future__ import annotations

from thoth.lib.errors import Invalid
from thoth.lib.limits import SQL_MAX_BYTES
from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.lexer import Token

# Python's parser frames: about ten for a bracket, twenty-five for a subquery. Fifty brackets stay
# inside the interpreter's recursion limit under a web request; PostgreSQL itself would take more.
NESTING_MAX = 40
SUBSCRIPTS_MAX = 50  # a[1][1]…: each one makes the parser start over
WORK_MAX = 20_000
_REREADS = 4
_COSTLY_CLAUSES = frozenset({"limit", "offset", "fetch"})
_PREFIX_OPERATORS = frozenset({"-", "+", "~"})


def check_bytes(sql: str) -> None:
    """Refuses what cannot be sent, stored or read: NUL, half characters, more than 100 kB."""
    if (at := sql.find("\x00")) >= 0:
        raise refusal("sql_invisible_character", "The SQL contains a NUL character.", offset=at)
    try:
        size_bytes = len(sql.encode())
    except UnicodeEncodeError as error:
        message = "The SQL contains half of a character. Type it again."
        raise refusal("sql_invisible_character", message, offset=error.start) from None
    if size_bytes > SQL_MAX_BYTES:
        message = f"The SQL has {size_bytes} bytes; at most {SQL_MAX_BYTES} are allowed."
        raise Invalid("sql_too_long", message, length=size_bytes, limit=SQL_MAX_BYTES)


def check_depth(tokens: list[Token], sql: str) -> None:
    """Refuses more than 40 levels of brackets, CASE and prefix operators, or too much work.

    Work is counted in tokens as the parser reads them: it reads the inside of `[…]` and of a bracket
    in LIMIT about four times per level, so a few dozen nested arrays would keep it busy for hours.
    """
    work, prefixes, subscripts, before = 0, 0, 0, ""
    open_costs = [1]
    for token in tokens:
        _step(token, open_costs)
        prefixes = prefixes + 1 if _is_prefix(token) else 0
        work += abs(open_costs[-1])
        subscripts += token.text == "[" and before == "]"
        before = token.text
        if len(open_costs) + prefixes > NESTING_MAX or subscripts > SUBSCRIPTS_MAX:
            message = f"The SQL is too deeply nested to check: more than {NESTING_MAX} levels."
            raise refusal("sql_too_deep", message, sql=sql, offset=token.start)
        if work > WORK_MAX:
            message = "The SQL is too large to check. Split it into smaller steps."
            raise refusal("sql_too_long", message, sql=sql, offset=token.start)


def _step(token: Token, open_costs: list[int]) -> None:
    """Keeps the stack of open brackets; an entry is negative once LIMIT stood on that level."""
    cost = open_costs[-1]
    if token.text in ("(", "[") or token.name == "case":
        costly = token.text == "[" or cost < 0
        open_costs.append(abs(cost) * (_REREADS if costly else 1))
    elif (token.text in (")", "]") or token.name == "end") and len(open_costs) > 1:
        open_costs.pop()
    elif token.kind == "name" and token.name in _COSTLY_CLAUSES:
        open_costs[-1] = -abs(cost)


def _is_prefix(token: Token) -> bool:
    return token.text in _PREFIX_OPERATORS or (token.kind == "name" and token.name == "not")
