"""From a draft to a complete reading."""

from __future__ import annotations

from thoth.analyst.reading.reading import Reading
from thoth.analyst.reading.resolve_parts.common import Unresolved
from thoth.analyst.reading.resolve_parts.filtering import Filtering
from thoth.contracts.intent import Output, QueryIntent


class Resolver(Filtering):
    """From a draft to a complete reading."""

    def resolve(self) -> Reading:
        """Raises: Unresolved."""
        if self.draft.trouble:
            raise Unresolved(self.draft.trouble[0], *self.draft.trouble[1])
        self.reading.penalty += self.draft.penalty
        self._count_of_rows()
        self._settle_percent()
        self._settle_supers()
        self._settle_orders()
        self._default_output()
        self._drop_hidden()
        self._settle_ages()
        self._refuse_unplaced()
        self._prefer_own_outputs()
        self._prefer_anchored_keys()
        self.base = self._population()
        self._drop_identity_context()
        self._refuse_worded_definitions()
        self._refuse_counted_elsewhere()
        self._settle_parts_of_week()
        self._pre_aggregated()
        self._settle_periods()
        self._context_as_exists()
        self._shorten()
        self._connect()
        self._merge_alternatives()
        self._refuse_weak_joins()
        self._refuse_far_values()
        self._build()
        return self.reading

    def _build(self) -> None:
        self.reading.widened = sum(
            any(s.expands for s in self.tree.get(f.target.table, []))
            for f in self.draft.filters
            if f.target is not None and f.op != "exists" and f.kind == "text"
        )
        draft, reading = self.draft, self.reading
        self._serve_table(self.base, "population")
        measures = [self._measure(i, m) for i, m in enumerate(draft.measures)]
        measures = self._finish_ratio(measures)
        dimensions = [self._dimension(i, d) for i, d in enumerate(draft.dimensions)]
        filters = [self._filter(i, f) for i, f in enumerate(draft.filters)]
        period = self._period()
        for table in self.tree:
            reading.tables.setdefault(table, [])
        listed = not measures
        outputs = [("m" if k == "m" else "d", i) for k, i in draft.outputs]
        reading.intent = QueryIntent(
            population=self._label(self.base),
            measures=tuple(measures), dimensions=tuple(dimensions), filters=tuple(filters), period=period,
            order=tuple(self._order(o) for o in draft.orders),
            limit=draft.limit,
            limit_per=f"d{draft.limit_per + 1}" if draft.limit_per is not None else None,
            distinct=listed and self._needs_distinct(),
            output=tuple(Output(id=f"o{n}", of=f"{k}{i + 1}", label=self._output_label(k, i)) for n, (k, i) in enumerate(outputs, 1)),
        )  # fmt: skip
        reading.assumptions = tuple(self.assumptions)

    def _needs_distinct(self) -> bool:
        if self.draft.distinct:
            return True
        if self.draft.limit is not None:
            return False
        shown = [d for i, d in enumerate(self.draft.dimensions) if ("d", i) in self.draft.outputs]
        base = self.schema.tables[self.base]
        for dimension in shown:
            if (
                dimension.target is not None
                and dimension.target.table == self.base
                and (
                    dimension.entity
                    or (base.key is not None and dimension.target.column == base.key.column.name)
                )
            ):
                return False
        if any(
            d.target is not None
            and d.target.table == self.base
            and self._is_label(base, d.target.column or "")
            for d in shown
        ):
            return False
        return (
            all(
                not (v := self.schema.column(d.target.target if d.target else ""))
                or not v.numeric
                or v.is_key_like
                for d in shown
            )
            and len(shown) == 1
        )
