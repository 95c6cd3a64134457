"""Expressions: every name in them is looked up, and what the value can show is worked out.

The walk keeps a stack instead of recursing, because a chain of 2 000 ORs is one expression 2 000
nodes deep. Only a query inside an expression starts a new call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from thoth.warehouse.guard.lookup import Lookup, name_of
from thoth.warehouse.guard.relations import OutColumn, Scope

# Their value says something about the column without showing what it stores.
_SHOWS_NOTHING = (
    exp.Count, exp.Predicate, exp.Exists, exp.Connector, exp.Not, exp.Sum, exp.Avg, exp.Stddev,
    exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop, exp.RowNumber, exp.Rank,
    exp.DenseRank, exp.Ntile, exp.PercentRank, exp.CumeDist, exp.LogicalAnd, exp.LogicalOr,
)  # fmt: skip
_COARSE_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "DECADE", "CENTURY", "ISOYEAR"})
_COARSE = (exp.Extract, exp.TimestampTrunc, exp.DateTrunc)
_QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)

ResolveQuery = Callable[[exp.Expr, Scope], list[OutColumn]]


class Expressions:
    """Looks names up in a scope; `seen` collects the column nodes that were resolved."""

    def __init__(self, lookup: Lookup, resolve_query: ResolveQuery) -> None:
        self._lookup = lookup
        self._resolve_query = resolve_query
        self.seen: set[int] = set()

    def resolve(self, node: exp.Expr, scope: Scope) -> frozenset[str]:
        """The warehouse columns whose stored values the expression can show.

        Raises: Invalid as `Lookup.column`, and `sql_not_allowed` for a field of a row value.
        """
        shown: set[str] = set()
        pending = [(node, True)]
        while pending:
            current, counts = pending.pop()
            if isinstance(current, exp.Column):
                self.seen.add(id(current))
                found = self._lookup.column(current, scope).sources
            elif isinstance(current, _QUERIES):
                outputs = self._resolve_query(current, scope)
                found = frozenset(source for output in outputs for source in output.sources)
            else:
                self._check_dot(current)
                below = counts and not _shows_nothing(current)
                pending.extend((child, below and _is_value(child)) for child in _children(current))
                continue
            if counts:
                shown |= found
        return frozenset(shown)

    def _check_dot(self, node: exp.Expr) -> None:
        if isinstance(node, exp.Dot) and not isinstance(node.expression, exp.Func):
            message = "A field of a row value ((x).field) could not be analysed. Name the column."
            raise self._lookup.refuse("sql_whole_row", message, node)


def _children(node: exp.Expr) -> Iterator[exp.Expr]:
    """Sub-expressions; a type, the name of a window, the schema of a function are not."""
    if isinstance(node, exp.DataType):
        return
    if isinstance(node, exp.Dot):
        yield node.expression
        return
    for name, value in node.args.items():
        if isinstance(node, exp.Window) and name == "alias":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, exp.Expr):
                yield child


def _shows_nothing(node: exp.Expr) -> bool:
    if isinstance(node, _COARSE):
        unit = node.this if isinstance(node, exp.Extract) else node.args.get("unit")
        return isinstance(unit, exp.Expr) and unit.name.upper() in _COARSE_UNITS
    return isinstance(node, _SHOWS_NOTHING)


def _is_value(node: exp.Expr) -> bool:
    """False for what only selects or orders rows: FILTER (WHERE …), OVER (ORDER BY …)."""
    return not isinstance(node, (exp.Where, exp.Order, exp.WindowSpec))


def output_name(node: exp.Expr, sql: str) -> str | None:
    """The name PostgreSQL gives to an unaliased expression, or None when we do not predict it."""
    if isinstance(node, exp.Column):
        return None if isinstance(node.this, exp.Star) else name_of(node.this)
    if isinstance(node, (exp.Cast, exp.Paren, exp.Bracket, exp.Collate)):
        return _name_below(node, sql)
    if isinstance(node, (exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls)):
        return output_name(node.this, sql)
    if isinstance(node, exp.Func):
        return function_name(node, sql)
    return None


def _name_below(node: exp.Expr, sql: str) -> str | None:
    """A cast, subscript or bracket passes the name of a column or call through, nothing else."""
    inner = node.this
    passes = isinstance(inner, (exp.Column, exp.Cast, exp.Paren, exp.Bracket, exp.Anonymous))
    return output_name(inner, sql) if passes else None


def function_name(node: exp.Expr, sql: str) -> str | None:
    """The name as written, from the place the parser noted."""
    start, end = node.meta.get("start"), node.meta.get("end")
    if start is None or end is None:
        return None
    text = sql[start : end + 1]
    return text.lower() if text.isidentifier() and text.isascii() else None
