"""The schema that is being linked as a Mermaid flowchart, and as rows for a plain table.

A diagram has at most 45 nodes; above that, columns are counted in their table's node. Names are
data: they go into quoted labels, with everything that Mermaid or HTML would interpret as entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app.documents import SchemaLinking
from sessions_app.words import join_words, role_words

NODES_MAX = 45
_UNSAFE = re.compile(r"[^\w .,:=()/+-]", re.UNICODE)


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """`why` is the reason or the role; `note` a grounded value or a correction."""

    name: str
    role: str = ""
    why: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableLine:
    name: str
    why: str = ""
    columns: tuple[ColumnLine, ...] = ()


@dataclass(frozen=True, slots=True)
class JoinLine:
    """`left` and `right` are tables; `text` is the condition."""

    left: str
    right: str
    text: str
    kind: str = ""
    cardinality: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    """`source` is Mermaid; `grouped` says that columns were folded into their tables."""

    tables: tuple[TableLine, ...]
    joins: tuple[JoinLine, ...]
    source: str
    grouped: bool


def diagram_of_options(options: Iterable[Mapping[str, Any]]) -> Diagram | None:
    """The diagram of a widget about tables, columns or joins; None for any other widget."""
    decided = [(o, o.get("decision") or {}) for o in options]
    tables = [o for o, d in decided if d.get("type") == "table_promoted"]
    joins = [_join_line(d["subject"], d) for _, d in decided if d.get("type") == "join_approved"]
    if not tables and not joins:
        return None
    columns: dict[str, list[ColumnLine]] = {}
    for option, decision in decided:
        if decision.get("type") == "column_promoted" and option.get("parent"):
            columns.setdefault(option["parent"], []).append(_column_line(decision))
    lines = [
        TableLine(
            o["decision"]["subject"],
            o["decision"].get("detail", ""),
            tuple(columns.get(o["id"], ())),
        )
        for o in tables
    ]
    return diagram(lines, joins)


def diagram_of_linking(document: SchemaLinking) -> Diagram:
    """The diagram of schema_linking.json."""
    tables = [
        TableLine(
            candidate.table,
            candidate.decision.why,
            tuple(
                ColumnLine(name, role_words(column.role), column.why, _grounded(candidate, name))
                for name, column in candidate.columns.items()
            ),
        )
        for candidate in document.candidates
    ]
    joins = [
        _join_line(subject, {"payload": join.model_dump()})
        for subject, join in document.joins.items()
    ]
    return diagram(tables, joins)


def diagram(tables: Iterable[TableLine], joins: Iterable[JoinLine]) -> Diagram:
    """Tables, their columns and joins, top down."""
    tables, joins = tuple(tables), tuple(joins)
    nodes = len(tables) + sum(len(table.columns) for table in tables)
    grouped = nodes > NODES_MAX
    return Diagram(tables, joins, _source(tables, joins, grouped=grouped), grouped)


def _source(tables: tuple[TableLine, ...], joins: tuple[JoinLine, ...], *, grouped: bool) -> str:
    named = dict.fromkeys([table.name for table in tables])
    named.update(dict.fromkeys(name for join in joins for name in (join.left, join.right)))
    ids = {name: f"t{index}" for index, name in enumerate(named)}
    columns = {table.name: table.columns for table in tables}
    lines = ["flowchart TD"]
    for name, node in list(ids.items())[:NODES_MAX]:
        lines += _table_nodes(node, name, columns.get(name, ()), grouped=grouped)
    shown = set(list(ids)[:NODES_MAX])
    lines += [
        f'  {ids[join.left]} ---|"{_label(join.text)}"| {ids[join.right]}'
        for join in joins
        if {join.left, join.right} <= shown
    ]
    return "\n".join(lines)


def _table_nodes(
    node: str, name: str, columns: tuple[ColumnLine, ...], *, grouped: bool
) -> list[str]:
    label = _label(name)
    if grouped and columns:
        return [f'  {node}["{label}<br/>{len(columns)} ×"]']
    if not columns:
        return [f'  {node}["{label}"]']
    inner = [
        f'    {node}c{index}("{_label(column.name.rpartition(".")[2])}")'
        for index, column in enumerate(columns)
    ]
    # Links that are not drawn stack the columns below each other.
    chain = [" ~~~ ".join(f"{node}c{index}" for index in range(len(columns)))]
    stacked = [f"    {line}" for line in chain if len(columns) > 1]
    return [f'  subgraph {node}["{label}"]', *inner, *stacked, "  end"]


def _label(text: str) -> str:
    """The text with everything that could end the label, or become markup, as an entity."""
    return _UNSAFE.sub(lambda match: f"#{ord(match.group())};", text)


def _column_line(decision: Mapping[str, Any]) -> ColumnLine:
    payload = decision.get("payload") or {}
    role = role_words(payload.get("role", "output"))
    return ColumnLine(decision["subject"], role, payload.get("why", ""))


def _join_line(subject: str, decision: Mapping[str, Any]) -> JoinLine:
    payload = decision.get("payload") or {}
    left, _, right = subject.partition("&")[0].partition("=")
    pairs = (pair.partition("=") for pair in subject.split("&"))
    text = " & ".join(f"{_last(one)} = {_last(two)}" for one, _, two in pairs)
    kind, cardinality = join_words(
        payload.get("kind", "inner"), payload.get("cardinality", "many_to_one")
    )
    return JoinLine(
        left=left.rpartition(".")[0],
        right=right.rpartition(".")[0],
        text=text,
        kind=kind,
        cardinality=cardinality,
    )


def _last(column: str) -> str:
    return column.rpartition(".")[2]


def _grounded(candidate: Any, column: str) -> str:
    full = f"{candidate.table}.{column}"
    return ", ".join(
        f"{grounding.op} {grounding.value}"
        for value in candidate.grounded_values.values()
        for grounding in value.groundings
        if grounding.column in (full, column)
    )
