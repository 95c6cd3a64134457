"""Measures and dimensions of the intent."""

from __future__ import annotations

from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.reading.draft import (
    DimensionDraft,
    MeasureDraft,
)
from thoth.analyst.reading.resolve_parts.common import Unresolved
from thoth.analyst.reading.resolve_parts.connections import Connections
from thoth.contracts.intent import Dimension, Measure


class Measuring(Connections):
    """Measures and dimensions of the intent."""

    def _measure_label(self, measure: MeasureDraft) -> str:
        target = self._label(
            measure.target.target
            if measure.target and measure.target.kind != "formula"
            else self.base
        )
        if measure.target is not None and measure.target.kind == "formula":
            target = measure.target.formula or target
        names = {
            "count": "number",
            "sum": "total",
            "avg": "average",
            "percent": "percentage",
            "value": "",
            "min": "minimum",
            "max": "maximum",
        }
        return f"{names.get(measure.agg, measure.agg)} {target}".strip()

    def _dimension_label(self, dimension: DimensionDraft) -> str:
        if dimension.grain:
            return dimension.grain
        return self._label(dimension.target.target if dimension.target else self.base)

    def _output_label(self, kind: str, index: int) -> str:
        if kind == "m":
            return self._measure_label(self.draft.measures[index])
        return self._dimension_label(self.draft.dimensions[index])

    def _measure(self, index: int, draft: MeasureDraft) -> Measure:
        id_ = f"m{index + 1}"
        target = draft.target
        agg = {"percent": "ratio"}.get(draft.agg, draft.agg)
        of, distinct, concept = "*", draft.distinct, None
        if target is not None and target.kind == "formula":
            concept = self._formula(target, id_)
            of = concept
        elif target is not None and target.column:
            of = self._label(target.target)
            self._serve_column(target.target, "measure", id_)
            distinct = distinct or agg == "count"
            view = self.schema.column(target.target)
            if agg == "count" and view is not None and not view.is_key_like:
                self.reading.penalty += 0.6
        elif agg in ("count", "ratio"):
            of, distinct = self._count_rows(
                target.table if target else self.base, id_, distinct=draft.distinct
            )
        when = tuple(f"f{i + 1}" for i in sorted(set(draft.when)))
        unit = "percent" if draft.agg == "percent" or draft.percent else None
        return Measure(
            id=id_,
            label=self._measure_label(draft),
            agg=agg,
            of=of,
            distinct=distinct,
            concept=concept,
            when=when,
            unit=unit,
            share=draft.share,
        )

    def _count_rows(self, table: str, id_: str, *, distinct: bool) -> tuple[str, bool]:
        """Rows of the population, or distinct keys of a table looked up from it."""
        if table == self.base:
            view = self.schema.tables[table]
            if not view.table.primary_key and self._multiplied() and view.key is not None:
                self._serve_column(view.key.full, "measure", id_)
                return self._label(view.key.full), True
            self._serve_table(table, id_)
            return "*", False
        steps = self.tree[table]
        if len(steps) == 1 and not steps[0].expands and steps[0].edge.left == self.base:
            column = f"{self.base}.{steps[0].edge.left_columns[0]}"
            self._serve_column(column, "measure", id_)
            return self._label(column), True
        view = self.schema.tables[table]
        if any(s.expands for s in steps):
            self._serve_table(table, id_)
            return "*", distinct
        if view.key is None:
            raise Unresolved("no_key", table)
        self._serve_column(view.key.full, "measure", id_)
        return self._label(view.key.full), True

    def _multiplied(self) -> bool:
        tables = {d.target.table for d in self.draft.dimensions if d.target is not None} | {
            m.target.table for m in self.draft.measures if m.target is not None
        }
        return any(s.expands for t in tables for s in self.tree.get(t, []))

    def _finish_ratio(self, measures: list[Measure]) -> list[Measure]:
        sides = [i for i, m in enumerate(self.draft.measures) if m.label == "side"]
        if not sides:
            return measures
        if len(sides) != 2:
            if len(sides) == 1 and self.draft.measures[sides[0]].when:
                position = sides[0]
                measures[position] = measures[position].model_copy(update={"agg": "ratio"})
                return measures
            raise Unresolved("unsupported_construct", "ratio")
        self._shared_conditions(sides)
        measures = [
            m.model_copy(update={"when": tuple(f"f{i + 1}" for i in sorted(set(d.when)))})
            for m, d in zip(measures, self.draft.measures, strict=True)
        ]
        if all(self.draft.measures[i].agg == "value" for i in sides) and not any(
            self.draft.measures[i].when for i in sides
        ):
            return self._row_ratio(sides)
        one, other = (self.draft.measures[i] for i in sides)
        same = (
            one.target is not None
            and other.target is not None
            and one.target.target == other.target.target
        )
        if same and one.agg == other.agg == "count" and not one.when and not other.when:
            if not self.draft.dimensions:
                raise Unresolved("unsupported_construct", "ratio")
            measures[sides[0]] = measures[sides[0]].model_copy(update={"share": True})
            self.draft.outputs = [o for o in self.draft.outputs if o != ("m", sides[1])]
            return measures[: sides[1]] + measures[sides[1] + 1 :]
        numbers = [i for i in sides if self.draft.measures[i].agg == "value"]
        for i in numbers:
            measures[i] = measures[i].model_copy(update={"agg": "sum"})
        ratio = f"m{len(measures) + 1}"
        measures.append(
            Measure(
                id=ratio,
                label="ratio",
                agg="ratio",
                of="*",
                numerator=f"m{sides[0] + 1}",
                denominator=f"m{sides[1] + 1}",
            )
        )
        self.draft.measures.append(MeasureDraft("ratio"))
        self.draft.outputs = [o for o in self.draft.outputs if o not in [("m", i) for i in sides]]
        self.draft.outputs.append(("m", len(measures) - 1))
        return measures

    def _shared_conditions(self, sides: list[int]) -> None:
        """Conditions said after the denominator on a column the numerator does not speak of hold for both."""
        first, second = (self.draft.measures[i] for i in sides)
        if self.draft.whole:
            self.draft.measures[sides[1]].when = []
            return
        if len(first.when) == len(second.when):
            return
        said = {self._about(i) for i in first.when}
        second.when = [i for i in second.when if self._about(i) in said]

    def _row_ratio(self, sides: list[int]) -> list[Measure]:
        """A quotient of two columns of one row, listed for each row."""
        one, other = (self.draft.measures[i].target for i in sides)
        if one is None or other is None or one.table != other.table:
            raise Unresolved("unsupported_construct", "ratio")
        for id_ in (f"m{i + 1}" for i in sides):
            for use in self.reading.columns.values():
                use.serves = [s for s in use.serves if s != id_]
        self.reading.columns = {k: u for k, u in self.reading.columns.items() if u.serves}
        sql = f"CAST({one.target} AS numeric) / NULLIF({other.target}, 0)"
        concept = f"{self._label(one.target)} / {self._label(other.target)}"
        if self.draft.ratio_agg:
            measure = Candidate("formula", one.table, value=concept, formula=sql)
            self.draft.measures = [MeasureDraft(self.draft.ratio_agg, measure)]
            self.draft.outputs = [o for o in self.draft.outputs if o[0] == "d"] + [("m", 0)]
            return [self._measure(0, self.draft.measures[0])]
        candidate = Candidate("formula", one.table, value=concept, formula=sql)
        self.draft.dimensions.append(DimensionDraft(candidate))
        self.draft.outputs = [o for o in self.draft.outputs if o[0] == "d"] + [
            ("d", len(self.draft.dimensions) - 1)
        ]
        self.draft.measures = []
        return []

    def _dimension(self, index: int, draft: DimensionDraft) -> Dimension:
        id_ = f"d{index + 1}"
        if draft.target is None:
            raise Unresolved("no_date_column", draft.grain or "")
        if draft.target.kind == "formula":
            concept = self._formula(draft.target, id_)
            return Dimension(id=id_, label=concept, of=concept, concept=concept)
        if draft.entity:
            shown = self._shown_columns(draft.target)
            for column in shown:
                self._serve_column(column.full, "dimension", id_)
            key = self.schema.tables[draft.target.table].key
            points = any(
                not s.expands and s.edge.left == draft.target.table
                for s in self.graph.steps_from(draft.target.table)
            )
            if self.draft.measures and key is not None and key not in shown and not points:
                self._serve_column(key.full, "key", id_)  # namesakes stay apart
        else:
            self._serve_column(draft.target.target, "dimension", id_)
        return Dimension(
            id=id_,
            label=self._dimension_label(draft),
            of=self._label(draft.target.target),
            grain=draft.grain,
        )
