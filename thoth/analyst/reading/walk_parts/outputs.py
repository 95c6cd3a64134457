"""What is shown and grouped by."""

from __future__ import annotations

from thoth.analyst.reading.draft import (
    DimensionDraft,
    OrderDraft,
)
from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.common import GRAIN_WORDS, GRAINS
from thoth.analyst.reading.walk_parts.conditions import Conditions


class Outputs(Conditions):
    """What is shown and grouped by."""

    def _add_dimension(self, dimension: DimensionDraft) -> None:
        if dimension.entity and dimension.target is not None:
            labels = [c.full for c in self.schema.tables[dimension.target.table].labels]
            named = [
                i
                for i, d in enumerate(self.draft.dimensions)
                if d.target is not None and d.target.target in labels
            ]
            if named and not self.draft.explicit_output:
                self._show("d", named[0])
                return
        for index, known in enumerate(self.draft.dimensions):
            same_target = (
                known.target is not None
                and dimension.target is not None
                and known.target.target == dimension.target.target
            )
            if same_target or (
                known.target is None and dimension.target is None and known.grain == dimension.grain
            ):
                self._show("d", index)
                return
        if self.draft.explicit_output and dimension.target is not None:
            covered = self._covered_by_entity(dimension)
            if covered is not None:
                self._show("d", covered)
                return
        self.draft.dimensions.append(dimension)
        self._show("d", len(self.draft.dimensions) - 1)

    def _covered_by_entity(self, dimension: DimensionDraft) -> int | None:
        """ "Return the name" after "which customers": the entity's own column replaces its label."""
        assert dimension.target is not None
        for index, known in enumerate(self.draft.dimensions):
            if (
                known.entity
                and known.target is not None
                and known.target.table == dimension.target.table
            ) and ("d", index) not in self.draft.outputs:
                self.draft.dimensions[index] = dimension
                return index
        return None

    def _list_goes_on(self, item: Item) -> bool:
        following = self._next(item)
        if following is None or (following.kind != "and" and following.norm != ","):
            return False
        after = self._next(following)
        if following.norm == "," and after is not None and after.kind == "and":
            after = self._next(after)
        return (
            after is not None
            and after.kind == "mention"
            and after.candidate is not None
            and after.candidate.kind in ("column", "table")
        )

    def _as_dimension(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        if (
            candidate.kind == "table"
            and self.draft.entity is not None
            and candidate.target == self.draft.entity.target
            and self.draft.measures
        ):
            self._used(item, "context")
            self.mode = None
            return
        self._add_dimension(
            DimensionDraft(candidate, entity=candidate.kind == "table", grouped=True)
        )
        self._used(item, "dim")
        self.mode = "group" if self._list_goes_on(item) else None

    def _as_output(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        if candidate.kind == "table":
            if self.draft.entity is None:
                self.draft.entity = candidate
            elif self.draft.explicit_output or candidate.target == self.draft.entity.target:
                if not any(
                    d.target is not None and d.target.table == candidate.table
                    for d in self.draft.dimensions
                ):
                    self._add_dimension(DimensionDraft(candidate, entity=True))
                self._used(item, "out")
                return
            self._add_dimension(DimensionDraft(candidate, entity=True))
        else:
            self._add_dimension(DimensionDraft(candidate))
        self._used(item, "out")
        following = self._next(item)
        if (
            following is not None
            and following.kind not in ("and", "word", "list")
            and following.norm != ","
        ):
            self.mode = None

    def _grain_word(self, item: Item) -> None:
        """ "which month", "by year", "in each month": a calendar part without a column of that name."""
        grain = GRAIN_WORDS[item.norm]
        self.draft.grains.add(grain)
        if self.mode in ("group", "out") or (self.draft.explicit_output and self.mode == "out"):
            self._add_dimension(DimensionDraft(None, grain=grain))
        elif self.mode == "order":
            self.draft.orders.append(
                OrderDraft(self.direction or "asc", dimension=self._grain_dimension(grain))
            )

    def _grain_dimension(self, grain: str) -> int:
        for index, dimension in enumerate(self.draft.dimensions):
            if dimension.grain == grain:
                return index
        return 0

    def _grain(self, item: Item) -> None:
        grain = GRAINS[item.kind]
        self.draft.grains.add(grain)
        if any(d.grain == grain for d in self.draft.dimensions):
            return
        self._add_dimension(DimensionDraft(None, grain=grain))
        if self.mode == "group":
            self.mode = None
