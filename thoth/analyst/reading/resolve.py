"""From a draft to a complete reading: the population, its joins, dates, and who serves what."""

from __future__ import annotations

import datetime as dt
import re

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.periods import MONTHS
from thoth.analyst.language.tokens import fold, stems
from thoth.analyst.linking.formulas import AGE
from thoth.analyst.linking.graph import JoinGraph, Step
from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView, SchemaView, TableView
from thoth.analyst.linking.vocabulary import is_generic, similarity
from thoth.analyst.reading.draft import (
    DimensionDraft,
    Draft,
    FilterDraft,
    MeasureDraft,
    OrderDraft,
    PeriodDraft,
    SuperDraft,
)
from thoth.analyst.reading.reading import ColumnUse, FormulaUse, LiteralUse, Reading
from thoth.contracts.decisions import Grounding
from thoth.contracts.intent import Dimension, Filter, Measure, Order, Output, Period, QueryIntent

_PARTIAL_SHARE = re.compile(
    r"\b(?:tasso|percentuale|quota|rate|share|percentage) (?:di|of) (\w+)[^.]{0,120}?"
    r"(?:sul totale|sulle sole|sui soli|only|among)[^.]{0,80}"
)
_COUNT_ELSEWHERE = re.compile(r"per contare [^.]{3,60} si us|to count [^.]{3,60} use ")
_ADJECTIVES = {
    "longest": ("length", "duration"), "shortest": ("length", "duration"), "highest": ("height", "altitude", "elevation"),
    "tallest": ("height", "altitude"), "largest": ("area", "size"), "biggest": ("area", "size"), "smallest": ("area", "size"),
    "heaviest": ("weight",), "cheapest": ("price", "cost"), "expensive": ("price", "cost"),
    "lungo": ("lunghezza", "durata"), "lunga": ("lunghezza", "durata"), "alto": ("altezza", "altitudine"), "pesante": ("peso",),
}  # fmt: skip
_MONTH_NAME = {number: name for name, number in MONTHS.items() if len(name) > 4 or name == "may"}


class Unresolved(Exception):
    """The draft cannot become a query: a stable code and the words concerned."""

    def __init__(self, code: str, *words: str) -> None:
        super().__init__(code)
        self.code = code
        self.words = words


class Resolver:
    """One draft against one schema."""

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
        self._build()
        return self.reading

    # ---- what is counted

    def _count_of_rows(self) -> None:
        """ "Admissions per month", "compare A and B": without an aggregate the rows are counted."""
        draft = self.draft
        grained = (
            any(d.grain for d in draft.dimensions)
            or draft.trend
            or any(m.kind == "compare" for m in self.frame.marks)
        )
        if draft.measures or not grained:
            return
        entity = draft.entity or next(iter(draft.context), None)
        if entity is None:
            return
        keep = [
            i
            for i, d in enumerate(draft.dimensions)
            if not (d.entity and d.target is not None and d.target.table == entity.table)
        ]
        draft.dimensions = [draft.dimensions[i] for i in keep]
        draft.measures = [
            MeasureDraft("count", Candidate("table", entity.table, score=entity.score))
        ]
        draft.outputs = [("d", i) for i in range(len(draft.dimensions))] + [("m", 0)]

    def _settle_percent(self) -> None:
        """A share needs the condition it is the share of: the only one, else the last said."""
        for measure in self.draft.measures:
            if measure.agg == "percent" and not measure.when:
                rows = [
                    i
                    for i, f in enumerate(self.draft.filters)
                    if f.role == "rows" and f.within is None
                ]
                if len(rows) == 1:
                    measure.when = rows
                elif rows:
                    raise Unresolved(
                        "ambiguous_share", *(self.draft.filters[i].literal for i in rows)
                    )

    def _refuse_worded_definitions(self) -> None:
        """A comment that defines a share over part of the rows only, in words, cannot be followed."""
        if not any(m.agg == "percent" for m in self.draft.measures):
            return
        if any(f.op == "is_null" and f.negated for f in self.draft.filters):
            return
        view = self.schema.tables[self.base]
        said = {s for t in self.frame.tokens if t.index in self.frame.content or self.frame.mark_at(t.index) for s in t.stems}
        for comment in (view.table.comment, *(c.column.comment for c in view.columns.values())):
            for match in _PARTIAL_SHARE.finditer(fold(comment)):
                if stems(match.group(1)) & said:
                    raise Unresolved("defined_in_words", match.group(0))

    def _refuse_counted_elsewhere(self) -> None:
        """A table whose comment says that its things are counted in other tables is not counted."""
        comment = fold(self.schema.tables[self.base].table.comment)
        if self.draft.measures and _COUNT_ELSEWHERE.search(comment):
            raise Unresolved("count_elsewhere", self._label(self.base))

    def _merge_alternatives(self) -> None:
        """Two values of one single-valued column can only be alternatives."""
        groups: dict[tuple[str, str, tuple[int, ...]], list[FilterDraft]] = {}
        for index, filter_ in enumerate(self.draft.filters):
            if (
                filter_.op in ("=", "in")
                and filter_.kind in ("text", "number")
                and not filter_.negated
                and filter_.target is not None
                and filter_.within is None
            ):
                when = tuple(i for i, m in enumerate(self.draft.measures) if index in m.when)
                groups.setdefault((filter_.target.target, filter_.role, when), []).append(filter_)
        for (target, _, _), members in groups.items():
            table = target.rpartition(".")[0]
            if len(members) > 1 and not any(s.expands for s in self.tree.get(table, [])):
                name = next((f.any_of for f in members if f.any_of), f"same{target}")
                for member in members:
                    member.any_of = name

    # ---- order and limits

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
        """"The longest rivers": the one number of the entity that the adjective speaks of."""
        text = self.frame.words(sup.position, min(sup.position + 3, len(self.frame.tokens))).lower()
        wanted = [w for adjective, words in _ADJECTIVES.items() if adjective in text for w in words]
        entity = self.draft.entity.table if self.draft.entity else ""
        view = self.schema.tables.get(entity)
        found = [c for c in view.columns.values() if c.numeric and set(c.words) & set(wanted)] if view else []
        if len(found) != 1:
            raise Unresolved("unsupported_construct", text)
        return Candidate("column", entity, found[0].column.name, score=0.9)

    def _asked(self, measure: int) -> bool:
        """Whether the question asks to see the measure beside the best one."""
        return (
            self.draft.explicit_output
            or self.draft.measures[measure].shown
            and self._counted_twice()
        )

    def _counted_twice(self) -> bool:
        asks = [
            m
            for m in self.frame.marks
            if m.kind in ("count", "with_number") and m.text not in ("number of",)
        ]
        return bool(asks) and bool(self.draft.supers)

    def _super_target(self, target: Candidate, direction: str, number: int | None) -> None:
        draft = self.draft
        listed = (
            bool(draft.entity or any(not d.grain and d.entity for d in draft.dimensions))
            and not draft.measures
        )
        listed = (
            listed
            or any(o[0] == "d" for o in draft.outputs)
            and not draft.measures
            and not self._grouped()
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
            or number is not None
            and not self._names_only()
            and not draft.explicit_output
        ):
            if ("d", index) not in draft.outputs:
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

    def _dimension_for(self, target: Candidate) -> int:
        for index, dimension in enumerate(self.draft.dimensions):
            if dimension.target is not None and dimension.target.target == target.target:
                return index
        self.draft.dimensions.append(DimensionDraft(target, shown=False))
        return len(self.draft.dimensions) - 1

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
        for index, measure in enumerate(self.draft.measures):
            if measure.target is not None and measure.target.target == target.target:
                order.measure = index
                return
        if target.kind == "table":
            for index, dimension in enumerate(self.draft.dimensions):
                if dimension.target is not None and dimension.target.table == target.table:
                    order.dimension = index
                    return
            raise Unresolved("unsupported_construct", "order")
        name = target.column
        for index, dimension in enumerate(self.draft.dimensions):
            if (
                dimension.entity
                and dimension.target is not None
                and name in [c.column.name for c in self._shown_columns(dimension.target)]
                and dimension.target.table == target.table
            ):
                order.dimension = index
                return
        if self.draft.measures and self._dimension_index(target) is None:
            same = [
                i
                for i, d in enumerate(self.draft.dimensions)
                if d.target is not None and d.target.column == name
            ]
            if same:
                order.dimension = same[0]
                return
            raise Unresolved("unsupported_construct", "order")
        order.dimension = self._dimension_for(target)
        view = self.schema.column(target.target)
        if (
            view is not None
            and view.numeric
            and not self.draft.explicit_output
            and not self._names_only()
            and ("d", order.dimension) not in self.draft.outputs
            and self.draft.entity is not None
        ):
            self.draft.outputs.append(("d", order.dimension))

    def _dimension_index(self, target: Candidate) -> int | None:
        for index, dimension in enumerate(self.draft.dimensions):
            if dimension.target is not None and dimension.target.target == target.target:
                return index
        return None

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

    def _settle_ages(self) -> None:
        """An age is taken at the event the question speaks of, else today."""
        ages = [m for m in self.draft.measures if m.target is not None and m.target.kind == "formula" and m.target.value == AGE]
        ages += [f for f in self.draft.filters if f.target is not None and f.target.kind == "formula" and f.target.value == AGE]  # type: ignore[misc]
        for item in ages:
            assert item.target is not None
            event = self._event_of(item.target.table)
            birth = item.target.formula or ""
            at = event.full if event is not None else "CURRENT_DATE"
            table = event.table if event is not None else item.target.table
            sql = f"EXTRACT(YEAR FROM AGE({at}, {birth}))"
            item.target = Candidate("formula", table, None, AGE, formula=sql, how="synonym", score=item.target.score)

    def _event_of(self, person: str) -> ColumnView | None:
        """The date of the first table of the question whose rows point to the person."""
        tables = [c.table for c in self.draft.context] + [f.target.table for f in self.draft.filters if f.target is not None]
        tables += [m.target.table for m in self.draft.measures if m.target is not None]
        for table in dict.fromkeys(tables):
            dates = [c for c in self.schema.tables[table].dates if not self._about_life(c)]
            if table != person and dates and any(s.target == person for s in self.graph.steps_from(table)):
                return self._main_date(self.schema.tables[table], dates)
        return None

    def _drop_hidden(self) -> None:
        """Groups that are neither shown nor ordered by would split the shown ones."""
        draft = self.draft
        ordered = {o.dimension for o in draft.orders}
        kept = [
            i
            for i in range(len(draft.dimensions))
            if ("d", i) in draft.outputs or i in ordered or not draft.measures
        ]
        moved = {old: new for new, old in enumerate(kept)}
        draft.context += [
            draft.dimensions[i].target
            for i in range(len(draft.dimensions))
            if i not in moved and draft.dimensions[i].entity and draft.dimensions[i].target
        ]  # type: ignore[misc]
        draft.dimensions = [draft.dimensions[i] for i in kept]
        draft.outputs = [(k, moved[i]) if k == "d" else (k, i) for k, i in draft.outputs]
        for order in draft.orders:
            if order.dimension is not None:
                order.dimension = moved[order.dimension]

    # ---- population

    def _population(self) -> str:
        draft = self.draft
        sequences = [f.target.table for f in draft.filters if f.op in ("followed_within", "preceded_within") and f.target is not None]
        if sequences:
            return sequences[0]
        aggregated = [
            m.target.table
            for m in draft.measures
            if m.target is not None and m.target.kind in ("column", "formula") and m.agg != "count"
        ]
        counted = [
            m.target.table
            for m in draft.measures
            if m.target is not None and m.agg in ("count", "percent", "ratio")
        ]
        if aggregated:
            return self._finest(aggregated + counted)
        if counted:
            return self._finest(counted) if len(set(counted)) > 1 else counted[0]
        if draft.measures and draft.entity is not None:
            return (
                self._finest([draft.entity.table, *[c.table for c in draft.context]])
                if draft.dimensions and any(m.target is None for m in draft.measures)
                else draft.entity.table
            )
        if draft.measures and draft.context:
            return draft.context[0].table
        if draft.entity is not None:
            return draft.entity.table
        listed = [d.target.table for d in draft.dimensions if d.target is not None]
        if listed:
            return self._finest(listed)
        filtered = [f.target.table for f in draft.filters if f.target is not None]
        if draft.measures and filtered:
            return filtered[0]
        raise Unresolved("no_matching_table")

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

    @property
    def choice_tables(self) -> set[str]:
        return {
            d.target.table for d in self.draft.dimensions if d.target and d.target.kind == "table"
        } | {m.target.table for m in self.draft.measures if m.target}

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
            if view.is_date and self.draft.periods or context.how == "formula_part":
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

    def _pre_aggregated(self) -> None:
        """A table that already counts ("total number of check-ins on a day") is summed, not counted."""
        for measure in self.draft.measures:
            if (
                measure.agg != "count"
                or measure.target is None
                or measure.target.kind != "table"
                or measure.distinct
            ):
                continue
            column = self._counter(self.schema.tables[measure.target.table])
            if column is not None:
                measure.agg = "sum"
                measure.target = Candidate("column", column.table, column.column.name, score=1.0)

    @staticmethod
    def _counter(view: TableView) -> ColumnView | None:
        name = "".join(view.words)
        for column in view.columns.values():
            said = "".join(w for w in column.column.comment.casefold() if w.isalnum())
            if (
                column.numeric
                and column.words == ("count",)
                and said.startswith(("totalnumberof" + name, "numberof" + name))
            ):
                return column
        return None

    def _settle_parts_of_week(self) -> None:
        """Weekend conditions become a formula on the date, or names of days."""
        for filter_ in self.draft.filters:
            if filter_.op != "weekend":
                continue
            date = self._default_date()
            if date is None:
                self._named_days(filter_)
                continue
            filter_.op, filter_.kind = "is_true", "boolean"
            sql = f"EXTRACT(ISODOW FROM {date.full}) IN (6, 7)"
            filter_.target = Candidate("formula", date.table, value="weekend", formula=sql)

    def _named_days(self, filter_: FilterDraft) -> None:
        for table in self._date_tables():
            for column in self.schema.tables[table].columns.values():
                days = [
                    v
                    for v in (column.sample.values if column.sample else ())
                    if v.casefold() in ("saturday", "sunday", "sabato", "domenica")
                ]
                if column.words in (("day",), ("giorno",), ("weekday",)) and days:
                    filter_.op, filter_.kind, filter_.values, filter_.literal = (
                        "=",
                        "text",
                        days,
                        "weekend",
                    )
                    filter_.target = Candidate(
                        "value", table, column.column.name, days[0], score=1.0, method="calendar"
                    )
                    return
        raise Unresolved("no_date_column", "weekend")

    # ---- periods

    def _settle_periods(self) -> None:
        draft = self.draft
        grains = [d for d in draft.dimensions if d.grain and d.target is None]
        if not draft.periods and not grains:
            return
        asked = next((p.subject for p in draft.periods if p.subject is not None), None)
        column = self.schema.column(asked.target) if asked is not None else None
        self.date = column or self._default_date()
        if self.date is None:
            self._periods_as_parts()
            return
        for dimension in grains:
            dimension.target = self._grain_target(dimension)

    def _grain_target(self, dimension: DimensionDraft) -> Candidate:
        """A calendar table's number when the period lies in one year, else the date itself."""
        assert self.date is not None
        calendar_column = self._calendar_column(dimension.grain or "")
        if calendar_column is not None:
            dimension.grain = None
            return Candidate(
                "column", calendar_column.table, calendar_column.column.name, score=1.0
            )
        return Candidate("column", self.date.table, self.date.column.name, score=1.0)

    def _calendar_column(self, grain: str) -> ColumnView | None:
        if grain not in ("month", "quarter") or not self._within_one_year() or self.date is None:
            return None
        words = {"month": ("month", "mese"), "quarter": ("quarter", "trimestre")}[grain]
        owner = self.schema.tables[self.date.table]
        for key in owner.table.foreign_keys:
            view = self.schema.tables.get(key.ref_table)
            if view is None or not any(c.is_date for c in view.columns.values()):
                continue
            for column in view.columns.values():
                if column.words in ((words[0],), (words[1],)) and column.column.family == "integer":
                    return column
        return None

    def _within_one_year(self) -> bool:
        spans = [p.span for p in self.draft.periods]
        if len(spans) != 1 or spans[0].start is None or spans[0].end is None:
            return False
        last = dt.date.fromisoformat(spans[0].end) - dt.timedelta(days=1)
        return dt.date.fromisoformat(spans[0].start).year == last.year

    def _default_date(self) -> ColumnView | None:
        tables = self._date_tables()
        verbs = self._verb_date(tables)
        if verbs is not None and (self.draft.periods or not self._named_date(tables[0])):
            return verbs
        for table in tables:
            dates = [c for c in self.schema.tables[table].dates if not self._about_life(c)]
            if dates:
                return self._main_date(self.schema.tables[table], dates)
        return None

    def _about_life(self, column: ColumnView) -> bool:
        """A birth or death date is never what "in 2023" means by itself."""
        return any(similarity(w, life) for w in column.words for life in ("birth", "death"))

    def _date_tables(self) -> list[str]:
        tables = [self.base]
        tables += [c.table for c in self.draft.context]
        tables += [f.target.table for f in self.draft.filters if f.target is not None]
        tables += [m.target.table for m in self.draft.measures if m.target is not None]
        near = [
            s.target
            for t in list(tables)
            for s in self.graph.steps_from(t)
            if not s.expands and s.edge.left == t
        ]
        return list(dict.fromkeys([*tables, *near]))

    def _verb_date(self, tables: list[str]) -> ColumnView | None:
        """A date column one of whose own words the question uses near the period."""
        position = self.draft.periods[0].position if self.draft.periods else None
        window = range(len(self.frame.tokens)) if position is None else range(max(0, position - 4), position + 1)
        words = [
            self.frame.tokens[i].norm
            for i in window
            if self.frame.tokens[i].kind == "word" and i not in self.frame.stop
        ]
        best: tuple[float, ColumnView] | None = None
        for table in tables:
            view = self.schema.tables[table]
            for column in view.dates:
                own = [
                    w
                    for w in column.words
                    if w not in ("date", "data", "time", "dt", "ts")
                    and not stems(w) & {x for v in view.words for x in stems(v)}
                ]
                score = max((similarity(n, w) for n in words for w in own), default=0.0)
                if score > 0.8 and (best is None or score > best[0]):
                    best = (score, column)
        return best[1] if best else None

    def _named_date(self, table: str) -> bool:
        """Whether one date of the table is marked as its main one, by comment or by name."""
        view = self.schema.tables[table]
        own = {s for w in view.words for s in stems(w)}
        return any(
            "data di riferimento" in c.column.comment.casefold()
            or "reference date" in c.column.comment.casefold()
            or any(stems(w) & own for w in c.words)
            for c in view.dates
        )

    def _main_date(self, view: TableView, dates: list[ColumnView]) -> ColumnView:
        """The date named after the table, or called the reference in its comment; else the first."""
        own = {s for w in view.words for s in stems(w)}
        for column in dates:
            comment = column.column.comment.casefold()
            if "data di riferimento" in comment or "reference date" in comment:
                return column
        named = [c for c in dates if any(stems(w) & own for w in c.words)]
        business = [c for c in dates if not c.technical]
        if len(business) > 1 and not named:
            self.assumptions.append(f"The period is that of {business[0].column.name}.")
        return (named or dates)[0]

    def _periods_as_parts(self) -> None:
        """Year and month kept as separate columns ("year", "month" as a name or number)."""
        for period in self.draft.periods:
            for table in self._date_tables():
                if self._parts_of(period, self.schema.tables[table]):
                    break
            else:
                raise Unresolved("no_date_column", period.span.text)
        self.draft.periods = []
        for dimension in self.draft.dimensions:
            if dimension.grain and dimension.target is None:
                self._grain_part(dimension)

    def _grain_part(self, dimension: DimensionDraft) -> None:
        words = {"year": ("year", "anno"), "month": ("month", "mese"), "day": ("day", "giorno"), "quarter": ("quarter", "trimestre"),
                 "weekday": ("day", "giorno", "weekday"), "week": ("week", "settimana")}[dimension.grain or "year"]  # fmt: skip
        for table in self._date_tables():
            for column in self.schema.tables[table].columns.values():
                if len(column.words) == 1 and column.words[0] in words:
                    dimension.target = Candidate("column", table, column.column.name, score=1.0)
                    dimension.grain = None
                    return
        raise Unresolved("no_date_column", dimension.grain or "")

    def _parts_of(self, period: PeriodDraft, view: TableView) -> bool:
        year = next(
            (c for c in view.columns.values() if c.words in (("year",), ("anno",)) and c.numeric),
            None,
        )
        if year is None or period.span.start is None or period.span.end is None:
            return False
        start = dt.date.fromisoformat(period.span.start)
        if period.span.grain not in ("year", "month"):
            return False
        target = Candidate("column", view.full, year.column.name, score=1.0)
        self.draft.filters.append(FilterDraft("=", target, [str(start.year)], "number"))
        if period.span.grain == "month":
            month = next(
                (c for c in view.columns.values() if c.words in (("month",), ("mese",))), None
            )
            if month is None:
                return False
            self._month_filter(month, start.month)
        return True

    def _month_filter(self, month: ColumnView, number: int) -> None:
        target = Candidate("column", month.table, month.column.name, score=1.0)
        if month.numeric:
            self.draft.filters.append(FilterDraft("=", target, [str(number)], "number"))
            return
        names = [n for n, k in MONTHS.items() if k == number]
        stored = [v for v in (month.sample.values if month.sample else ()) if v.casefold() in names]
        value = stored[0] if stored else _MONTH_NAME[number].capitalize()
        target = Candidate(
            "value", month.table, month.column.name, value, score=1.0, method="exact"
        )
        self.draft.filters.append(FilterDraft("=", target, [value], "text", literal=value))

    # ---- joins

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

    def _refuse_weak_joins(self) -> None:
        for filter_ in self.draft.filters:
            if (
                filter_.op == "is_null"
                and filter_.negated
                and filter_.target is not None
                and any(s.expands for s in self.tree.get(filter_.target.table, []))
            ):
                raise Unresolved("unsupported_construct", filter_.target.column or "")
            if filter_.role == "having" and any(
                e.cardinality == "many_to_many" for e in self.reading.joins
            ):
                raise Unresolved("no_path", self.base)

    def _shorten(self) -> None:
        """A dimension that the base holds itself needs no join; a foreign key is shown by its label."""
        for dimension in self.draft.dimensions:
            target = dimension.target
            if target is None or target.kind == "formula":
                continue
            if target.table == self.base:
                self._label_of_key(dimension, target)
                continue
            names = (
                [c.column.name for c in self._shown_columns(target)]
                if dimension.entity
                else [target.column or ""]
            )
            if len(names) != 1:
                continue
            for step in self.graph.between(self.base, target.table):
                if (
                    not step.expands
                    and step.edge.left == self.base
                    and step.edge.right_columns == (names[0],)
                ):
                    dimension.target = Candidate(
                        "column", self.base, step.edge.left_columns[0], score=target.score
                    )
                    dimension.entity = False
                    break

    def _label_of_key(self, dimension: DimensionDraft, target: Candidate) -> None:
        if not target.column or {"id", "ids", "code", "codes", "codice", "codici", "key"} & {
            t.norm for t in self.frame.tokens
        }:
            return
        for step in self.graph.steps_from(self.base):
            if (
                step.edge.left == self.base
                and step.edge.left_columns == (target.column,)
                and not step.expands
                and step.edge.declared
            ):
                labels = self.schema.tables[step.target].labels
                if labels:
                    dimension.target = Candidate("table", step.target, score=target.score)
                    dimension.entity = True
                    self.forced.add(step.edge.subject)

    def _connect(self) -> None:
        self.tree = {self.base: []}
        for table in self._needed():
            self._reach(table)
        edges: dict[str, Step] = {}
        for steps in self.tree.values():
            for step in steps:
                edges.setdefault(step.edge.subject, step)
        for step in list(edges.values()):
            for way in self.graph.between(step.source, step.target):
                if self._way_evidence(way) >= 9 and self._way_evidence(step) >= 9:  # noqa: PLR2004 - both are named
                    edges.setdefault(way.edge.subject, way)
        self.reading.joins = [s.edge for s in edges.values()]

    def _needed(self) -> list[str]:
        draft = self.draft
        needed = [m.target.table for m in draft.measures if m.target is not None]
        needed += [d.target.table for d in draft.dimensions if d.target is not None]
        needed += [c.table for c in draft.context]
        if self.date is not None:
            needed.append(self.date.table)
        needed += [f.target.table for f in draft.filters if f.target is not None]
        return list(dict.fromkeys(needed))

    def _reach(self, table: str) -> None:
        if table in self.tree:
            return
        best: tuple[float, list[Step]] | None = None
        for known, steps in self.tree.items():
            path = self.graph.path(known, table)
            if path is None:
                continue
            cost = sum(s.cost for s in path) + (0.05 * len(steps))
            if best is None or cost < best[0]:
                best = (cost, [*steps, *path])
        if best is None:
            raise Unresolved("no_path", table)
        walked: list[Step] = []
        for step in best[1]:
            walked.append(self._best_way(step))
            self.tree.setdefault(step.target, list(walked))

    def _best_way(self, step: Step) -> Step:
        """Of several foreign keys between two tables, the one whose own words the question uses."""
        ways = self.graph.between(step.source, step.target)
        known = {s.edge.subject for steps in self.tree.values() for s in steps}
        for way in ways:
            if way.edge.subject in known or way.edge.subject in self.forced:
                return way
        return (
            max(ways, key=lambda way: (self._way_evidence(way), way.edge.declared, -way.cost))
            if len(ways) > 1
            else step
        )

    def _way_evidence(self, way: Step) -> float:
        view = self.schema.tables[way.edge.left]
        columns = [view.columns[c] for c in way.edge.left_columns if c in view.columns]
        other = {s for w in self.schema.tables[way.edge.right].words for s in stems(w)}
        own = [
            w
            for c in columns
            for w in c.words
            if not stems(w) & other and not is_generic(w)
        ]
        said = sum(1.0 for w in own if stems(w) & self.question_stems)
        order = [c.column.name for c in view.columns.values()]
        place = min((order.index(c.column.name) for c in columns), default=0)
        return said * 10 - len(own) * 0.5 - place * 0.01

    # ---- the parts of the reading

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
                    or base.key is not None
                    and dimension.target.column == base.key.column.name
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

    @staticmethod
    def _is_label(view: TableView, column: str) -> bool:
        return column in [c.column.name for c in view.labels]

    def _label(self, target: str) -> str:
        view = self.schema.tables.get(target)
        if view is not None:
            return " ".join(view.words)
        column = self.schema.column(target)
        return " ".join(column.words) if column else target

    def _output_label(self, kind: str, index: int) -> str:
        if kind == "m":
            return self._measure_label(self.draft.measures[index])
        return self._dimension_label(self.draft.dimensions[index])

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
        )  # type: ignore[arg-type]  # noqa: E501

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
            return self._row_ratio(measures, sides)
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
        for index in list(second.when):
            if self._about(index) not in said and (
                first.when or self.draft.filters[index].position > 0
            ):
                if not first.when and len(second.when) == 1 and not self._shared_place(index):
                    continue
                second.when.remove(index)

    def _shared_place(self, index: int) -> bool:
        return True

    def _about(self, index: int) -> str:
        target = self.draft.filters[index].target
        return target.target if target else ""

    def _row_ratio(self, measures: list[Measure], sides: list[int]) -> list[Measure]:
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
            for column in self._shown_columns(draft.target):
                self._serve_column(column.full, "dimension", id_)
        else:
            self._serve_column(draft.target.target, "dimension", id_)
        return Dimension(
            id=id_,
            label=self._dimension_label(draft),
            of=self._label(draft.target.target),
            grain=draft.grain,
        )  # type: ignore[arg-type]

    def _shown_columns(self, target: Candidate) -> list[ColumnView]:
        view = self.schema.tables[target.table]
        if view.labels:
            return list(view.labels)
        if view.key is not None:
            return [view.key]
        raise Unresolved("no_label", self._label(target.table))

    def _filter(self, index: int, draft: FilterDraft) -> Filter:
        id_ = f"f{index + 1}"
        common = {
            "id": id_,
            "negated": draft.negated,
            "any_of": draft.any_of,
            "within": f"f{draft.within + 1}" if draft.within is not None else None,
        }
        when = any(index in m.when for m in self.draft.measures)
        role = "when" if when else draft.role
        if draft.role == "having":
            return Filter(
                subject=f"m{(draft.measure or 0) + 1}",
                op=draft.op,
                values=tuple(draft.values),
                kind="number",
                role="having",
                **common,
            )  # type: ignore[arg-type]  # noqa: E501
        target = draft.target
        assert target is not None
        if draft.op in ("followed_within", "preceded_within"):
            return self._sequence(draft, target, id_, role, common)
        if draft.op == "exists":
            self._serve_table(target.table, id_)
            return Filter(
                subject=self._label(target.table), op="exists", kind="none", role=role, **common
            )  # type: ignore[arg-type]
        if target.kind == "formula":
            concept = self._formula(target, id_)
            return Filter(
                subject=concept,
                op=draft.op,
                values=tuple(draft.values),
                kind=draft.kind,
                role=role,
                concept=concept,
                **common,
            )  # type: ignore[arg-type]  # noqa: E501
        subject = self._label(target.target)
        if draft.kind == "text":
            literal = self._ground(draft, target, id_)
            self._serve_column(target.target, "filter", id_)
            op = draft.op if draft.op != "=" else "="
            return Filter(
                subject=subject, op=op, values=(literal,), kind="text", role=role, **common
            )  # type: ignore[arg-type]
        self._serve_column(target.target, "filter", id_)
        if draft.kind == "boolean":
            negated = draft.negated != (draft.op == "is_false")
            common["negated"] = negated
            return Filter(subject=subject, op="is_true", kind="boolean", role=role, **common)  # type: ignore[arg-type]
        values = tuple(draft.values)
        return Filter(
            subject=subject, op=draft.op, values=values, kind=draft.kind, role=role, **common
        )  # type: ignore[arg-type]

    def _sequence(self, draft: FilterDraft, target: Candidate, id_: str, role: str, common: dict[str, object]) -> Filter:
        """Who (the key of the person), when a row begins, and when it ends."""
        view = self.schema.tables[target.table]
        end = next((c for c in view.dates if any(similarity("discharge", w) for w in c.words)), None)
        begin = next((c for c in view.dates if c is not end), None)
        person = self._person_key(view)
        if end is None or begin is None or person is None:
            raise Unresolved("unsupported_construct", self._label(target.table))
        self._serve_column(person.full, "key", id_)
        self._serve_column(begin.full, "period", id_)
        self._serve_column(end.full, "filter", id_)
        return Filter(subject=self._label(person.full), op=draft.op, kind="none", role=role, amount=draft.amount, unit=draft.unit, **common)  # type: ignore[arg-type]  # noqa: E501

    def _person_key(self, view: TableView) -> ColumnView | None:
        """The foreign key to the people that the rows are about."""
        for column in view.columns.values():
            if column.is_key_like and any(similarity(p, w) for p in ("patient", "customer", "user", "student", "employee") for w in column.words):
                return column
        return None

    def _ground(self, draft: FilterDraft, target: Candidate, id_: str) -> str:
        """Registers the grounding; the literal's name, made distinct when it is cited twice."""
        op = {"starts_with": "starts_with", "ends_with": "ends_with", "contains": "contains"}.get(
            draft.op, target.op
        )
        value = draft.values[0] if draft.values else target.value or ""
        groundings = tuple(
            Grounding(
                column=target.target,
                value=v,
                op=op,
                score=f"{target.score:.2f}",
                method=target.method or target.how,
                rows=target.rows,
            )  # type: ignore[arg-type]
            for v in (draft.values or [value])
        )
        others = tuple(
            Grounding(column=c.target, value=c.value or "", op=c.op, score=f"{c.score:.2f}", method=c.method or c.how, rows=c.rows)  # type: ignore[arg-type]
            for c in draft.alternatives if c.kind == "value" and c.key != target.key
        )  # fmt: skip
        literal = draft.literal
        if any(u.literal == literal for u in self.reading.literals):
            literal = f"{draft.literal} ({self._label(target.target)})"
        if any(u.literal == literal for u in self.reading.literals):
            literal = f"{literal} {id_}"
        self.reading.literals.append(LiteralUse(literal, id_, groundings, others))
        return literal

    def _period(self) -> Period | None:
        if not self.draft.periods:
            return None
        if len(self.draft.periods) > 1:
            raise Unresolved("unsupported_construct", *(p.span.text for p in self.draft.periods))
        span = self.draft.periods[0].span
        if self.date is None:
            raise Unresolved("no_date_column", span.text)
        self._serve_column(self.date.full, "period", "p1")
        return Period(
            subject=self._label(self.date.full), start=span.start, end=span.end, text=span.text
        )

    def _order(self, draft: OrderDraft) -> Order:
        by = (
            f"m{draft.measure + 1}"
            if draft.measure is not None
            else f"d{(draft.dimension or 0) + 1}"
        )
        return Order(by=by, direction=draft.direction)  # type: ignore[arg-type]
