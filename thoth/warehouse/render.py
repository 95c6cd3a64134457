"""The compact text of a few tables that a model may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thoth.contracts.schema import Catalog, Column, Table
from thoth.contracts.tools import ColumnSample, SchemaSlice
from thoth.lib.limits import TOOL_RESULT_MAX_BYTES, TOOL_TABLES_MAX
from thoth.warehouse.guard.names import quote_name

_COMMENT_MAX_CHARS = 200
_FOOTER_BYTES = 200


def schema_slice(
    catalog: Catalog, tables: Sequence[str], samples: Sequence[ColumnSample]
) -> SchemaSlice:
    """At most eight tables in at most 8 KiB; `omitted` names what did not fit or does not exist.

    Hidden columns do not appear. Names are written as SQL needs them: schema-qualified, quoted
    where PostgreSQL would fold them.
    """
    wanted = list(dict.fromkeys(tables))
    found = [table for name in wanted if (table := catalog.table(name)) is not None]
    omitted = [name for name in wanted if catalog.table(name) is None]
    omitted += [table.full_name for table in found[TOOL_TABLES_MAX:]]
    texts: list[str] = []
    shown: list[Table] = []
    by_column = {sample.column: sample for sample in samples}
    left = TOOL_RESULT_MAX_BYTES - _FOOTER_BYTES
    for table in found[:TOOL_TABLES_MAX]:
        text = _fitting(table, by_column, left)
        if text is None:
            omitted.append(table.full_name)
            continue
        left -= len(text.encode()) + 1
        texts.append(text)
        shown.append(_visible(table))
    if omitted:
        texts.append(_cut(f"Left out: {', '.join(omitted)}", _FOOTER_BYTES - 1))
    names = {table.full_name for table in shown}
    kept = tuple(s for s in samples if s.column.rpartition(".")[0] in names)
    return SchemaSlice(
        tables=tuple(shown), samples=kept, rendered="\n".join(texts), omitted=tuple(omitted)
    )


def _visible(table: Table) -> Table:
    columns = tuple(column for column in table.columns if not column.hidden)
    return table.model_copy(update={"columns": columns})


def _fitting(table: Table, samples: dict[str, ColumnSample], left_bytes: int) -> str | None:
    """The fullest text that fits: with samples and comments, then without; None if neither does."""
    for with_samples, with_comments in ((True, True), (False, True), (False, False)):
        text = _render(table, samples if with_samples else {}, with_comments=with_comments)
        if len(text.encode()) <= left_bytes:
            return text
    return None


def _render(table: Table, samples: dict[str, ColumnSample], *, with_comments: bool) -> str:
    name = f"{quote_name(table.schema_name)}.{quote_name(table.name)}"
    rows = f", about {table.row_estimate} rows" if table.row_estimate >= 0 else ""
    lines = [f"{name} ({table.kind.replace('_', ' ')}{rows})"]
    if with_comments and table.comment:
        lines[0] += f": {_one_line(table.comment)}"
    for column in table.columns:
        if not column.hidden:
            sample = samples.get(f"{table.full_name}.{column.name}")
            lines.append("  " + _column(column, sample, with_comments=with_comments))
    lines += [f"  {line}" for line in _keys(table)]
    return "\n".join(lines)


def _column(column: Column, sample: ColumnSample | None, *, with_comments: bool) -> str:
    parts = [quote_name(column.name), column.type]
    if not column.nullable:
        parts.append("not null")
    if column.identifying:
        parts.append("[identifying]")
    text = " ".join(parts)
    if with_comments and column.comment:
        text += f" -- {_one_line(column.comment)}"
    if sample and sample.values:
        text += " e.g. " + ", ".join(repr(value) for value in sample.values)
    return text


def _keys(table: Table) -> Iterable[str]:
    hidden = {column.name for column in table.columns if column.hidden}
    if table.primary_key and not hidden.intersection(table.primary_key):
        yield f"primary key ({_names(table.primary_key)})"
    for unique in table.unique_keys:
        if not hidden.intersection(unique):
            yield f"unique ({_names(unique)})"
    for key in table.foreign_keys:
        if not hidden.intersection(key.columns):
            yield f"foreign key ({_names(key.columns)}) -> {key.ref_table} ({_names(key.ref_columns)})"


def _names(names: Iterable[str]) -> str:
    return ", ".join(quote_name(name) for name in names)


def _one_line(text: str) -> str:
    return _cut(" ".join(text.split()), _COMMENT_MAX_CHARS)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
