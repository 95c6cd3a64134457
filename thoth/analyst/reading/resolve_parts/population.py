"""Whose rows are asked about."""

from __future__ import annotations

from thoth.analyst.language.tokens import stems
from thoth.analyst.linking.graph import Step
from thoth.analyst.linking.schema_view import ColumnView
from thoth.analyst.reading.draft import (
    FilterDraft,
)
from thoth.analyst.reading.resolve_parts.common import Unresolved
from thoth.analyst.reading.resolve_parts.orders import Orders


class Population(Orders):
    """Whose rows are asked about."""

    def _drop_hidden(self) -> None:
        """Groups that are neither shown nor ordered by would split the shown ones."""
        draft = self.draft
        ordered = {o.dimension for o in draft.orders} | {draft.limit_per}
        kept = [
            i
            for i in range(len(draft.dimensions))
            if ("d", i) in draft.outputs or i in ordered or not draft.measures
        ]
        moved = {old: new for new, old in enumerate(kept)}
        draft.context += [
            target
            for i in range(len(draft.dimensions))
            if i not in moved and draft.dimensions[i].entity
            for target in [draft.dimensions[i].target]
            if target is not None
        ]
        draft.dimensions = [draft.dimensions[i] for i in kept]
        draft.outputs = [(k, moved[i]) if k == "d" else (k, i) for k, i in draft.outputs]
        if draft.limit_per is not None:
            draft.limit_per = moved[draft.limit_per]
        for order in draft.orders:
            if order.dimension is not None:
                order.dimension = moved[order.dimension]

    def _population(self) -> str:
        """The table whose rows are asked about.  Raises: Unresolved `no_matching_table`."""
        sequences = [
            f.target.table
            for f in self.draft.filters
            if f.op in ("followed_within", "preceded_within") and f.target is not None
        ]
        found = sequences or self._measured() or self._asked_about()
        if not found:
            raise Unresolved("no_matching_table")
        return found[0]

    def _measured(self) -> list[str]:
        """From the aggregates: the finest of their tables, else what is counted."""
        targets = [(m.agg, m.target) for m in self.draft.measures if m.target is not None]
        columns = [
            t.table for agg, t in targets if t.kind in ("column", "formula") and agg != "count"
        ]
        counted = [t.table for agg, t in targets if agg in ("count", "percent", "ratio")]
        return [self._finest(columns + counted)] if columns + counted else []

    def _asked_about(self) -> list[str]:
        """Without a measured target: the entity, else what takes part, is listed, or restricts."""
        draft = self.draft
        entity = [draft.entity.table] if draft.entity is not None else []
        context = [c.table for c in draft.context]
        if entity and draft.dimensions and any(m.target is None for m in draft.measures):
            return [self._finest(entity + context)]
        if draft.measures and not entity and context:
            return context
        listed = [d.target.table for d in draft.dimensions if d.target is not None]
        filtered = [
            f.target.table for f in draft.filters if f.target is not None and draft.measures
        ]
        return entity or ([self._finest(listed)] if listed else filtered)

    def _finest(self, tables: list[str]) -> str:
        """The table from which all others are looked up without repeating its rows."""
        distinct = list(dict.fromkeys(tables))
        for table in distinct:
            paths = [self.graph.path(table, other) for other in distinct]
            if all(p is not None and not any(s.expands for s in p) for p in paths):
                return table
        return distinct[0]

    def _prefer_own_outputs(self) -> None:
        """ "Return their id": a bare id or name is that of what the question is about."""
        entity = self.draft.entity.table if self.draft.entity else None
        entities = {d.target.table for d in self.draft.dimensions if d.entity and d.target}
        entities |= {c.table for c in self.draft.context if c.kind == "table"}
        first = self.choice_tables
        for dimension in self.draft.dimensions:
            target = dimension.target
            if target is None or not target.column or target.kind == "formula":
                continue
            view = self.schema.column(target.target)
            if view is not None and self._bare(view):
                if target.table not in ({entity} | entities | first):
                    self.reading.penalty += 0.6
                elif target.table not in ({entity} | entities):
                    self.reading.penalty += 0.2

    def _bare(self, view: ColumnView) -> bool:
        """A column called only "name" or "id", with or without its table's name."""
        own = {s for w in self.schema.tables[view.table].words for s in stems(w)}
        return all(w in ("id", "name", "nome", "code") or stems(w) & own for w in view.words)

    def _prefer_anchored_keys(self) -> None:
        named = {c.table for c in self.draft.context if c.kind == "table"} | {
            f.target.table for f in self.draft.filters if f.target and f.op == "exists"
        }
        if self.draft.entity is not None:
            named.add(self.draft.entity.table)
        for dimension in self.draft.dimensions:
            view = (
                self.schema.column(dimension.target.target)
                if dimension.target and dimension.target.column
                else None
            )
            if view is not None and view.is_key_like and named and view.table not in named:
                self.reading.penalty += 0.5

    def _refuse_unplaced(self) -> None:
        """A column that was named and got no role would be dropped silently."""
        used = {d.target.target for d in self.draft.dimensions if d.target} | {
            f.target.target for f in self.draft.filters if f.target
        }
        used |= {m.target.target for m in self.draft.measures if m.target} | {
            s.target.target for s in self.draft.supers if s.target
        }
        for context in self.draft.context:
            view = self.schema.column(context.target) if context.column else None
            if view is None or context.target in used:
                continue
            if view.is_date and self.draft.periods:
                continue
            if view.is_key_like or view.column.name in [
                c.column.name for c in self.schema.tables[context.table].labels
            ]:
                self.reading.penalty += 0.3
                continue
            raise Unresolved("unplaced_words", " ".join(view.words))

    def _drop_identity_context(self) -> None:
        draft = self.draft
        if any(
            f.op == "exists" and f.negated and f.target is not None and f.target.table == self.base
            for f in draft.filters
        ):
            raise Unresolved("exists_self", self._label(self.base))
        draft.context = [c for c in draft.context if c.table != self.base]
        kept = [
            i
            for i, f in enumerate(draft.filters)
            if not (
                f.op == "exists"
                and not f.negated
                and f.target is not None
                and f.target.table == self.base
            )
        ]
        if len(kept) < len(draft.filters):
            moved = {old: new for new, old in enumerate(kept)}
            draft.filters = [draft.filters[i] for i in kept]
            for measure in draft.measures:
                measure.when = [moved[i] for i in measure.when if i in moved]
            for filter_ in draft.filters:
                filter_.within = moved.get(filter_.within) if filter_.within is not None else None

    def _context_as_exists(self) -> None:
        """A table that takes part without any condition of its own still must hold a row."""
        used = {
            f.target.table for f in self.draft.filters if f.target is not None and f.op != "exists"
        }
        used |= {m.target.table for m in self.draft.measures if m.target is not None}
        used |= {d.target.table for d in self.draft.dimensions if d.target is not None}
        if self.date is not None:
            used.add(self.date.table)
        for context in self.draft.context:
            if context.table in used or context.table == self.base:
                continue
            path = self.graph.path(self.base, context.table)
            if path is None:
                raise Unresolved("no_path", context.table)
            if any(s.expands for s in path) and not self._under_used(path, used):
                self.draft.filters.append(FilterDraft("exists", context))
                self.reading.penalty += 0.3
                used.add(context.table)

    @staticmethod
    def _under_used(path: list[Step], used: set[str]) -> bool:
        return any(s.target in used for s in path[:-1])
