"""Ranks, orders and the default output."""

from __future__ import annotations

from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.reading.draft import (
    DimensionDraft,
    MeasureDraft,
    OrderDraft,
    SuperDraft,
)
from thoth.analyst.reading.resolve_parts.common import ADJECTIVES, Unresolved
from thoth.analyst.reading.resolve_parts.shares import Shares


class Orders(Shares):
    """Ranks, orders and the default output."""

    def _settle_supers(self) -> None:
        draft = self.draft
        for sup in draft.supers:
            if sup.measure is not None:
                self._super_order(OrderDraft(sup.direction, measure=sup.measure), sup.number)
                if sup.number is None and draft.outputs and not self._asked(sup.measure):
                    draft.outputs = [o for o in draft.outputs if o != ("m", sup.measure)]
            elif sup.target is not None:
                self._super_target(sup.target, sup.direction, sup.number)
            elif sup.number is not None and draft.orders:
                draft.limit = sup.number
            elif sup.number is not None and draft.measures:
                self._super_order(OrderDraft(sup.direction, measure=0), sup.number)
            else:
                self._super_target(self._implied(sup), sup.direction, sup.number)

    def _implied(self, sup: SuperDraft) -> Candidate:
        """ "The longest rivers": the one number of the entity that the adjective speaks of."""
        text = self.frame.words(sup.position, min(sup.position + 3, len(self.frame.tokens))).lower()
        wanted = [w for adjective, words in ADJECTIVES.items() if adjective in text for w in words]
        entity = self.draft.entity.table if self.draft.entity else ""
        view = self.schema.tables.get(entity)
        found = (
            [c for c in view.columns.values() if c.numeric and set(c.words) & set(wanted)]
            if view
            else []
        )
        if len(found) != 1:
            raise Unresolved("unsupported_construct", text)
        return Candidate("column", entity, found[0].column.name, score=0.9)

    def _asked(self, measure: int) -> bool:
        """Whether the question asks to see the measure beside the best one."""
        return self.draft.explicit_output or (
            self.draft.measures[measure].shown and self._counted_twice()
        )

    def _counted_twice(self) -> bool:
        asks = [
            m
            for m in self.frame.marks
            if m.kind in ("count", "with_number") and m.text != "number of"
        ]
        return bool(asks) and bool(self.draft.supers)

    def _super_target(self, target: Candidate, direction: str, number: int | None) -> None:
        draft = self.draft
        listed = (
            bool(draft.entity or any(not d.grain and d.entity for d in draft.dimensions))
            and not draft.measures
        )
        listed = listed or (
            any(o[0] == "d" for o in draft.outputs) and not draft.measures and not self._grouped()
        )
        if not listed and target.kind != "formula":
            measure = MeasureDraft("max" if direction == "desc" else "min", target)
            draft.measures.append(measure)
            draft.outputs.append(("m", len(draft.measures) - 1))
            return
        index = self._dimension_for(target)
        ordered_list = any(o.target is None and o.measure is None for o in draft.orders)
        if (
            ordered_list
            or (number is not None and not self._names_only() and not draft.explicit_output)
        ) and ("d", index) not in draft.outputs:
            draft.outputs.append(("d", index))
        if ordered_list:
            for order in draft.orders:
                if order.target is None and order.measure is None:
                    order.dimension = index
        else:
            self._super_order(OrderDraft(direction, dimension=index), number)

    def _grouped(self) -> bool:
        return any(m.kind == "group" for m in self.frame.marks)

    def _names_only(self) -> bool:
        words = {t.norm for t in self.frame.tokens}
        return bool(words & {"name", "names", "nome", "nomi"})

    def _super_order(self, order: OrderDraft, number: int | None) -> None:
        waiting = [
            o
            for o in self.draft.orders
            if o.target is None and o.measure is None and o.dimension is None
        ]
        if waiting and number is None:
            for other in waiting:
                other.measure, other.dimension = order.measure, order.dimension
            if order.measure is not None and ("m", order.measure) not in self.draft.outputs:
                self.draft.outputs.append(("m", order.measure))
            return
        self.draft.orders = [o for o in self.draft.orders if o not in waiting]
        if not any(
            o.measure == order.measure and o.dimension == order.dimension for o in self.draft.orders
        ):
            self.draft.orders.insert(0, order)
        if number is None and order.measure is not None and self._each_counted():
            return
        self.draft.limit = number if number is not None else 1
        groups = [i for i, d in enumerate(self.draft.dimensions) if d.grouped]
        listed = [i for i, d in enumerate(self.draft.dimensions) if not d.grouped and d.shown]
        if len(groups) == 1 and listed and groups[0] != order.dimension:
            self.draft.limit_per = groups[0]

    def _each_counted(self) -> bool:
        """ "Which X have the most Y, and how many has each": all are listed, best first."""
        counts = [m for m in self.frame.marks if m.kind == "count"]
        return len(counts) > 1 and any(
            m.kind == "group" and "each" in m.text for m in self.frame.marks
        )

    def _settle_orders(self) -> None:
        for order in self.draft.orders:
            if order.measure is not None or order.dimension is not None:
                continue
            if order.target is None:
                self._order_by_default(order)
            else:
                self._order_by_target(order, order.target)
        self.draft.orders = [
            o for o in self.draft.orders if o.measure is not None or o.dimension is not None
        ]

    def _order_by_default(self, order: OrderDraft) -> None:
        shown = [i for kind, i in self.draft.outputs if kind == "m"]
        dims = [i for kind, i in self.draft.outputs if kind == "d"]
        if shown:
            order.measure = shown[-1]
        elif dims:
            grains = [i for i in dims if self.draft.dimensions[i].grain]
            order.dimension = grains[0] if grains else dims[-1]

    def _order_by_target(self, order: OrderDraft, target: Candidate) -> None:
        measure = next(
            (
                i
                for i, m in enumerate(self.draft.measures)
                if m.target is not None and m.target.target == target.target
            ),
            None,
        )
        if measure is not None:
            order.measure = measure
            return
        order.dimension = self._listed_as(target)
        if order.dimension is not None:
            return
        if target.kind == "table" or (
            self.draft.measures and self._dimension_index(target) is None
        ):
            raise Unresolved("unsupported_construct", "order")
        order.dimension = self._dimension_for(target)
        self._show_order(order.dimension, target)

    def _listed_as(self, target: Candidate) -> int | None:
        """The listed or grouped thing that the order names: the table's entity, its label, a namesake."""
        for index, dimension in enumerate(self.draft.dimensions):
            known = dimension.target
            if known is None:
                continue
            same_table = known.table == target.table
            if same_table and (
                target.kind == "table" or (dimension.entity and self._is_shown(known, target))
            ):
                return index
            if self.draft.measures and known.column == target.column and target.column:
                return index
        return None

    def _is_shown(self, entity: Candidate, target: Candidate) -> bool:
        return target.column in [c.column.name for c in self._shown_columns(entity)]

    def _show_order(self, dimension: int, target: Candidate) -> None:
        """A list that is ordered by a number shows it, unless the question says what to show."""
        view = self.schema.column(target.target)
        asked = self.draft.explicit_output or self._names_only() or self.draft.entity is None
        if (
            view is not None
            and view.numeric
            and not asked
            and ("d", dimension) not in self.draft.outputs
        ):
            self.draft.outputs.append(("d", dimension))

    def _default_output(self) -> None:
        draft = self.draft
        if draft.explicit_output and not draft.outputs:
            draft.outputs = [("d", i) for i, d in enumerate(draft.dimensions) if d.shown]
            draft.outputs += [("m", i) for i, m in enumerate(draft.measures) if m.shown]
        if draft.trend and draft.measures and not any(d.grain for d in draft.dimensions):
            draft.dimensions.append(DimensionDraft(None, grain="year"))
            draft.outputs.insert(0, ("d", len(draft.dimensions) - 1))
        shown = [m for m in draft.measures if m.shown]
        if draft.explicit_output or len(shown) < 1:
            return
        for index, dimension in enumerate(draft.dimensions):
            if dimension.shown and ("d", index) not in draft.outputs and shown:
                draft.outputs.insert(0, ("d", index))
        if not draft.outputs:
            draft.outputs = [("m", i) for i, m in enumerate(draft.measures) if m.shown]
