"""Diagrams: at most 45 nodes, and names that cannot become markup."""

from __future__ import annotations

import pytest

from sessions_app.pages.diagram import (
    NODES_MAX,
    ColumnLine,
    JoinLine,
    TableLine,
    diagram,
    diagram_of_options,
)

JOIN = JoinLine("dw.a", "dw.b", "id_b = id")


def table(name: str, columns: int) -> TableLine:
    return TableLine(name, columns=tuple(ColumnLine(f"{name}.c{i}") for i in range(columns)))


def test_tables_hold_their_columns_and_joins_connect_them() -> None:
    source = diagram([table("dw.a", 2), table("dw.b", 1)], [JOIN]).source
    assert source.startswith("flowchart TD\n")
    assert 'subgraph t0["dw.a"]' in source
    assert 't0c1("c1")' in source
    assert 't0 ---|"id_b = id"| t1' in source


def test_a_table_that_only_a_join_names_is_drawn() -> None:
    assert '["dw.b"]' in diagram([table("dw.a", 1)], [JOIN]).source


@pytest.mark.parametrize(("columns", "grouped"), [(44, False), (45, True), (300, True)])
def test_many_columns_are_counted_instead(columns: int, grouped: bool) -> None:
    drawn = diagram([table("dw.a", columns)], [])
    assert drawn.grouped == grouped
    assert drawn.source.count("\n") < NODES_MAX + 10
    assert (f"{columns} ×" in drawn.source) == grouped


def test_very_many_tables_stay_within_the_bound() -> None:
    tables = [table(f"dw.t{i}", 1) for i in range(100)]
    joins = [JoinLine(f"dw.t{i}", f"dw.t{i + 1}", "x = y") for i in range(99)]
    drawn = diagram(tables, joins)
    assert drawn.source.count('["dw.') == NODES_MAX
    assert len(drawn.tables) == 100, "the table beside it shows all of them"


@pytest.mark.parametrize("name", ['x"]', "x\nclick t0 href", "<script>", "x`#;", "end", "%%{init"])
def test_a_name_cannot_leave_its_label(name: str) -> None:
    source = diagram([TableLine(name, columns=(ColumnLine(name),))], []).source
    assert len(source.splitlines()) == 4
    assert source.count('"') == 4
    assert "<script" not in source
    assert "%%" not in source


def test_other_widgets_have_none() -> None:
    assert diagram_of_options([{"id": "a", "label": "a", "decision": None}]) is None
