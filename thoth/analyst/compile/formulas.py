"""An approved formula as an expression that can be placed into a query."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.scope import Scope
from thoth.analyst.compile.serving import Ref
from thoth.contracts.decisions import ConceptFormulaApproved


@dataclass(frozen=True)
class Formula:
    """`expression` names its columns in full; `aggregated` says that it is a value of a group."""

    expression: exp.Expr
    refs: tuple[Ref, ...]
    aggregated: bool

    @property
    def tables(self) -> frozenset[str]:
        return frozenset(ref.table for ref in self.refs)

    @property
    def is_condition(self) -> bool:
        root = self.expression.unnest()
        return isinstance(root, (exp.Predicate, exp.Connector, exp.Not, exp.Boolean))

    def placed(self, scope: Scope) -> exp.Expr:
        """A copy whose columns carry the aliases of `scope`, in parentheses where they are needed."""
        tree = self.expression.copy().transform(
            lambda node: scope.column(_ref(node)) if isinstance(node, exp.Column) else node
        )
        return exp.paren(tree, copy=False) if isinstance(tree, (exp.Binary, exp.Not)) else tree


def parse_formula(formula: ConceptFormulaApproved) -> Formula:
    """The formula's tree.  Raises: UncompilableError `bad_formula`."""
    try:
        tree = sqlglot.parse_one(f"SELECT {formula.sql}", read="postgres").expressions[0]
    except (SqlglotError, IndexError, RecursionError):
        raise UncompilableError(
            "bad_formula", f"The formula {formula.sql} is not valid SQL."
        ) from None
    known = {name.rpartition(".")[2]: name for name in formula.columns}
    for node in tree.find_all(exp.Column):
        if not node.table and node.name in known:
            _qualify(node, known[node.name])
    refs = tuple(dict.fromkeys(_ref(node) for node in tree.find_all(exp.Column)))
    return Formula(tree.unalias(), refs, aggregated=_has_aggregate(tree))


def _qualify(node: exp.Column, full_name: str) -> None:
    schema, table, _ = full_name.split(".", 2)
    node.set("table", exp.to_identifier(table, quoted=True))
    node.set("db", exp.to_identifier(schema, quoted=True))


def _ref(node: exp.Column) -> Ref:
    if not node.table:
        message = f"The formula's column {node.name} does not say which table it belongs to."
        raise UncompilableError("bad_formula", message, node.name)
    return Ref(f"{node.db}.{node.table}" if node.db else node.table, node.name)


def _has_aggregate(tree: exp.Expr) -> bool:
    windowed = {id(w.this) for w in tree.find_all(exp.Window)}
    return any(id(node) not in windowed for node in tree.find_all(exp.AggFunc))
