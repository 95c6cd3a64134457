"""Expressions as comparable text: structure counts, spelling, parentheses and table aliases do not."""

from __future__ import annotations

from sqlglot import exp

_COMMUTATIVE = (exp.Add, exp.Mul, exp.EQ, exp.NEQ, exp.And, exp.Or)
_IGNORED = frozenset(
    {"quoted", "big_int", "typed", "safe", "table", "db", "catalog", "nested", "kind"}
)


def canon(node: object) -> str:
    """The text. Columns must be resolved (`facts.base_column`) or fully qualified before."""
    if isinstance(node, exp.Paren):
        return canon(node.this)
    if isinstance(node, (exp.Column, exp.Literal)):
        return node.name if isinstance(node, exp.Column) else repr(node.this)
    if isinstance(node, exp.Expr):
        return _node(node)
    if isinstance(node, list):
        return "[" + ",".join(canon(item) for item in node) + "]"
    return str(node).upper()


def _node(node: exp.Expr) -> str:
    parts = [
        (key, canon(value))
        for key, value in sorted(node.args.items())
        if value is not None and value is not False and key not in _IGNORED and value != []
    ]
    values = [text for _, text in parts]
    if isinstance(node, _COMMUTATIVE):
        values = sorted(values)
    else:
        values = [f"{key}={text}" for key, text in parts]
    return f"{type(node).__name__}({','.join(values)})"


def stripped(node: exp.Expr) -> exp.Expr:
    """Without rounding, casts, parentheses, aliases, and a default for NULL: what is really computed."""
    while True:
        if isinstance(node, (exp.Paren, exp.Alias, exp.Round, exp.Cast)) or (
            isinstance(node, exp.Coalesce) and len(node.expressions) == 1
        ):
            node = node.this
        else:
            return node
