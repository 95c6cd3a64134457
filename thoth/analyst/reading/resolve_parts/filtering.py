"""Filters, groundings, periods and order of the intent."""

from __future__ import annotations

from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.schema_view import ColumnView, TableView
from thoth.analyst.linking.vocabulary import similarity
from thoth.analyst.reading.draft import (
    FilterDraft,
    OrderDraft,
)
from thoth.analyst.reading.reading import LiteralUse
from thoth.analyst.reading.resolve_parts.common import Unresolved
from thoth.analyst.reading.resolve_parts.measuring import Measuring
from thoth.contracts.decisions import Grounding
from thoth.contracts.intent import Filter, Order, Period


class Filtering(Measuring):
    """Filters, groundings, periods and order of the intent."""

    def _filter(self, index: int, draft: FilterDraft) -> Filter:  # noqa: PLR0911 - one way each
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
            )
        target = draft.target
        assert target is not None
        if draft.op in ("followed_within", "preceded_within"):
            return self._sequence(draft, target, id_, role, common)
        if draft.op == "exists":
            self._serve_table(target.table, id_)
            return Filter(
                subject=self._label(target.table), op="exists", kind="none", role=role, **common
            )
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
            )
        subject = self._label(target.target)
        if draft.kind == "text":
            literal = self._ground(draft, target, id_)
            self._serve_column(target.target, "filter", id_)
            op = draft.op if draft.op != "=" else "="
            return Filter(
                subject=subject, op=op, values=(literal,), kind="text", role=role, **common
            )
        self._serve_column(target.target, "filter", id_)
        if draft.kind == "boolean":
            negated = draft.negated != (draft.op == "is_false")
            common["negated"] = negated
            return Filter(subject=subject, op="is_true", kind="boolean", role=role, **common)
        values = tuple(draft.values)
        return Filter(
            subject=subject, op=draft.op, values=values, kind=draft.kind, role=role, **common
        )

    def _sequence(
        self, draft: FilterDraft, target: Candidate, id_: str, role: str, common: dict[str, object]
    ) -> Filter:
        """Who (the key of the person), when a row begins, and when it ends."""
        view = self.schema.tables[target.table]
        end = next(
            (c for c in view.dates if any(similarity("discharge", w) for w in c.words)), None
        )
        begin = next((c for c in view.dates if c is not end), None)
        person = self._person_key(view)
        if end is None or begin is None or person is None:
            raise Unresolved("unsupported_construct", self._label(target.table))
        self._serve_column(person.full, "key", id_)
        self._serve_column(begin.full, "period", id_)
        self._serve_column(end.full, "filter", id_)
        return Filter(
            subject=self._label(person.full),
            op=draft.op,
            kind="none",
            role=role,
            amount=draft.amount,
            unit=draft.unit,
            **common,
        )

    def _person_key(self, view: TableView) -> ColumnView | None:
        """The foreign key to the people that the rows are about."""
        for column in view.columns.values():
            if column.is_key_like and any(
                similarity(p, w)
                for p in ("patient", "customer", "user", "student", "employee")
                for w in column.words
            ):
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
            )
            for v in (draft.values or [value])
        )
        others = tuple(
            Grounding(column=c.target, value=c.value or "", op=c.op, score=f"{c.score:.2f}", method=c.method or c.how, rows=c.rows)
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
        within = next(
            (
                f"f{i + 1}"
                for i, f in enumerate(self.draft.filters)
                if f.op == "exists"
                and f.negated
                and f.target is not None
                and f.target.table == self.date.table
            ),
            None,
        )
        return Period(
            subject=self._label(self.date.full), start=span.start, end=span.end, text=span.text,
            within=within,
        )  # fmt: skip

    def _order(self, draft: OrderDraft) -> Order:
        by = (
            f"m{draft.measure + 1}"
            if draft.measure is not None
            else f"d{(draft.dimension or 0) + 1}"
        )
        return Order(by=by, direction=draft.direction)
