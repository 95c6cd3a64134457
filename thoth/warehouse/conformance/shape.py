"""Columns of the result, GROUP BY, ORDER BY, LIMIT, DISTINCT, HAVING."""

from __future__ import annotations

from django.utils.translation import gettext as _
from sqlglot import exp

from thoth.contracts.intent import Filter
from thoth.warehouse.conformance import values
from thoth.warehouse.conformance.decided import Decided
from thoth.warehouse.conformance.facts import Atom, Facts, Frame, resolve
from thoth.warehouse.conformance.measures import MeasureRules
from thoth.warehouse.conformance.report import Finding, finding
from thoth.warehouse.conformance.slots import Slot, dimension_key, slots_of

_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)


class ShapeRules:
    def __init__(self, facts: Facts, decided: Decided, measures: MeasureRules) -> None:
        self._facts = facts
        self._decided = decided
        self._measures = measures
        self._intent = decided.intent
        self._slots = {d.id: slots_of(d, decided) for d in decided.intent.dimensions}
        self._projections = self._main_projections()

    def _main_projections(self) -> list[exp.Expr]:
        frame = self._facts.main
        return [resolve(p.unalias(), frame) for p in frame.select.expressions]

    # ---- output

    def check_output(self) -> list[Finding]:
        """Every asked column is there, computed as decided, and no other."""
        result: list[Finding] = []
        free = list(range(len(self._projections)))
        for position, (of, slot) in enumerate(self._wanted()):
            found, index = self._find(of, slot, position, free)
            result += found
            if index is not None:
                free.remove(index)
        for index in free:
            message = _("This column of the result was not asked for.")
            result.append(finding("output", message, self._facts.main.select.expressions[index]))
        return result

    def _wanted(self) -> list[tuple[str, Slot | None]]:
        of = [o.of for o in self._intent.output] or [
            *(d.id for d in self._intent.dimensions),
            *(m.id for m in self._intent.measures),
        ]
        wanted: list[tuple[str, Slot | None]] = []
        for id_ in of:
            shown = [s for s in self._slots.get(id_, []) if s.shown]
            wanted += [(id_, slot) for slot in shown] if id_ in self._slots else [(id_, None)]
        return wanted

    def _find(
        self, of: str, slot: Slot | None, position: int, free: list[int]
    ) -> tuple[list[Finding], int | None]:
        order = sorted(free, key=lambda i: (i != position, i))
        if slot is not None:
            index = next((i for i in order if self._is_slot(self._projections[i], slot)), None)
            return ([] if index is not None else [self._missing(slot.label, of, slot.key)]), index
        measure = self._decided.measure(of)
        if measure is None:
            return [], None
        tried = [(self._measures.check(measure, self._projections[i]), i) for i in order]
        for found, index in tried:
            if not found:
                return [], index
        # Nothing fits: say what is wrong with the likeliest column, one that holds a total.
        totals = [t for t in tried if self._measures.aggregates(self._projections[t[1]])]
        nearest = (totals or tried)[:1]
        return nearest[0] if nearest else ([self._missing(measure.label, of, "")], None)

    def _is_slot(self, expression: exp.Expr, slot: Slot) -> bool:
        key = dimension_key(expression, self._decided)
        return key == slot.key or self._decided.same(key, slot.key)

    def _missing(self, label: str, of: str, key: str) -> Finding:
        fix = _("Show {key}").format(key=key) if key else ""
        return finding(
            "output", _("The column “{label}” is missing.").format(label=label), subject=of, fix=fix
        )

    # ---- grouping

    def check_group_by(self) -> list[Finding]:
        frames = self._grouping_frames()
        grouped = any(m.agg != "value" for m in self._intent.measures)
        if len(frames) > 1:
            message = _(
                "The query aggregates in several steps, which the decisions do not speak of."
            )
            return [finding("group_by", message, frames[1].select.args.get("group"))]
        if not frames:
            return []
        wanted = [s for slots in self._slots.values() for s in slots] if grouped else []
        return self._compare_groups(frames[0], wanted, grouped=grouped)

    def _grouping_frames(self) -> list[Frame]:
        numbers = {a.frame for a in self._facts.aggregates.values() if not a.windowed}
        return [
            f
            for f in self._facts.frames
            if f.context.depth == 0 and (f.number in numbers or f.select.args.get("group"))
        ]

    def _compare_groups(self, frame: Frame, wanted: list[Slot], *, grouped: bool) -> list[Finding]:
        group = frame.select.args.get("group")
        given = list(group.expressions) if group is not None else []
        free = [(node, resolve(node, frame)) for node in given]
        result: list[Finding] = []
        for slot in wanted:
            found = next((item for item in free if self._is_slot(item[1], slot)), None)
            if found is None:
                message = _("The result must be grouped by “{label}”.").format(label=slot.label)
                result.append(
                    finding(
                        "group_by",
                        message,
                        group,
                        subject=slot.of,
                        fix=_("Group by {key}").format(key=slot.key),
                    )
                )
            else:
                free.remove(found)
        if grouped:
            message = _("The intent does not group by this.")
            result += [finding("group_by", message, node) for node, _ in free]
        return result

    def check_distinct(self) -> list[Finding]:
        """SELECT DISTINCT exactly for lists without repetitions (grouped lists have none either)."""
        select = self._facts.main.select
        given = select.args.get("distinct") is not None or select.args.get("group") is not None
        if self._intent.measures and any(m.agg != "value" for m in self._intent.measures):
            if select.args.get("distinct") is None:
                return []
            return [
                finding(
                    "distinct", _("DISTINCT may drop rows of the result."), select.expressions[0]
                )
            ]
        if given == self._intent.distinct:
            return []
        message = (
            _("The list must not repeat rows.")
            if self._intent.distinct
            else _("The list shows every row.")
        )
        fix = _("Use SELECT DISTINCT.") if self._intent.distinct else _("Leave DISTINCT out.")
        return [finding("distinct", message, select.expressions[0], fix=fix)]

    # ---- having

    def check_having(self) -> tuple[list[Finding], set[int]]:
        """The groups that are kept; and the atoms this explains."""
        atoms = [a for a in self._facts.atoms if a.context.place == "having"]
        result: list[Finding] = []
        used: set[int] = set()
        for filter_ in self._intent.filters:
            if filter_.role == "having":
                result += self._having(filter_, atoms, used)
        ranked = {a.number for a in self._facts.atoms if a.expression.find(*_RANKS)}
        return result, used | (ranked if self._intent.limit_per else set())

    def _having(self, filter_: Filter, atoms: list[Atom], used: set[int]) -> list[Finding]:
        measure = self._decided.measure(filter_.subject)
        if measure is None:
            return []
        mine = [a for a in atoms if not self._measures.check(measure, a.expression)]
        wanted = _having_comparisons(filter_)
        for op, value in wanted:
            found = next((a for a in mine if (a.op, values.number(a.value)) == (op, value)), None)
            if found is None:
                near = mine[0] if mine else None
                used |= {a.number for a in mine}
                rule = (
                    ("filter_operator" if near.op != op else "filter_value")
                    if near
                    else "filter_missing"
                )
                message = _("Only groups with “{label}” {op} {value} are asked for.").format(
                    label=measure.label, op=op, value=value
                )
                node = near.node if near else None
                return [finding(rule, message, node, subject=filter_.id)]
            used.add(found.number)
        return []

    # ---- order and limit

    def check_order(self) -> list[Finding]:
        order = self._facts.main.select.args.get("order")
        given = list(order.expressions) if order is not None else []
        wanted = list(self._intent.order)
        if self._intent.limit_per:
            wanted = []  # the order is the window's, which check_limit looks at
        position = 0
        for asked in wanted:
            width = max(1, sum(1 for s in self._slots.get(asked.by, []) if s.shown))
            keys = given[position : position + width]
            position += width
            if len(keys) < width or not all(self._is_key(k, asked.by) for k in keys):
                message = _("The result must be ordered by “{label}”.").format(
                    label=self._label(asked.by)
                )
                return [finding("order", message, order, subject=asked.by)]
            if any(bool(k.args.get("desc")) != (asked.direction == "desc") for k in keys):
                message = _("“{label}” is ordered the other way round.").format(
                    label=self._label(asked.by)
                )
                return [finding("order", message, keys[0], subject=asked.by)]
        return self._extra_order(given[position:])

    def _extra_order(self, keys: list[exp.Expr]) -> list[Finding]:
        """Further keys only break ties among what is shown; without any order they are harmless."""
        if self._intent.limit is None and not self._intent.order:
            return []
        shown = {id_ for id_, _ in self._wanted()}
        message = _("The intent does not order by this.")
        return [
            finding("order", message, key)
            for key in keys
            if not self._intent.limit_per and not any(self._is_key(key, id_) for id_ in shown)
        ]

    def _is_key(self, key: exp.Expr, of: str) -> bool:
        expression = resolve(key.this if isinstance(key, exp.Ordered) else key, self._facts.main)
        if of in self._slots:
            return any(self._is_slot(expression, slot) for slot in self._slots[of])
        measure = self._decided.measure(of)
        return measure is not None and not self._measures.check(measure, expression)

    def _label(self, of: str) -> str:
        measure = self._decided.measure(of)
        dimension = next((d for d in self._intent.dimensions if d.id == of), None)
        return measure.label if measure else (dimension.label if dimension else of)

    def check_limit(self) -> list[Finding]:
        select = self._facts.main.select
        limit, offset = select.args.get("limit"), select.args.get("offset")
        result = []
        if offset is not None:
            result.append(finding("limit", _("OFFSET leaves out the first rows."), offset))
        if self._intent.limit_per:
            return result + self._ranked(limit)
        count = _limit_of(limit)
        wanted = str(self._intent.limit) if self._intent.limit is not None else None
        if count != wanted:
            message = (
                _("The result must be cut to {wanted} rows.").format(wanted=wanted)
                if wanted
                else _("The result must not be cut.")
            )
            result.append(finding("limit", message, limit, fix=f"LIMIT {wanted}" if wanted else ""))
        return result

    def _ranked(self, limit: exp.Expr | None) -> list[Finding]:
        """The first rows of each group, by a rank over the dimension."""
        result = (
            [finding("limit", _("The result must not be cut as a whole."), limit)] if limit else []
        )
        ranked = [a for a in self._facts.atoms if a.expression.find(*_RANKS)]
        allowed = {("<", str((self._intent.limit or 0) + 1)), ("<=", str(self._intent.limit))}
        if not any((a.op, values.number(a.value)) in allowed for a in ranked):
            message = _("Only the first {limit} rows of each group are asked for.").format(
                limit=self._intent.limit
            )
            return [*result, finding("limit", message, ranked[0].node if ranked else None)]
        return result + self._window(ranked[0])

    def _window(self, atom: Atom) -> list[Finding]:
        window = atom.expression.find(exp.Window)
        if window is None:
            return []
        parts = window.args.get("partition_by") or []
        slots = self._slots.get(self._intent.limit_per or "", [])
        if {dimension_key(p, self._decided) for p in parts} != {s.key for s in slots}:
            message = _("The rows must be ranked within each group of the intent.")
            return [finding("limit", message, atom.node, subject=self._intent.limit_per or "")]
        order = window.args.get("order")
        keys = list(order.expressions) if order is not None else []
        for asked, key in zip(self._intent.order, keys, strict=False):
            right_way = bool(key.args.get("desc")) == (asked.direction == "desc")
            if not right_way or not self._is_key(key, asked.by):
                message = _("The rows must be ranked by “{label}”.").format(
                    label=self._label(asked.by)
                )
                return [finding("order", message, atom.node, subject=asked.by)]
        return [] if keys else [finding("order", _("The rows are ranked in no order."), atom.node)]


def _having_comparisons(filter_: Filter) -> list[tuple[str, str]]:
    if filter_.op == "between":
        return [(">=", values.number(filter_.values[0])), ("<=", values.number(filter_.values[1]))]
    op = values.OPPOSITE.get(filter_.op, filter_.op) if filter_.negated else filter_.op
    return [("=" if op == "in" else op, values.number(value)) for value in filter_.values]


def _limit_of(limit: exp.Expr | None) -> str | None:
    if limit is None:
        return None
    count = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
    return values.constant(count) if count is not None else "1"
