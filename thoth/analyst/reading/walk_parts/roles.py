"""Each mention gets the role that the phrases before it give."""

from __future__ import annotations

from thoth.analyst.reading.items import Item
from thoth.analyst.reading.walk_parts.clauses import Clauses


class Roles(Clauses):
    """Each mention gets the role that the phrases before it give."""

    def _mention(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        if candidate.kind in ("value", "flag"):
            self._value(item)
            return
        if self._literal_in(item):
            return
        comparison = (
            self._comparison_after(item) if candidate.kind in ("column", "formula") else None
        )
        if comparison and self._usable_comparison(item):
            self._number_filter(item, comparison[0], comparison[1])
            self.skip_to = comparison[2]
            self.mode = None if self.mode == "exist" else self.mode
            return
        starts_side = (
            self.ratio_side in ("numerator", "denominator")
            and self._starts_side()
            and candidate.kind == "table"
        )
        if not starts_side and self._names_next_value(item):
            self._used(item, "subject")
            if self.mode == "agg" and self.agg == "count":
                pass
            return
        if self._modifies_next(item):
            self._as_context(item)
            return
        role = self._role(item)
        getattr(self, f"_as_{role}")(item)

    def _modifies_next(self, item: Item) -> bool:
        """ "business category": in English the last noun is what is meant."""
        position = self._position(item)
        following = self.items[position + 1] if position + 1 < len(self.items) else None
        if (
            self.frame.language != "en"
            or following is None
            or following.candidate is None
            or item.candidate is None
        ):
            return False
        return (
            item.candidate.kind == "table"
            and following.candidate.kind == "table"
            and following.candidate.table != item.candidate.table
        )

    def _usable_comparison(self, item: Item) -> bool:
        assert item.candidate is not None
        view = self._view(item.candidate)
        if item.candidate.kind == "formula":
            return True
        return view is not None and (view.numeric or view.column.family == "time")

    def _names_next_value(self, item: Item) -> bool:
        """ "the city of New York", "New York city": the column only says what the value is."""
        assert item.candidate is not None
        if self.mode == "group" and self.last_role != "filter":
            neighbours = [self._next(item)]
        else:
            neighbours = [
                self._next(item, frozenset({"named", "called"})),
                self.last if self.last is not None and item.start - self.last.end <= 1 else None,
            ]
        following = neighbours[0]
        if following is not None and following.kind == "named":
            neighbours[0] = self._next(following)
        for other in neighbours:
            if other is None or other.candidate is None or other.candidate.kind != "value":
                continue
            same = (
                other.candidate.target == item.candidate.target
                if item.candidate.kind == "column"
                else other.candidate.table == item.candidate.table
            )
            if item.candidate.kind == "table" and (
                self.mode in ("agg", "out", "sup") or other is self.last
            ):
                continue
            if same and not self._listed(item, other):
                return True
        return False

    def _listed(self, item: Item, other: Item) -> bool:
        """Whether a comma or "and" stands between: then it is a list, not an apposition."""
        low, high = sorted((self._position(item), self._position(other)))
        return any(i.norm == "," or i.kind in ("and", "or") for i in self.items[low + 1 : high])

    def _role(self, item: Item) -> str:  # noqa: PLR0911 - one line a role
        candidate = item.candidate
        assert candidate is not None
        if self.mode == "agg" and self.agg:
            return "measure"
        if (
            self.ratio_side in ("numerator", "denominator", "whole")
            and self.mode is None
            and self._starts_side()
        ):
            return "measure"
        if (
            self.mode == "out"
            and self.last_role == "out"
            and self.conj is None
            and not self.draft.explicit_output
        ):
            self.mode = "exist" if self.neg else None
        if self.mode in ("sup", "group", "order", "out"):
            return {"sup": "super", "group": "dimension", "order": "order", "out": "output"}[
                self.mode
            ]
        if (
            self.conj in ("and", ",")
            and self.last_role in ("dim", "out", "measure")
            and self._continues(item)
        ):
            return {"dim": "dimension", "out": "output", "measure": "output"}[self.last_role]
        if self.mode == "exist" or self.neg:
            return "exists"
        return "context"
