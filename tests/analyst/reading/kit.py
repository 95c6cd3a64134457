"""Small schemas as data, and the SQL that the best reading of a question leads to. No database."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import yaml

from thoth.analyst.compile import compile_query
from thoth.analyst.interpret import Interpretation, read
from thoth.analyst.language.frame import read_frame
from thoth.analyst.language.tokens import fold
from thoth.analyst.linking.schema_view import SchemaView
from thoth.analyst.reading.slice import decided_slice
from thoth.contracts.schema import Column, ForeignKey, Table
from thoth.contracts.steps import Cannot
from thoth.contracts.tools import ColumnSample, SchemaSlice, ValueHit, ValueSearch, ValueSpan

DATA = Path(__file__).parents[2] / "data" / "analyst"
TODAY = dt.date(2024, 6, 15)


def load(name: str) -> Any:
    return yaml.safe_load((DATA / name).read_text(encoding="utf-8"))


def schema_of(document: dict[str, Any], name: str) -> SchemaView:
    tables = [_table(name, table, body) for table, body in document[name].items()]
    samples = [
        ColumnSample(column=f"{name}.{table}.{column}", values=tuple(values), distinct=len(values))
        for table, body in document[name].items()
        for column, values in body.get("samples", {}).items()
    ]
    return SchemaView([SchemaSlice(tables=tuple(tables), samples=tuple(samples))])


def _table(schema: str, name: str, body: dict[str, Any]) -> Table:
    columns = tuple(
        Column(
            name=column,
            type=kind[0],
            family=kind[0],
            nullable=column != body.get("key"),
            comment=kind[1] if len(kind) > 1 else "",
        )
        for column, kind in body["columns"].items()
    )
    keys = tuple(
        ForeignKey(
            columns=(column,),
            ref_table=f"{schema}.{table}",
            ref_columns=(f"{table.rstrip('s')}_id",),
        )
        for column, table in body.get("references", {}).items()
    )
    return Table(
        schema_name=schema, name=name, comment=body.get("comment", ""), columns=columns,
        primary_key=(body["key"],) if "key" in body else (), foreign_keys=keys,
    )  # fmt: skip


def values_in(document: dict[str, Any], text: str) -> ValueSearch:
    """Every listed value that the text says, as the value index would find it."""
    spans = []
    for value, column in document["values"]:
        start = fold(text).find(fold(value))
        if start >= 0:
            hit = ValueHit(column=column, value=value, score=100, match="exact", rows=1)
            spans.append(ValueSpan(text=value, start=start, end=start + len(value), hits=(hit,)))
    return ValueSearch(spans=tuple(spans))


def interpreted(question: str, language: str = "en") -> Interpretation:
    document = load("shop.yaml")
    frame = read_frame(question, TODAY, language)
    schemas = [schema_of(document, name) for name in ("shop", "museum")]
    found = [read(frame, schema, values_in(document, question)) for schema in schemas]
    return max(found, key=lambda f: f.best.score if f.best else -99)


def sql_of(question: str) -> str:
    """The query in one line, or `! code: words` when there is none."""
    found = interpreted(question)
    best = found.best
    if best is None:
        return "! nothing"
    if not best.ok or best.intent is None:
        if best.unexplained:
            return "! unexplained_words: " + " ".join(best.unexplained)
        assert best.trouble is not None
        return f"! {best.trouble[0]}: {' '.join(best.trouble[1])}"
    compiled = compile_query(best.intent, decided_slice(best), found.schema.described)
    return f"! {compiled.code}" if isinstance(compiled, Cannot) else " ".join(compiled.sql.split())
