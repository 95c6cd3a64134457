"""Cases of the compiler as data, and the catalog of their schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import yaml

from thoth.contracts.intent import QueryIntent
from thoth.contracts.schema import Column, Table, TypeFamily
from thoth.contracts.task import DecidedSlice

DATA = Path(__file__).parents[2] / "data" / "compile"
_FAMILIES: dict[str, TypeFamily] = {
    "integer": "integer", "text": "text", "character": "text", "numeric": "decimal", "date": "date",
    "boolean": "boolean", "timestamp without time zone": "timestamp",
}  # fmt: skip


def load_cases() -> list[dict[str, Any]]:
    return list(yaml.safe_load((DATA / "cases.yaml").read_text()))


def intent_of(case: dict[str, Any]) -> QueryIntent:
    return QueryIntent.model_validate(case["intent"])


def decided_of(case: dict[str, Any]) -> DecidedSlice:
    raw = {part: dict(values) for part, values in case["decided"].items()}
    for part in ("tables", "columns", "absent"):
        raw[part] = {
            key: {"serves": value} if isinstance(value, list) else value
            for key, value in raw.get(part, {}).items()
        }
    return DecidedSlice.model_validate(raw)


def read_tables(dsn: str, schema: str) -> tuple[Table, ...]:
    """The tables of a schema with their columns and primary keys."""
    with psycopg.connect(dsn) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable = 'YES' FROM information_schema.columns"
            " WHERE table_schema = %s ORDER BY table_name, ordinal_position",
            (schema,),
        ).fetchall()
        keys = connection.execute(
            "SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)"
            " WHERE i.indisprimary AND n.nspname = %s",
            (schema,),
        ).fetchall()
    return tuple(
        Table(
            schema_name=schema,
            name=name,
            columns=tuple(
                Column(name=c, type=kind, family=_FAMILIES.get(kind, "other"), nullable=nullable)
                for table, c, kind, nullable in columns
                if table == name
            ),
            primary_key=tuple(column for table, column in keys if table == name),
        )
        for name in dict.fromkeys(row[0] for row in columns)
    )
