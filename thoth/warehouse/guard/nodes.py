"""Which nodes of the tree a query may consist of. What is not on the list is refused by name.

Functions are not decided here (any `exp.Func` passes) but by name, on the text: `functions.py`.
"""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from thoth.lib.errors import Invalid
from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.words import words

_QUERY = (
    exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Values, exp.Subquery, exp.With, exp.CTE,
    exp.From, exp.Join, exp.Lateral, exp.Table, exp.TableAlias, exp.Unnest,
)  # fmt: skip
_CLAUSES = (
    exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Fetch,
    exp.LimitOptions, exp.Distinct, exp.GroupingSets, exp.Rollup, exp.Cube, exp.Window,
    exp.WindowSpec, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls,
)  # fmt: skip
_SCALARS = (
    exp.Column, exp.Identifier, exp.Star, exp.Literal, exp.Boolean, exp.Null, exp.Alias, exp.Paren,
    exp.Tuple, exp.Var, exp.Interval, exp.IntervalSpan, exp.DataType, exp.DataTypeParam,
    exp.ByteString, exp.BitString, exp.HexString, exp.Heredoc, exp.RawString, exp.Bracket,
    exp.Slice, exp.AtTimeZone, exp.Collate, exp.Kwarg, exp.PropertyEQ, exp.Dot, exp.Neg, exp.Not,
    exp.BitwiseNot, exp.Between, exp.In, exp.Exists, exp.All, exp.Any, exp.Is, exp.Aliases,
    exp.JSONKeyValue, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript,
    exp.ColumnDef, exp.JSON, exp.DPipe, exp.Escape, exp.Case, exp.If,
)  # fmt: skip
_FUNCTION_NODES_REFUSED = (
    exp.CurrentUser, exp.SessionUser, exp.CurrentRole, exp.CurrentSchema, exp.CurrentCatalog,
    exp.NextValueFor, exp.XMLTable, exp.OpenJSON, exp.JSONTable,
)  # fmt: skip
_NAMED: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Into: ("sql_into", "SELECT … INTO creates a table."),
    exp.Lock: ("sql_row_lock", "A row lock (FOR UPDATE, FOR SHARE) changes the warehouse."),
    exp.Command: ("sql_not_a_query", "This is a command, not a query."),
    exp.Parameter: ("sql_parameter", "A parameter has no value here. Write the value itself."),
    exp.Placeholder: ("sql_parameter", "A placeholder has no value here. Write the value itself."),
    exp.TableSample: ("sql_not_allowed", "TABLESAMPLE gives another result on every run."),
    exp.DML: ("sql_dml_in_cte", "changes data."),
    exp.DDL: ("sql_not_a_query", "changes the schema."),
}
# The clauses that name resolution understands. Any other one on these nodes is refused, so that a
# parser upgrade cannot bring in a clause that nobody looked at.
_ARGUMENTS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: words(
        "with_ kind expressions distinct from_ joins laterals where group having windows order limit "
        "offset"
    ),
    exp.SetOperation: words("with_ this expression distinct order limit offset side kind"),
    exp.Subquery: words("this alias with_ joins order limit offset"),
    exp.Table: words("this db alias joins only ordinality rows_from"),
    exp.Join: words("this on side kind method using"),
    exp.Lateral: words("this alias ordinality"),
    exp.Unnest: words("expressions alias offset joins"),
    exp.Values: words("expressions alias order limit offset joins with_"),
    exp.CTE: words("this alias materialized scalar"),
    exp.With: words("expressions recursive"),
    exp.TableAlias: words("this columns"),
    exp.Window: words("this partition_by order spec alias over first"),
    exp.Group: words("expressions grouping_sets cube rollup"),
    exp.Column: words("this table db"),
}


def check_nodes(tree: exp.Expr, sql: str) -> None:
    """Walks the whole tree. Raises: Invalid with the code of the clause that is not allowed."""
    for node in tree.walk():
        if not _is_known(type(node)):  # type: ignore[arg-type]  # mypy: a metaclass has no hash
            raise _refuse(node, sql)
        _check_arguments(node, sql)


@cache
def _is_known(kind: type[exp.Expr]) -> bool:
    if issubclass(kind, (exp.DML, exp.DDL)) and not issubclass(kind, _QUERY):
        return False
    if issubclass(kind, (*_QUERY, *_CLAUSES, *_SCALARS)):
        return True
    if issubclass(kind, _FUNCTION_NODES_REFUSED):
        return False
    return issubclass(kind, (exp.Binary, exp.Func, exp.SubqueryPredicate))


def _check_arguments(node: exp.Expr, sql: str) -> None:
    allowed = _allowed_arguments(type(node))  # type: ignore[arg-type]
    if allowed is None:
        return
    for name, value in node.args.items():
        if value and name not in allowed and not _is_refused_by_name(value):
            clause = name.rstrip("_").replace("_", " ").upper()
            message = f"{clause} on {type(node).__name__} could not be analysed."
            raise refusal("sql_not_allowed", message, sql=sql, offset=position(node))


@cache
def _allowed_arguments(kind: type[exp.Expr]) -> frozenset[str] | None:
    """None: resolution does not care what hangs on such a node, its children are looked at anyway."""
    return next((names for base, names in _ARGUMENTS.items() if issubclass(kind, base)), None)


def _is_refused_by_name(value: object) -> bool:
    """INTO and locks are met later in the walk and have a message of their own."""
    first = value[0] if isinstance(value, list) else value
    return isinstance(first, (exp.Into, exp.Lock))


def _refuse(node: exp.Expr, sql: str) -> Invalid:
    where = position(node)
    for kind, (code, message) in _NAMED.items():
        if isinstance(node, kind):
            changes = isinstance(node, (exp.DML, exp.DDL))
            subject = f"{type(node).__name__.upper()}{_clause_of(node)} " if changes else ""
            return refusal(code, subject + message, sql=sql, offset=where)
    name = type(node).__name__
    code = "sql_function_refused" if isinstance(node, exp.Func) else "sql_not_allowed"
    return refusal(code, f"{name} is not allowed in a query here.", sql=sql, offset=where)


def _clause_of(node: exp.Expr) -> str:
    cte = node.find_ancestor(exp.CTE)
    return f" in the CTE {cte.alias!r}" if cte else ""


def position(node: exp.Expr) -> int | None:
    """The offset of the first token that the parser noted under `node`, if any."""
    starts = [child.meta["start"] for child in node.walk() if child.meta.get("start") is not None]
    return min(starts, default=None)
