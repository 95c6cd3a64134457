"""State of the walk and ways to look around."""

from __future__ import annotations

from collections.abc import Callable

from thoth.analyst.language.frame import Frame
from thoth.analyst.linking.mentions import Candidate, Mention
from thoth.analyst.linking.schema_view import ColumnView, SchemaView
from thoth.analyst.reading.draft import (
    DimensionDraft,
    Draft,
    SuperDraft,
)
from thoth.analyst.reading.items import Item, items_of
from thoth.analyst.reading.walk_parts.common import BREAKERS


class WalkState:
    """State of the walk and ways to look around."""

    def __init__(
        self, frame: Frame, schema: SchemaView, choice: list[tuple[Mention, Candidate]]
    ) -> None:
        self.frame = frame
        self.schema = schema
        self.choice = choice
        self.items = items_of(frame, choice)
        self.draft = Draft()
        self.answers: dict[str, str] = {}  # what the reviewer said to a doubt, by its code
        self._by_kind: dict[str, Callable[[Item], None]] = {}
        self.mode: str | None = "out"  # a question may begin with what it asks for
        self.pending_when: list[int] = []
        self.agg: str | None = None
        self.agg_text = ""
        self.also: list[str] = []
        self.literal: Item | None = None
        self.unit_asked: str | None = None
        self.stays: str | None = None
        self.ordering = False
        self.distinct = False
        self.neg = False
        self.conj: str | None = None
        self.last: Item | None = None
        self.last_role = ""
        self.direction: str | None = None
        self.comparison: tuple[str, list[str]] | None = None
        self.loose_number: int | None = None
        self.neg_exists: int | None = None
        self.after_verb = False
        self.ratio_side = ""
        self.compare = False
        self.note = False
        self.sup: SuperDraft | None = None
        self.skip_to = 0

    def _position(self, item: Item) -> int:
        return self.items.index(item)

    def _next(self, item: Item, skip: frozenset[str] = frozenset()) -> Item | None:
        """The item after, over plain stop words."""
        for other in self.items[self._position(item) + 1 :]:
            if (
                other.kind == "word"
                and other.norm not in BREAKERS
                and (other.start in self.frame.stop or other.norm in skip)
            ):
                continue
            return other
        return None

    def _before(self, item: Item) -> Item | None:
        position = self._position(item)
        return self.items[position - 1] if position else None

    def _view(self, candidate: Candidate) -> ColumnView | None:
        return self.schema.column(candidate.target) if candidate.column else None

    def _forget(self, item: Item) -> None:
        """Take back the role the last mention was given."""
        self.draft.context = [c for c in self.draft.context if c is not item.candidate]
        for index in range(len(self.draft.dimensions) - 1, -1, -1):
            if self.draft.dimensions[index].target is item.candidate:
                self.draft.dimensions.pop(index)
                self.draft.outputs = [o for o in self.draft.outputs if o != ("d", index)]
        self.draft.filters = [f for f in self.draft.filters if f.mention != item.mention]
        if self.draft.entity is item.candidate:
            self.draft.entity = None

    def _used(self, item: Item, role: str) -> None:
        if item.mention is not None:
            self.draft.used_mentions.add(item.mention)
        self.last, self.last_role = item, role
        if role not in ("context", "subject"):
            self.conj = None

    def _same_entity(self, candidate: Candidate) -> bool:
        return self.draft.entity is not None and self.draft.entity.target == candidate.target

    def _belongs(self, candidate: Candidate) -> bool:
        exists = self.draft.filters[self.neg_exists or 0].target
        return exists is not None and candidate.table == exists.table

    def _starts_side(self) -> bool:
        wanted = {"numerator": 1, "denominator": 2}.get(self.ratio_side, 0)
        return sum(m.label == "side" for m in self.draft.measures) < wanted

    def _continues(self, item: Item) -> bool:
        return self.last is not None and item.start - self.last.end <= 3

    def _period_follows(self, item: Item) -> bool:
        following = self._next(item)
        return following is not None and following.kind == "period"

    def _show(self, kind: str, index: int) -> None:
        if (kind, index) not in self.draft.outputs:
            self.draft.outputs.append((kind, index))

    def _leftovers(self) -> None:
        """A phrase that found nothing to act on is not to be dropped silently."""
        if self.mode == "agg" and self.agg and not self.note:
            self.draft.fail("unsupported_construct", self.agg)
        if self.neg and not self.note:
            self.draft.fail(
                "unsupported_construct", "non" if self.frame.language == "it" else "not"
            )
        if self.loose_number is not None:
            self.draft.fail("unexplained_number", str(self.loose_number))
        if self.unit_asked and not any(
            m.target is not None and m.target.kind == "formula" for m in self.draft.measures
        ):
            formulas = [
                d
                for d in self.draft.dimensions
                if d.target is not None and d.target.kind == "formula"
            ]
            if not formulas and not any(
                s.target is not None and s.target.kind == "formula" for s in self.draft.supers
            ):
                self.draft.fail("unsupported_construct", self.unit_asked)

    def _abandon(self) -> None:
        """An aggregate that met nothing it could be of must not be forgotten."""
        if self.mode == "agg" and self.agg and not self.note and self.agg != "percent":
            self.draft.fail("unsupported_construct", self.agg)

    # ---- what the layers above provide

    def _add_dimension(self, dimension: DimensionDraft) -> None:
        raise NotImplementedError

    def _list_goes_on(self, item: Item) -> bool:
        raise NotImplementedError
