"""Every word of the text must be somewhere in the tree, or be a word of the grammar.

The parser takes some arguments for keywords: in `date_trunc(email, d)` it reads a unit, PostgreSQL
reads a column. Whatever it swallowed that way would never be looked up, so it is refused.
"""

from __future__ import annotations

from sqlglot import exp

from thoth.contracts.schema import Catalog
from thoth.warehouse.guard.errors import refusal
from thoth.warehouse.guard.lexer import Token
from thoth.warehouse.guard.nodes import position
from thoth.warehouse.guard.words import RESERVED, words

_CONSTANTS = words(
    "null true false current_date current_time current_timestamp localtime localtimestamp"
)
_GRAMMAR = RESERVED | words(
    "at between by cube current day double escape exclude exists filter first following grouping "
    "groups hour interval last local materialized minute month no nulls of ordinality others over "
    "partition preceding precision range recursive rollup row rows second sets ties time "
    "unbounded unknown values varying week within without year zone quarter json object array "
    "scalar keys value symmetric asymmetric groups days hours minutes months seconds weeks years "
    "next percent respect ignore overlaps respect"
)
_TYPES = words(
    "bigint bit bool boolean bpchar bytea char character date datemultirange daterange dec decimal "
    "float float4 float8 inet cidr int int2 int4 int8 int4range int8range int4multirange "
    "int8multirange integer json jsonb jsonpath line lseg macaddr macaddr8 money numeric nummultirange "
    "numrange path point polygon box circle real smallint text timestamp timestamptz timetz "
    "tsmultirange tsquery tsrange tstzmultirange tstzrange tsvector uuid varbit varchar xml"
)
# Where a bare identifier may stand without being a column: it names something.
_NAMING = (
    exp.Column, exp.Table, exp.Alias, exp.TableAlias, exp.Window, exp.Join, exp.Dot, exp.DataType,
    exp.Anonymous, exp.ColumnDef, exp.Unnest, exp.Aliases, exp.Collate,
)  # fmt: skip


def check_accounted(tokens: list[Token], tree: exp.Expr, catalog: Catalog, sql: str) -> None:
    """Raises: Invalid `sql_unparseable` at the first word that the tree does not account for."""
    in_tree = set()
    for node in tree.walk():
        in_tree.add(node.meta.get("start"))
        if isinstance(node, exp.Identifier) and not isinstance(node.parent, (*_NAMING, type(None))):
            message = f"The name {node.name} could not be analysed here."
            raise refusal("sql_unparseable", message, sql=sql, offset=position(node))
    hidden = _hidden_names(catalog)
    for index, token in enumerate(tokens):
        if not token.is_identifier or token.start in in_tree:
            continue
        if token.name in hidden or not _is_grammar(tokens, index):
            message = f"The word {token.text} could not be analysed here. Write it another way."
            raise refusal("sql_unparseable", message, sql=sql, offset=token.start)


def _is_grammar(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    before, after = _text(tokens, index - 1), _text(tokens, index + 1)
    if after in ("(", "=>") or before == "collate":
        return True  # a function or type, checked elsewhere; the name of an argument; a collation
    if token.kind == "quoted":
        return False
    if before == "(" and after == "from" and _text(tokens, index - 2) == "extract":
        return True  # EXTRACT(anything FROM …): a field, never a column
    is_argument = before in ("(", ",") and after in (")", ",")
    if is_argument:
        return token.name in _CONSTANTS
    return token.name in _GRAMMAR or token.name in _TYPES


def _text(tokens: list[Token], index: int) -> str:
    if not 0 <= index < len(tokens):
        return ""
    return tokens[index].name if tokens[index].kind == "name" else tokens[index].text


def _hidden_names(catalog: Catalog) -> frozenset[str]:
    return frozenset(
        column.name for table in catalog.tables for column in table.columns if column.hidden
    )
