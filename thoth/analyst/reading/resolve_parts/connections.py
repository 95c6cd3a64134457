"""How the tables of a reading hang together."""

from __future__ import annotations

from itertools import pairwise

from thoth.analyst.language.tokens import stems
from thoth.analyst.linking.graph import Step
from thoth.analyst.linking.mentions import Candidate
from thoth.analyst.linking.vocabulary import is_generic
from thoth.analyst.reading.draft import (
    DimensionDraft,
    FilterDraft,
)
from thoth.analyst.reading.resolve_parts.common import Unresolved
from thoth.analyst.reading.resolve_parts.population import Population


class Connections(Population):
    """How the tables of a reading hang together."""

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
            if len(members) > 1 and not self._said_as_list(members):
                raise Unresolved("unsupported_construct", *(f.literal for f in members))
            if len(members) > 1 and not any(s.expands for s in self.tree.get(table, [])):
                name = next((f.any_of for f in members if f.any_of), f"same{target}")
                for member in members:
                    member.any_of = name
            elif len(members) > 1 and not all(f.any_of for f in members):
                # one related row cannot have both values; two rows cannot be asked for yet
                raise Unresolved("unsupported_construct", *(f.literal for f in members))

    def _said_as_list(self, members: list[FilterDraft]) -> bool:
        """Whether a word that makes alternatives stands between the values ("A, B or C")."""
        places = sorted(f.position for f in members)
        lists = [m.start for m in self.frame.marks if m.kind in ("or", "and", "versus", "compare")]
        lists += [t.index for t in self.frame.tokens if t.norm in (",", "/", "(")]
        compared = any(m.kind == "compare" for m in self.frame.marks)
        return compared or all(any(a < i < b for i in lists) for a, b in pairwise(places))

    def _refuse_far_values(self) -> None:
        """A value of other rows of the same person, room or day, that no word of the question names.

        "Ablations with relapse" does not ask for ablations of people whose cardioversion relapsed.
        """
        named = {c.table for c in self.draft.context} | self.choice_tables
        named |= {d.target.table for d in self.draft.dimensions if d.target is not None}
        if self.draft.entity is not None:
            named.add(self.draft.entity.table)
        for filter_ in self.draft.filters:
            target = filter_.target
            if target is None or filter_.op == "exists" or target.table in named:
                continue
            steps = self.tree.get(target.table, [])
            up = next((i for i, s in enumerate(steps) if not s.expands), len(steps))
            if any(s.expands and s.source not in named for s in steps[up:]):
                raise Unresolved("far_value", filter_.literal or self._label(target.target))

    def _refuse_weak_joins(self) -> None:
        counted = any(m.shown for m in self.draft.measures) and not self.draft.dimensions
        if counted and any(f.role == "having" for f in self.draft.filters):
            raise Unresolved("unsupported_construct", self._label(self.base))
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
                if self._way_evidence(way) >= 9 and self._way_evidence(step) >= 9:
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
        own = [w for c in columns for w in c.words if not stems(w) & other and not is_generic(w)]
        said = sum(1.0 for w in own if stems(w) & self.question_stems)
        order = [c.column.name for c in view.columns.values()]
        place = min((order.index(c.column.name) for c in columns), default=0)
        return said * 10 - len(own) * 0.5 - place * 0.01
