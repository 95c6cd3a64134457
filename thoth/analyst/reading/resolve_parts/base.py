"""One draft against one schema: state and small helpers."""

from __future__ import annotations

from thoth.analyst.language.frame import Frame
from thoth.analyst.linking.graph import JoinGraph, Step
from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView, SchemaView, TableView
from thoth.analyst.reading.draft import (
    DimensionDraft,
    Draft,
)
from thoth.analyst.reading.reading import ColumnUse, FormulaUse, Reading
from thoth.analyst.reading.resolve_parts.common import Unresolved


class Base:
    """One draft against one schema: state and small helpers."""

    def __init__(self, frame: Frame, schema: SchemaView, graph: JoinGraph, draft: Draft) -> None:
        self.frame, self.schema, self.graph, self.draft = frame, schema, graph, draft
        self.reading = Reading()
        self.base = ""
        self.tree: dict[str, list[Step]] = {}
        self.date: ColumnView | None = None
        self.assumptions: list[str] = []
        self.forced: set[str] = set()
        self.question_stems = frozenset(
            s for t in frame.tokens if t.kind == "word" for s in t.stems
        )

    def _label(self, target: str) -> str:
        view = self.schema.tables.get(target)
        if view is not None:
            return " ".join(view.words)
        column = self.schema.column(target)
        return " ".join(column.words) if column else target

    def _serve_table(self, table: str, id_: str) -> None:
        serves = self.reading.tables.setdefault(table, [])
        if id_ not in serves:
            serves.append(id_)

    def _serve_column(self, column: str, role: str, id_: str) -> None:
        use = self.reading.columns.setdefault((column, role), ColumnUse(column, role))
        if id_ not in use.serves:
            use.serves.append(id_)
        self.reading.tables.setdefault(column.rpartition(".")[0], [])

    def _formula(self, candidate: Candidate, id_: str) -> str:
        """Registers the formula and returns its concept."""
        concept = candidate.value or "formula"
        known = next((f for f in self.reading.formulas if f.concept == concept), None)
        if known is None:
            columns = tuple(
                c.full for c in self.schema.columns if c.full in (candidate.formula or "")
            )
            known = FormulaUse(
                concept,
                candidate.formula or "",
                columns,
                source="retrieved" if candidate.how == "comment" else "synthesised",
            )
            self.reading.formulas.append(known)
        known.serves.append(id_)
        return concept

    def _shown_columns(self, target: Candidate) -> list[ColumnView]:
        view = self.schema.tables[target.table]
        if view.labels:
            return list(view.labels)
        if view.key is not None:
            return [view.key]
        raise Unresolved("no_label", self._label(target.table))

    @staticmethod
    def _is_label(view: TableView, column: str) -> bool:
        return column in [c.column.name for c in view.labels]

    def _about(self, index: int) -> str:
        target = self.draft.filters[index].target
        return target.target if target else ""

    def _dimension_for(self, target: Candidate) -> int:
        for index, dimension in enumerate(self.draft.dimensions):
            if dimension.target is not None and dimension.target.target == target.target:
                return index
        self.draft.dimensions.append(DimensionDraft(target, shown=False))
        return len(self.draft.dimensions) - 1

    def _dimension_index(self, target: Candidate) -> int | None:
        for index, dimension in enumerate(self.draft.dimensions):
            if dimension.target is not None and dimension.target.target == target.target:
                return index
        return None

    @property
    def choice_tables(self) -> set[str]:
        return {
            d.target.table for d in self.draft.dimensions if d.target and d.target.kind == "table"
        } | {m.target.table for m in self.draft.measures if m.target}
