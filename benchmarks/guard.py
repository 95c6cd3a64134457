"""What the SQL guard costs, beside sqlglot's bare parse of the same text in the same run.

    python benchmarks/guard.py
    python benchmarks/guard.py --tables 600 --repeat 50

A parse is the least that any check of SQL needs; the ratio says what the guard's own lexing, name
resolution and accounting add to it. The catalog is synthetic; no database is asked.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.catalogs import catalog_of
from benchmarks.timing import alternating, machine, table

_STEPS = 40
QUERIES = {
    "one number": "SELECT count(*) FROM dw.t1 WHERE a1 = 'x'",
    "group by year": """
        SELECT extract(year FROM t1.c1)::int AS anno, count(DISTINCT t1.id) AS numero
        FROM dw.t1 AS t1
        WHERE t1.a1 ILIKE '%ablazione%' AND t1.c1 >= DATE '2020-01-01'
        GROUP BY 1 ORDER BY 1""",
    "three joins": """
        SELECT t3.a1, sum(t1.b1) AS totale, avg(t1.b1)::numeric(10, 2) AS media
        FROM dw.t1 JOIN dw.t2 ON t1.t2_id = t2.id JOIN dw.t3 ON t2.t3_id = t3.id
        LEFT JOIN dw.t4 ON t3.t4_id = t4.id
        WHERE t2.c1 BETWEEN DATE '2020-01-01' AND DATE '2024-12-31' AND t4.a1 IS NOT NULL
        GROUP BY t3.a1 HAVING count(*) > 10 ORDER BY totale DESC NULLS LAST LIMIT 20""",
    "steps and window": """
        WITH prima AS (
          SELECT t1.id, t1.t2_id, t1.c1, lag(t1.c1) OVER (PARTITION BY t1.t2_id ORDER BY t1.c1) AS p
          FROM dw.t1
        ), entro AS (
          SELECT prima.*, prima.c1 - prima.p AS giorni FROM prima WHERE prima.p IS NOT NULL
        )
        SELECT extract(year FROM entro.c1) AS anno,
               count(*) FILTER (WHERE entro.giorni <= 30)::numeric / nullif(count(*), 0) AS tasso
        FROM entro
        WHERE NOT EXISTS (SELECT 1 FROM dw.t3 WHERE t3.id = entro.t2_id AND t3.a1 = 'escluso')
        GROUP BY 1""",
    f"{_STEPS} steps": "WITH "
    + ", ".join(
        f"s{n} AS (SELECT t{n}.id, t{n}.a1, t{n}.b1 FROM dw.t{n} WHERE t{n}.a2 IN ('x', 'y', 'z'))"
        for n in range(1, _STEPS + 1)
    )
    + " SELECT s1.id, s2.a1 FROM s1 "
    + " ".join(f"JOIN s{n} ON s{n}.id = s1.id" for n in range(2, _STEPS + 1)),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=600)
    parser.add_argument("--repeat", type=int, default=30)
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "thoth.settings.base")
    print(machine())
    print(report(arguments.tables, arguments.repeat))
    return 0


def report(tables: int, repeat: int) -> str:
    """A row per query: characters, both medians, their ratio."""
    rows = [_row(name, sql, tables, repeat) for name, sql in QUERIES.items()]
    header = ("query", "characters", "parse ms", "guard ms", "p95 ms", "guard : parse")
    return table(header, rows)


def _row(name: str, sql: str, tables: int, repeat: int) -> tuple[object, ...]:
    parse, guard = alternating(_calls(sql, tables), repeat=repeat, warm_up=2)
    return (
        name,
        len(sql),
        f"{parse.median_ms:.2f}",
        f"{guard.median_ms:.2f}",
        f"{guard.p95_ms:.2f}",
        f"{guard.median_ms / parse.median_ms:.1f}",
    )


def _calls(sql: str, tables: int) -> tuple[Callable[[], object], Callable[[], object]]:
    import sqlglot

    from thoth.warehouse.guard.check import guard

    catalog = catalog_of(tables)
    return lambda: sqlglot.parse_one(sql, read="postgres"), lambda: guard(sql, catalog)


if __name__ == "__main__":
    raise SystemExit(main())
