"""A synthetic catalog of any size: wide tables that point to one another."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thoth.contracts.schema import Catalog, Table

SCHEMA = "dw"
FUNCTIONS = frozenset(
    ("avg", "count", "date_part", "extract", "lag", "max", "min", "nullif", "numeric", "sum")
)


@functools.cache
def catalog_of(tables: int) -> Catalog:
    """`dw.t1` … : eleven columns each (`id`, texts `a1`-`a4`, numbers `b1`-`b3`, dates `c1`-`c2`, and a
    key of the next table); every tenth table identifies persons by `a4`."""
    from thoth.contracts.schema import Catalog

    made = tuple(_table(number, tables) for number in range(1, tables + 1))
    return Catalog(
        workspace="bench", version=f"synthetic-{tables}", tables=made, allowed_functions=FUNCTIONS
    )


def _table(number: int, tables: int) -> Table:
    from thoth.contracts.schema import Column, ForeignKey, Table

    following = number % tables + 1
    key = f"t{following}_id"
    texts = [
        Column(
            name=f"a{n}", type="text", family="text", comment=f"Attributo {n} della tabella {number}",
            identifying=n == 4 and number % 10 == 0,
        )
        for n in range(1, 5)
    ]  # fmt: skip
    return Table(
        schema_name=SCHEMA,
        name=f"t{number}",
        comment=f"Tabella sintetica {number}",
        columns=(
            Column(name="id", type="bigint", family="integer", nullable=False),
            *texts,
            *(Column(name=f"b{n}", type="numeric", family="decimal") for n in range(1, 4)),
            *(Column(name=f"c{n}", type="date", family="date") for n in range(1, 3)),
            Column(name=key, type="bigint", family="integer"),
        ),
        primary_key=("id",),
        foreign_keys=(
            ForeignKey(columns=(key,), ref_table=f"{SCHEMA}.t{following}", ref_columns=("id",)),
        ),
        row_estimate=1_000,
    )
