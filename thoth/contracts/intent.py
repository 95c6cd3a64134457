"""QueryIntent: what the reviewer approves in F3 and the compiler follows in F7.

It speaks of concepts, not of tables: which columns serve an id is decided in F4 (`serves[]` of the
linking decisions). Every measure, dimension, filter and output has an id (`m1 d1 f1 o1`).

Reading: take the rows of `population`; keep those that satisfy all `filters` and `period`; group by
`dimensions`; compute `measures`; keep the groups that satisfy `having`; order; cut to `limit`.
Without measures the result is a list of `dimensions` (rows; `distinct` removes duplicates).

How F4 serves an id, which is all the compiler reads of tables and columns:
- the table whose rows are the population has `population` in its `serves`; every other promoted
  table is reached from it by the approved joins;
- `count` of `*` counts the rows of the table that serves the measure (the population, else the rows
  of a joined table, by its key, so that an outer join counts zero); every other measure, each
  dimension and the period are served by one promoted column, or by the formula of their `concept`;
- a text filter is served by the grounding of its literal(s); any other filter by its column or formula;
- an `exists` filter is served by the table that must (not) hold a row for the population's row: the
  subquery goes over approved joins that connect it and the tables of the filters `within` it. When
  the population's own table serves it, the rows are those of the same key that serves the filter.
- an `is_null` filter of a list-like question may be served by the key of a table's foreign key.
Every measure and dimension that the result shows has an `Output`; others only order or restrict.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from thoth.contracts.schema import Frozen

Aggregate = Literal["count", "sum", "avg", "min", "max", "median", "stddev", "ratio", "value"]
Operator = Literal[
    "=", "!=", "<", "<=", ">", ">=", "between", "in", "contains", "starts_with", "ends_with",
    "is_null", "is_true", "exists", "followed_within", "preceded_within",
]  # fmt: skip
Grain = Literal[
    "year", "quarter", "month", "week", "day", "hour", "weekday", "month_of_year", "hour_of_day"
]
Unit = Literal["second", "minute", "hour", "day", "week", "month", "year", "percent"]


class Measure(Frozen):
    """`agg`(DISTINCT? `of`). `of` is a concept, or "*" for rows.

    ratio: share of the rows (or of distinct `of`) for which the filters `when` hold, among those for
    which `filters` hold; `unit="percent"` multiplies by 100. With `numerator`/`denominator` (ids of
    other measures) it is their quotient. `concept` names a calculated concept that needs a formula.
    `when` on another aggregate restricts that measure alone (FILTER).
    """

    id: str = Field(pattern=r"^m\d+$")
    label: str
    agg: Aggregate
    of: str
    distinct: bool = False
    concept: str | None = None
    when: tuple[str, ...] = ()
    numerator: str | None = None
    denominator: str | None = None
    unit: Unit | None = None
    decimals: int | None = None
    share: bool = False  # each group's value divided by the value over all groups


class Dimension(Frozen):
    """What the result is grouped by or lists: a concept, optionally cut to a calendar grain."""

    id: str = Field(pattern=r"^d\d+$")
    label: str
    of: str
    grain: Grain | None = None
    concept: str | None = None  # a calculated concept that needs a formula (age band, ...)


class Filter(Frozen):
    """A condition on `subject` (a concept).

    `values` are as written by the person (numbers and dates in ISO form); text values are literals
    to be grounded in F4. `negated` negates the whole condition (`!=` is a negated `=`): on related rows
    it means that none of them satisfies it; NULL satisfies neither a condition nor its negation.
    With `exists` it is an anti-join
    ("patients without ..."), whose inner conditions are the filters whose `within` is this id.
    followed_within: another row of the population's table for the same person begins after this one's
    end, by at most `amount` `unit`; preceded_within: this row is such a follower. Served by columns of
    one table: role `key` (the person), `period` (date on which a row begins) and, where rows last,
    `filter` (date on which they end). Only the filters `within` it restrict the other row.
    `role` rows filters before grouping, `when` belongs to a measure only, `having` compares the
    measure `subject` (its id) after grouping.
    """

    id: str = Field(pattern=r"^f\d+$")
    subject: str
    op: Operator
    values: tuple[str, ...] = ()
    kind: Literal["text", "number", "date", "boolean", "none"] = "text"
    negated: bool = False
    role: Literal["rows", "when", "having"] = "rows"
    within: str | None = None
    concept: str | None = None
    amount: int | None = None
    unit: Unit | None = None
    any_of: str | None = None  # filters with the same group name are alternatives (OR)


class Period(Frozen):
    """Half-open interval [start, end) in ISO dates on the date that `subject` names.

    `within` an `exists` filter's id, it restricts the rows that must (not) exist instead.
    """

    id: str = "p1"
    subject: str
    start: str | None = None
    end: str | None = None
    text: str = ""
    within: str | None = None


class Order(Frozen):
    by: str  # id of a measure or dimension
    direction: Literal["asc", "desc"] = "asc"


class Output(Frozen):
    """One column of the result: `of` is the id of a measure or dimension; `label` its name."""

    id: str = Field(pattern=r"^o\d+$")
    of: str
    label: str


class QueryIntent(Frozen):
    population: str
    measures: tuple[Measure, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    filters: tuple[Filter, ...] = ()
    period: Period | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    limit_per: str | None = None  # dimension id: the top `limit` within each value of it
    distinct: bool = False
    output: tuple[Output, ...] = ()

    def ids(self) -> frozenset[str]:
        """Every id that F4 must serve (a `*` measure is served by its table)."""
        ids = [m.id for m in self.measures] + [d.id for d in self.dimensions]
        ids += [f.id for f in self.filters] + ([self.period.id] if self.period else [])
        return frozenset(ids)
