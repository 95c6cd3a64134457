"""Cuts SQL into tokens exactly where PostgreSQL does (its scan.l with standard_conforming_strings).

The parser has a lexer of its own; `agreement.py` refuses a text that the two cut differently. What
PostgreSQL would accept but a reviewer cannot read safely (Unicode escapes, adjacent strings,
parameters) is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from thoth.lib.errors import Invalid
from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.names import describe_char, fold_name, is_invisible

Kind = Literal["name", "quoted", "string", "number", "operator", "punctuation"]


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is the raw text of characters [start, end); `name` its folded form for names."""

    kind: Kind
    start: int
    end: int
    text: str
    name: str = ""

    @property
    def is_identifier(self) -> bool:
        return self.kind in ("name", "quoted")


_BLANK = re.compile(r"[ \t\n\r]+")
_LINE_COMMENT = re.compile(r"--[^\n\r]*")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_PREFIXED = re.compile(r"[A-Za-z]&?(?=['\"])")
_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z_0-9$\u0080-\U0010ffff]*")
_NUMBER = re.compile(
    r"0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+"
    r"|(?:\d(?:_?\d)*(?:\.(?!\.)(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?"
)
_PLAIN_STRING = re.compile(r"'(?:[^']|'')*'")
_ESCAPE_STRING = re.compile(r"'(?:[^'\\]|''|\\.)*'", re.DOTALL)
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_DOLLAR = re.compile(r"\$([A-Za-z_\u0080-\U0010ffff][A-Za-z_0-9\u0080-\U0010ffff]*)?\$")
_OPERATOR = re.compile(r"[~!@#^&|`?+\-*/%<>=]+")
_PUNCTUATION = re.compile(r"::|:=|\.\.|[,()\[\].;:]")
_MAY_END_IN_SIGN = re.compile(r"[~!@#^&|`?%]")


def tokenize(sql: str) -> list[Token]:
    """The tokens of `sql`, comments and blanks left out.

    Raises: Invalid `sql_invisible_character`, `sql_unicode_escape`, `sql_parameter`,
    `sql_unparseable`.
    """
    tokens: list[Token] = []
    for token in _scan(sql):
        if tokens and token.kind == "string" and tokens[-1].kind == "string":
            message = (
                "Two strings stand side by side. Write them as one string or join them with ||."
            )
            raise refusal("sql_unparseable", message, sql=sql, offset=token.start)
        tokens.append(token)
    return tokens


def _scan(sql: str) -> Iterator[Token]:
    offset = 0
    while offset < len(sql):
        end = _skip_blank(sql, offset)
        if end > offset:
            offset = end
            continue
        token = _next_token(sql, offset)
        yield token
        offset = token.end


def _skip_blank(sql: str, offset: int) -> int:
    """The offset behind the blanks or the comment that starts here, else `offset`."""
    if match := _BLANK.match(sql, offset):
        return match.end()
    if match := _LINE_COMMENT.match(sql, offset):
        _refuse_invisible(sql, offset, match.end(), where="in a comment")
        return match.end()
    if sql.startswith("/*", offset):
        end = _block_comment_end(sql, offset)
        _refuse_invisible(sql, offset, end, where="in a comment")
        return end
    return offset


def _block_comment_end(sql: str, offset: int) -> int:
    """PostgreSQL nests block comments, unlike the standard."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(sql, offset):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    raise refusal("sql_unparseable", "A comment is never closed.", sql=sql, offset=offset)


def _next_token(sql: str, offset: int) -> Token:
    for scanner in _SCANNERS.get(sql[offset], _NAME_SCANNERS):
        token = scanner(sql, offset)
        if token is not None:
            return token
    char = sql[offset]
    if is_invisible(char):
        raise _invisible(sql, offset, where="outside a literal")
    message = f"PostgreSQL gives no meaning to {char!r} here."
    raise refusal("sql_unparseable", message, sql=sql, offset=offset)


def _prefixed(sql: str, offset: int) -> Token | None:
    """E'…', B'…', X'…'; U&'…' and U&"…" are refused: a reader cannot see what they spell."""
    match = _PREFIXED.match(sql, offset)
    if match is None:
        return None
    prefix = match.group().lower()
    if prefix == "u&":
        message = "Unicode escapes (U&) hide what they spell. Write the characters themselves."
        raise refusal("sql_unicode_escape", message, sql=sql, offset=offset)
    if prefix not in ("e", "b", "x") or sql[match.end()] != "'":
        message = f"The prefix {match.group()!r} before a quote is not supported."
        raise refusal("sql_unparseable", message, sql=sql, offset=offset)
    pattern = _ESCAPE_STRING if prefix == "e" else _PLAIN_STRING
    return _closed(sql, offset, match.end(), pattern, "string")


def _quoted(sql: str, offset: int) -> Token | None:
    if sql[offset] != '"':
        return None
    token = _closed(sql, offset, offset, _QUOTED, "quoted")
    name = token.text[1:-1].replace('""', '"')
    if not name:
        raise refusal("sql_unparseable", "A quoted name is empty.", sql=sql, offset=offset)
    return Token("quoted", token.start, token.end, token.text, fold_name(name, quoted=True))


def _string(sql: str, offset: int) -> Token | None:
    return _closed(sql, offset, offset, _PLAIN_STRING, "string") if sql[offset] == "'" else None


def _closed(sql: str, start: int, quote: int, pattern: re.Pattern[str], kind: Kind) -> Token:
    match = pattern.match(sql, quote)
    if match is None:
        raise refusal("sql_unparseable", "A quote is never closed.", sql=sql, offset=start)
    return Token(kind, start, match.end(), sql[start : match.end()])


def _dollar(sql: str, offset: int) -> Token | None:
    if sql[offset] != "$":
        return None
    match = _DOLLAR.match(sql, offset)
    if match is None:
        message = "Parameters ($1) have no value here. Write the value itself."
        raise refusal("sql_parameter", message, sql=sql, offset=offset)
    close = sql.find(match.group(), match.end())
    if close < 0:
        raise refusal("sql_unparseable", "A dollar quote is never closed.", sql=sql, offset=offset)
    end = close + len(match.group())
    return Token("string", offset, end, sql[offset:end])


def _number(sql: str, offset: int) -> Token | None:
    match = _NUMBER.match(sql, offset)
    if match is None:
        return None
    if junk := _NAME.match(sql, match.end()):
        message = f"A number runs into {junk.group()!r}. Put a blank between them."
        raise refusal("sql_unparseable", message, sql=sql, offset=offset)
    return Token("number", offset, match.end(), match.group())


def _name(sql: str, offset: int) -> Token | None:
    match = _NAME.match(sql, offset)
    if match is None:
        return None
    # Every non-ASCII character is a letter to PostgreSQL, a no-break space too.
    _refuse_invisible(sql, offset, match.end(), where="outside a literal")
    text = match.group()
    return Token("name", offset, match.end(), text, fold_name(text, quoted=False))


def _operator(sql: str, offset: int) -> Token | None:
    match = _OPERATOR.match(sql, offset)
    if match is None:
        return None
    text = match.group()
    for comment in ("--", "/*"):
        if (cut := text.find(comment)) > 0:
            text = text[:cut]
    if len(text) > 1 and not _MAY_END_IN_SIGN.search(text):
        # "a<-1" is "<" and "-": only operators with one of these characters may end in a sign.
        text = text[0] + text[1:].rstrip("+-")
    return Token("operator", offset, offset + len(text), text)


def _punctuation(sql: str, offset: int) -> Token | None:
    match = _PUNCTUATION.match(sql, offset)
    return Token("punctuation", offset, match.end(), match.group()) if match else None


def _refuse_invisible(sql: str, start: int, end: int, *, where: str) -> None:
    text = sql[start:end]
    if text.isascii() and text.isprintable():
        return
    for offset, char in enumerate(text, start):
        if is_invisible(char):
            raise _invisible(sql, offset, where=where)


def _invisible(sql: str, offset: int, *, where: str) -> Invalid:
    char = describe_char(sql[offset])
    message = f"The invisible character {char} stands {where}. Remove it or retype the text."
    return refusal("sql_invisible_character", message, sql=sql, offset=offset)


# By first character, to try no more than two; every other character can only begin a name.
_NAME_SCANNERS = (_prefixed, _name)
_SCANNERS: dict[str, tuple[Callable[[str, int], Token | None], ...]] = {
    '"': (_quoted,),
    "'": (_string,),
    "$": (_dollar,),
    ".": (_number, _punctuation),
    **dict.fromkeys("0123456789", (_number,)),
    **dict.fromkeys("~!@#^&|`?+-*/%<>=", (_operator,)),
    **dict.fromkeys(",()[];:", (_punctuation,)),
}
