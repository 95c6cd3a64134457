"""Totals over rows that a join repeats: each row once in its group, in a step of its own.

A patient with two visits of one kind is one patient of that kind: the step lists, without
repetitions, the dimensions with key and values of the rows to be added up; the query aggregates the
step. All measures must add up rows of the same table.
"""

from __future__ import annotations

from sqlglot import exp

from thoth.analyst.compile import names
from thoth.analyst.compile.aggregates import rounded, statistic
from thoth.analyst.compile.dimensions import Part
from thoth.analyst.compile.errors import UncompilableError
from thoth.analyst.compile.query import QueryBuilder
from thoth.analyst.compile.serving import Ref
from thoth.contracts.intent import Measure

STEP = "each_row_once"


class OnceBuilder(QueryBuilder):
    """Builds the query over the step; `step` is the step itself."""

    def step(self) -> exp.Select:
        """The rows without repetitions."""
        labels = self._labels()
        values = [
            *(super(OnceBuilder, self).part_expression(part) for part in self.all_parts()),
            *(self.scope.column(ref) for ref in self._key()),
            *(value for _, value in self._values()),
        ]
        columns = [
            exp.alias_(value.copy(), names.identifier(label))
            for value, label in zip(values, labels, strict=True)
        ]
        return super().source().select(*columns).distinct()

    def source(self) -> exp.Select:
        return exp.Select().from_(exp.to_table(STEP))

    def part_expression(self, part: Part) -> exp.Expr:
        return self._column(self.all_parts().index(part))

    def measure_expression(self, measure: Measure) -> exp.Expr:
        valued = [id_ for id_, _ in self._values()]
        if measure.id not in valued:
            return exp.Count(this=exp.Star())
        offset = len(self.all_parts()) + len(self._key())
        value = self._column(offset + valued.index(measure.id))
        return rounded(statistic(measure.agg, value), measure.decimals)

    def _column(self, index: int) -> exp.Expr:
        return exp.Column(this=names.identifier(self._labels()[index]))

    def _labels(self) -> list[str]:
        dimensions = {d.id: d.label for d in self.intent.dimensions}
        parts = [
            part.name if len(parts) > 1 else dimensions[id_]
            for id_, parts in self.parts.items()
            for part in parts
        ]
        keys = [ref.name for ref in self._key()]
        measured = {m.id: m.label for m in self.intent.measures}
        return names.unique_labels([*parts, *keys, *(measured[id_] for id_, _ in self._values())])

    def _key(self) -> list[Ref]:
        grains = {self.aggregates.grain_of(m) for m in self.intent.measures}
        if len(grains) != 1:
            tables = ", ".join(sorted(grains))
            message = (
                f"Totals of {tables} cannot stand in one result: each repeats rows of the others."
            )
            raise UncompilableError("fan_out", message, *sorted(grains))
        [table] = grains
        return [Ref(table, name) for name in self.serving.key(table)]

    def _values(self) -> list[tuple[str, exp.Expr]]:
        """(measure id, what is added up), rows that are only counted left out."""
        found = []
        for measure in self.intent.measures:
            plain = not (measure.when or measure.share or measure.numerator or measure.distinct)
            if not plain or measure.agg in ("ratio", "value"):
                message = (
                    f"“{measure.label}” would count rows that the joins repeat more than once."
                )
                raise UncompilableError("fan_out", message, measure.label)
            value = self.aggregates.value_of(measure)
            if value is not None:
                found.append((measure.id, value))
        return found
