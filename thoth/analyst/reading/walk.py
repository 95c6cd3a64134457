"""One walk over the items, left to right: each mention gets the role that the phrases give it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from thoth.analyst.language.frame import Frame
from thoth.analyst.linking.mentions import Candidate, Mention
from thoth.analyst.linking.schema_view import ColumnView, SchemaView
from thoth.analyst.linking.vocabulary import similarity
from thoth.analyst.reading.draft import (
    DimensionDraft,
    Draft,
    FilterDraft,
    MeasureDraft,
    OrderDraft,
    PeriodDraft,
    SuperDraft,
)
from thoth.analyst.reading.items import Item, items_of

AGGREGATES = frozenset({"sum", "avg", "min", "max", "median", "stddev"})
GRAINS = {"yearly": "year", "quarterly": "quarter", "monthly": "month", "weekly": "week", "daily": "day",
          "weekdayly": "weekday"}  # fmt: skip
GRAIN_WORDS = {"year": "year", "years": "year", "anno": "year", "anni": "year", "month": "month", "months": "month",
               "mese": "month", "mesi": "month", "quarter": "quarter", "quarters": "quarter", "trimestre": "quarter",
               "week": "week", "weeks": "week", "settimana": "week", "day": "day", "days": "day", "giorno": "day"}  # fmt: skip
MONEY_WORDS = frozenset(
    {
        "amount",
        "amounts",
        "revenue",
        "revenues",
        "value",
        "importo",
        "ricavo",
        "ricavi",
        "fatturato",
    }
)
MONEY_COLUMNS = frozenset(
    {
        "amount",
        "price",
        "cost",
        "revenue",
        "importo",
        "prezzo",
        "costo",
        "ricavo",
        "rimborso",
        "fee",
        "total",
    }
)
COMPARISONS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "=", "ne": "!="}
_UNITS = frozenset({"day", "days", "giorno", "giorni", "week", "weeks", "hours", "ore", "minutes", "minuti"})
_ARTICLES = frozenset({"il", "lo", "la", "i", "gli", "le", "l"})
_AFTER = {"ge_after": ">=", "le_after": "<="}
_COUNTING_SUPERS = ("frequent", "common", "comun", "numeros", "diffus", "popular")
_BREAKERS = frozenset({",", ";", ":", "?", ".", "(", ")"})


class Walker:
    """State of the walk. `draft` is complete after `run()`."""

    def __init__(
        self, frame: Frame, schema: SchemaView, choice: list[tuple[Mention, Candidate]]
    ) -> None:
        self.frame = frame
        self.schema = schema
        self.choice = choice
        self.items = items_of(frame, choice)
        self.draft = Draft()
        self.mode: str | None = "out"  # a question may begin with what it asks for
        self.pending_when: list[int] = []
        self.agg: str | None = None
        self.agg_text = ""
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
        self._handlers: dict[str, Callable[[Item], None]] = {
            "mention": self._mention, "number": self._number, "period": self._period, "word": self._word,
            "count": self._count, "with_number": self._count, "count_after": self._word, "percent": self._percent,
            "ratio": self._ratio, "rate": self._rate, "distinct": self._distinct, "group": self._group,
            "which": self._which, "list": self._list, "super_desc": self._super, "super_asc": self._super,
            "order": self._order, "desc": self._direction, "asc": self._direction, "neg": self._neg,
            "exclude": self._neg, "exist": self._exist, "or": self._conj, "and": self._conj,
            "versus": self._versus, "compare": self._compare, "trend": self._trend, "note": self._note,
            "out_of": self._out_of, "between": self._between, "combos": self._word, "named": self._word,
            "started": self._text_op, "ended": self._text_op, "contains": self._text_op,
            "ge_after": self._word, "le_after": self._word,
            "within": self._unsupported, "readmitted": self._readmitted, "again": self._unsupported,
            "diff": self._diff, "format": self._format, "weekend": self._part_of_week, "workday": self._part_of_week,
        }  # fmt: skip

    def run(self) -> Draft:
        for position, item in enumerate(self.items):
            if position < self.skip_to:
                continue
            self._new_sentence(position, item)
            if self.note:
                self.draft.ignored |= set(range(item.start, item.end))
                self.note = item.norm != ")"
                continue
            self._step(item)
        self._leftovers()
        return self.draft

    def _leftovers(self) -> None:
        """A phrase that found nothing to act on is not to be dropped silently."""
        if self.mode == "agg" and self.agg and not self.note:
            self.draft.fail("unsupported_construct", self.agg)
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

    def _step(self, item: Item) -> None:
        kind = item.kind
        if kind in AGGREGATES:
            self._aggregate(item)
        elif kind in GRAINS:
            self._grain(item)
        elif kind in COMPARISONS:
            self._compare_with(item)
        else:
            self._handlers[kind](item)

    def _new_sentence(self, position: int, item: Item) -> None:
        if position and self.items[position - 1].sentence != item.sentence:
            self._leftovers()
            self.mode, self.agg, self.neg, self.conj, self.note = None, None, False, None, False
            self.neg_exists, self.after_verb, self.sup, self.last = None, False, None, None

    # ---- looking around

    def _position(self, item: Item) -> int:
        return self.items.index(item)

    def _next(self, item: Item, skip: frozenset[str] = frozenset()) -> Item | None:
        """The item after, over plain stop words."""
        for other in self.items[self._position(item) + 1 :]:
            if (
                other.kind == "word"
                and other.norm not in _BREAKERS
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

    # ---- phrases

    def _word(self, item: Item) -> None:
        if self.frame.tokens[item.start].kind == "quoted" and item.start in self.frame.content:
            self.literal = item
            return
        if self.agg in AGGREGATES and self.mode in ("agg", "sup") and item.norm in MONEY_WORDS:
            self._money_word(item)
            return
        if item.norm in _BREAKERS:
            if item.norm == ",":
                self.conj = self.conj or ","
                if self.last_role not in ("dim", "out", "measure"):
                    self.neg, self.neg_exists = False, None
            return
        if self.mode == "agg" and self.agg == "count" and item.start in self.frame.content and item.norm not in GRAIN_WORDS:
            self.draft.fail("unexplained_words", item.norm)
        if item.norm in GRAIN_WORDS and item.start not in self.frame.content[:0]:
            self._grain_word(item)
            return
        if item.norm in ("of", "in", "from", "that", "for", "di", "dei", "delle", "del", "della", "nel", "nei", "nella",
                         "to", "at", "on", "da", "al", "a") and self.mode == "out" and self.last_role == "out":  # fmt: skip
            self.mode = None
        if (
            item.norm in ("their", "its", "loro", "relativa", "relativo")
            and self.mode is None
            and self.conj in ("and", ",")
        ):
            self.mode = "out"
        if item.norm in ("is", "are", "was", "were", "sono", "e", "ha", "hanno", "be"):
            self.after_verb = True
        if item.norm == "to" and self.ratio_side == "numerator":
            self._switch_side()

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

    def _count(self, item: Item) -> None:
        following = self._next(item)
        if following is not None and following.norm in _UNITS and item.norm != "how often":
            self.draft.grains.add(GRAIN_WORDS.get(following.norm, "day"))
            self.unit_asked = following.norm
            self.draft.ignored |= set(range(following.start, following.end))
            self.skip_to = self._position(following) + 1
            return
        self.mode, self.agg = (
            ("agg", "count")
            if self.agg not in ("percent", "ratio", "avg", "max", "min")
            else ("agg", self.agg)
        )

    def _percent(self, item: Item) -> None:
        self.mode, self.agg = "agg", "percent"

    def _rate(self, item: Item) -> None:
        before = self._before(item)
        if (
            before
            and before.mention is not None
            and before.candidate
            and before.candidate.kind == "column"
        ):
            return
        self.draft.fail("unsupported_construct", item.norm)

    def _ratio(self, item: Item) -> None:
        self.draft.ratio_agg = self.agg if self.agg in AGGREGATES else None
        self.mode, self.agg, self.ratio_side = None, None, "numerator"

    def _switch_side(self) -> None:
        self.ratio_side = "denominator"
        self.mode, self.agg, self.last = None, None, None

    def _out_of(self, item: Item) -> None:
        if self.ratio_side == "numerator":
            self.draft.whole = item.norm in ("out of", "over all")
            self._switch_side()
            if "number" in item.norm or "totale" in item.norm:
                self.mode, self.agg = "agg", "count"
            return
        if self.agg == "percent" or any(m.agg == "percent" for m in self.draft.measures):
            self.ratio_side = "whole"
            self.mode, self.agg = None, None

    def _distinct(self, item: Item) -> None:
        if (
            self.last_role == "measure"
            and self.last is not None
            and self.last.end >= item.start - 1
            and self.draft.measures
        ):
            self.draft.measures[-1].distinct = True
        elif self.agg == "count":
            self.distinct = True
        else:
            self.draft.distinct = True

    def _aggregate(self, item: Item) -> None:
        kind = item.kind
        before = self.last
        if (
            before is not None
            and before.candidate
            and before.end == item.start
            and self.frame.language == "it"
        ):
            if self._postfix(kind, before):
                return
        if kind == "sum" and self.agg == "count":
            return
        self.agg_text = item.norm
        self.agg = kind if not (self.agg == "avg" and kind in ("sum",)) else self.agg
        self.mode = "agg"

    def _postfix(self, kind: str, before: Item) -> bool:
        """ "durata media": the noun came first."""
        candidate = before.candidate
        assert candidate is not None
        view = self._view(candidate)
        if candidate.kind != "formula" and (
            view is None or not view.numeric or kind == "sum" and self.last_role == "measure"
        ):
            return False
        self._forget(before)
        self._add_measure(MeasureDraft(kind, candidate), before)
        return True

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

    def _abandon(self, item: Item) -> None:
        """An aggregate that met nothing it could be of must not be forgotten."""
        if self.mode == "agg" and self.agg and not self.note and self.agg not in ("percent",):
            self.draft.fail("unsupported_construct", self.agg)

    def _group(self, item: Item) -> None:
        self._abandon(item)
        following = self._next(item)
        if self.ratio_side == "numerator" and item.norm == "per" and self.draft.measures:
            self._switch_side()
            return
        if self.sup is not None and not self.sup.used and item.norm in ("by", "per", "in terms of"):
            self.mode = "sup"
            return
        if (
            following is not None
            and following.kind in ("count", "avg", "sum", "percent")
            and item.norm in ("by", "per")
        ):
            self.mode = "sup" if self.sup else self.mode
            return
        if item.norm == "by" and self._agent(item):
            self.mode = None
            return
        self.mode, self.agg = "group", None
        following_token = self.frame.tokens[item.end].norm if item.end < len(self.frame.tokens) else ""
        article = self.frame.language == "it" and item.norm == "per" and following_token in _ARTICLES
        if article or item.norm in ("for all", "for", "of all", "in all"):
            self.mode = None

    def _agent(self, item: Item) -> bool:
        """ "taken by students": who did it, not a grouping."""
        before = self.frame.tokens[item.start - 1].norm if item.start else ""
        others = any(
            m.kind == "group" and m.text.split()[-1] in ("each", "every", "per")
            for m in self.frame.marks
        )
        participle = before.endswith("ed") or before in (
            "taken",
            "made",
            "written",
            "given",
            "done",
            "taught",
            "bought",
            "sold",
            "paid",
            "held",
        )
        return participle or others or not (self.draft.measures or self.sup)

    def _grain(self, item: Item) -> None:
        grain = GRAINS[item.kind]
        self.draft.grains.add(grain)
        if any(d.grain == grain for d in self.draft.dimensions):
            return
        self._add_dimension(DimensionDraft(None, grain=grain))
        if self.mode == "group":
            self.mode = None

    def _which(self, item: Item) -> None:
        before = self._before(item)
        relative = before is not None and before.kind == "mention"
        if relative:
            self.mode, self.after_verb, self.neg = None, True, False
            return
        self.mode = "out"

    def _list(self, item: Item) -> None:
        self._abandon(item)
        self.mode, self.agg = "out", None
        if item.sentence > 0 and item.norm.split()[0] not in (
            "along",
            "alongside",
            "also",
            "as",
            "including",
        ):
            first = next(i for i in self.items if i.sentence == item.sentence)
            if (
                first.start >= item.start - 2
                and item.norm.split()[0] not in ("show", "mostra", "mostrami")
                and (self.draft.measures or self.draft.dimensions or self.draft.entity)
            ):
                self.draft.explicit_output = True
                self.draft.outputs = []

    def _super(self, item: Item) -> None:
        direction = "desc" if item.kind == "super_desc" else "asc"
        assert item.mark is not None
        number = int(float(item.mark.number)) if item.mark.number else self.loose_number
        if (
            item.norm
            in ("last", "first", "the last", "the first", "prima", "primo", "ultimo", "ultima")
            and not number
        ):
            following = self._next(item)
            if (
                following is None
                or following.candidate is None
                or following.candidate.kind == "table"
            ):
                self.draft.fail("unsupported_construct", item.norm)
                return
        loose = self.loose_number is not None and not item.mark.number
        self.loose_number = None
        if self.mode == "order" or (self.draft.orders and self.draft.orders[-1].measure is None
                                    and self.draft.orders[-1].target is None and self.mode == "order"):  # fmt: skip
            self.direction = direction
            return
        if self.sup is not None and not self.sup.used and self.sup in self.draft.supers:
            loose = loose or (number is None and self.sup.number is not None)
            number = number if number is not None else self.sup.number
            self.draft.supers.remove(self.sup)
        self.sup = SuperDraft(direction, number, item.start, loose=loose)
        self.draft.supers.append(self.sup)
        if any(stem in item.norm for stem in _COUNTING_SUPERS):
            self._add_measure(MeasureDraft("count"), item)
            self.sup.used = True
            self.mode = None
            return
        self.mode = "sup"

    def _order(self, item: Item) -> None:
        self.ordering = True
        if self.sup is not None and not self.sup.used:
            self.mode = "sup"
            return
        self.mode, self.direction, self.agg = "order", None, None

    def _direction(self, item: Item) -> None:
        direction = item.kind
        if self.draft.orders:
            self.draft.orders[-1].direction = direction
        else:
            self.draft.orders.append(OrderDraft(direction))
        self.direction = direction
        if "best" in item.norm or "top" in item.norm or item.norm.startswith("starting"):
            self.mode = "order"

    def _neg(self, item: Item) -> None:
        self.neg = True
        if self.mode not in ("agg",):
            self.mode = "exist" if self.mode != "out" or self.last_role == "out" else self.mode

    def _exist(self, item: Item) -> None:
        if item.norm == "both" and self.mode == "out":
            return
        self.after_verb = True
        if self.mode == "out" and self.last_role != "out" and item.norm != "with":
            return
        if self.mode != "sup" or self.last_role == "super":
            self.mode = "exist"

    def _conj(self, item: Item) -> None:
        self.conj = item.kind
        following = self._next(item)
        if (
            self.ratio_side == "numerator"
            and item.kind == "and"
            and following is not None
            and self.frame.language == "it"
        ):
            self._switch_side()
        if (
            item.kind == "and"
            and self.last_role == "measure"
            and self.mode is None
            and following is not None
            and following.kind == "mention"
        ):
            self.mode = "out"

    def _versus(self, item: Item) -> None:
        self.compare, self.conj = True, "or"
        if self.ratio_side == "numerator":
            self._switch_side()
        self._compare_last()

    def _compare(self, item: Item) -> None:
        self.compare = True

    def _trend(self, item: Item) -> None:
        self.draft.trend = True

    def _note(self, item: Item) -> None:
        if self.agg and item.norm == "based on":  # "total revenue (based on sale price)"
            begin = max(
                (m.end for m in self.frame.marks if m.end <= item.start and m.kind in AGGREGATES),
                default=item.start,
            )
            self.draft.ignored |= set(range(begin, item.start))
            return
        self.note = True

    def _format(self, item: Item) -> None:
        return

    def _part_of_week(self, item: Item) -> None:
        """Weekends and working days, by the date or by a column of day names."""
        filter_ = FilterDraft(
            "weekend", None, negated=item.kind == "workday" or self.neg, position=item.start
        )
        self._add_filter(filter_, item)
        self.neg = False

    def _unsupported(self, item: Item) -> None:
        self.draft.fail("unsupported_construct", item.norm)

    def _readmitted(self, item: Item) -> None:
        """Rows of one person that follow one another within some time."""
        rest = self.items[self._position(item) + 1 : self._position(item) + 5]
        within = next((i for i in rest if i.kind == "within" and i.mark and i.mark.number), None)
        table = self._stays()
        if within is None or table is None or within.mark is None:
            self.draft.fail("unsupported_construct", item.norm)
            return
        unit = next((GRAIN_WORDS[w] for w in within.norm.split() if w in GRAIN_WORDS), "day")
        noun = item.norm.endswith(("ione", "ioni", "ion", "ions"))
        filter_ = FilterDraft("preceded_within" if noun and self.agg is None and self.after_verb else "followed_within",
                              Candidate("table", table, score=1.0), amount=int(float(within.mark.number or 0)), unit=unit, position=item.start)  # fmt: skip
        if self.mode == "agg" and self.agg == "percent":
            self.draft.measures.append(MeasureDraft("percent", Candidate("table", table, score=1.0)))
            self.draft.outputs.append(("m", len(self.draft.measures) - 1))
            self.draft.measures[-1].when.append(len(self.draft.filters))
            self.draft.filters.append(filter_)
            self.agg, self.mode = None, None
        else:
            self._add_filter(filter_, item)
        self.stays = table
        self.skip_to = self._position(within) + 1

    def _stays(self) -> str | None:
        """The table of stays: the one with a date of admission and one of discharge."""
        for view in self.schema.tables.values():
            words = [w for c in view.dates for w in c.words]
            if any(similarity("discharge", w) for w in words) and len(view.dates) > 1:
                return view.full
        return None

    def _diff(self, item: Item) -> None:
        """ "the time between A and B": a calculated concept of two columns of one table."""
        rest = self.items[self._position(item) + 1 : self._position(item) + 10]
        ends = [i for i in rest if i.kind == "mention"][:2]
        if len(ends) == 2 and all(i.candidate is not None for i in ends):
            formula = self._difference(ends[0], ends[1])
            if formula is not None:
                both = Item(
                    item.start,
                    ends[1].end,
                    item.norm,
                    item.sentence,
                    mention=ends[0].mention,
                    candidate=formula,
                )
                self.skip_to = self._position(ends[1]) + 1
                self._place_formula(both)
                return
        self.draft.fail("unsupported_construct", item.norm)

    def _difference(self, first: Item, second: Item) -> Candidate | None:
        columns = [self._moment(first), self._moment(second)]
        if (
            columns[0] is None
            or columns[1] is None
            or columns[0].table != columns[1].table
            or columns[0].full == columns[1].full
        ):
            return None
        start, end = columns[0], columns[1]
        if start.column.family != end.column.family:
            return None
        name = f"{' '.join(end.words)} - {' '.join(start.words)}"
        return Candidate(
            "formula",
            start.table,
            value=name,
            formula=f"{end.full} - {start.full}",
            score=1.0,
            how="synonym",
        )

    def _moment(self, item: Item) -> ColumnView | None:
        """The date a mention stands for: a date column, or the main date of a table."""
        assert item.candidate is not None
        view = self._view(item.candidate)
        if view is not None and (view.is_date or view.numeric) and not view.is_key_like:
            return view
        if item.candidate.kind == "table":
            dates = self.schema.tables[item.candidate.table].dates
            return dates[0] if dates else None
        return None

    def _place_formula(self, item: Item) -> None:
        if self.sup is not None and not self.sup.used:
            self._as_super(item)
        else:
            self.agg = self.agg if self.agg not in (None, "count") else None
            if self.agg:
                self._as_measure(item)
            else:
                self._as_output(item)

    # ---- comparisons

    def _compare_with(self, item: Item) -> None:
        """ "more than 5 visits", "rating above 4" whose subject comes later or came before."""
        op = COMPARISONS[item.kind]
        position = self._position(item)
        number = self._next(item)
        if number is None or number.kind != "number":
            if (
                op == ">=" and number is not None and number.kind == "mention"
            ):  # "at least one" -> exists
                self.mode = "exist"
                return
            self.draft.fail("unsupported_construct", item.norm)
            return
        value = number.number.value if number.number else ""
        after = self.items[self._position(number) + 1 : self._position(number) + 4]
        subject = next(
            (i for i in after if i.kind not in ("word", "sum", "distinct") or i.norm in _BREAKERS),
            None,
        )
        self.skip_to = self._position(number) + 1
        if subject is not None and subject.kind == "mention" and subject.candidate is not None:
            if self._count_having(subject, op, value) or self._number_filter(subject, op, [value]):
                self.skip_to = self._position(subject) + 1
                return
        if (
            self.last is not None
            and self.last.candidate is not None
            and position - self._position(self.last) <= 3
        ):
            self._forget(self.last)
            if self._number_filter(self.last, op, [value]):
                return
        self.draft.fail("unexplained_number", item.norm, value)

    def _count_having(self, subject: Item, op: str, value: str) -> bool:
        candidate = subject.candidate
        assert candidate is not None
        if candidate.kind != "table":
            return False
        if self.draft.entity is not None and self.draft.entity.target == candidate.target:
            candidate_target = None
        else:
            candidate_target = candidate
        if value == "1" and op == ">=" and not self.draft.dimensions:
            self._add_exists(subject)
            return True
        measure = MeasureDraft("count", candidate_target, shown=False)
        self.draft.measures.append(measure)
        self.draft.filters.append(FilterDraft(op, None, [value], "number", role="having",
                                              measure=len(self.draft.measures) - 1, position=subject.start))  # fmt: skip
        self._used(subject, "having")
        return True

    def _number_filter(self, subject: Item, op: str, values: list[str]) -> bool:
        candidate = subject.candidate
        assert candidate is not None
        view = self._view(candidate)
        if candidate.kind != "formula" and (
            view is None or not (view.numeric or view.column.family == "time")
        ):
            return False
        self._add_filter(
            FilterDraft(
                op,
                candidate,
                values,
                "number",
                self.neg,
                position=subject.start,
                mention=subject.mention or -1,
            ),
            subject,
        )
        return True

    def _comparison_after(self, item: Item) -> tuple[str, list[str], int] | None:
        """(operator, values, items used) when a comparison follows the mention."""
        position = self._position(item)
        index = position + 1
        skippable = {
            "of",
            "is",
            "are",
            "was",
            "were",
            "di",
            "e",
            "that",
            "a",
            "score",
            "scores",
            "the",
            "che",
            "pari",
        }
        while (
            index < len(self.items)
            and (self.items[index].norm in skippable or self.items[index].kind == "exist")
            and index - position < 3
        ):
            index += 1
        if index >= len(self.items):
            return None
        kind = self.items[index].kind
        rest = self.items[index + 1 : index + 5]
        if kind == "between":
            numbers = [i for i in rest if i.kind == "number"]
            if len(numbers) >= 2:
                return (
                    "between",
                    [n.number.value for n in numbers[:2] if n.number],
                    self._position(numbers[1]) + 1,
                )
        if kind in COMPARISONS and rest and rest[0].kind == "number" and rest[0].number:
            return COMPARISONS[kind], [rest[0].number.value], index + 2
        if kind == "number" and self.items[index].number and index - position <= 2:
            return self._bare_number(index)
        return None

    def _bare_number(self, index: int) -> tuple[str, list[str], int] | None:
        number = self.items[index].number
        assert number is not None
        following = self.items[index + 1] if index + 1 < len(self.items) else None
        if following is not None and following.kind in _AFTER:
            return _AFTER[following.kind], [number.value], index + 2
        values = [number.value]
        used = index + 1
        while (
            used + 1 < len(self.items)
            and self.items[used].kind in ("or", "and")
            and self.items[used + 1].kind == "number"
        ):
            other = self.items[used + 1].number
            values.append(other.value if other else "")
            used += 2
        return ("in" if len(values) > 1 else "="), values, used

    def _between(self, item: Item) -> None:
        return

    def _text_op(self, item: Item) -> None:
        """ "whose name starts with J": the literal is the next token."""
        following = self.items[self._position(item) + 1 : self._position(item) + 5]
        literal = next(
            (
                i
                for i in following
                if i.kind in ("word", "mention")
                and (
                    self.frame.tokens[i.start].kind == "quoted"
                    or i.norm not in ("the", "letter", "a", "la", "lettera", "with")
                )
            ),
            None,
        )  # noqa: E501
        op = {"started": "starts_with", "ended": "ends_with", "contains": "contains"}[item.kind]
        target = self.last.candidate if self.last is not None else None
        view = self._view(target) if target else None
        if literal is None or view is None or view.column.family != "text" or self.last is None:
            self.draft.fail("unsupported_construct", item.norm)
            return
        assert target is not None
        if self.last_role != "filter":
            self._forget(self.last)
        text = self.frame.words(literal.start, literal.end).strip("'\"`“”«»")
        self._add_filter(
            FilterDraft(
                op,
                target,
                [text],
                "text",
                self.neg,
                literal=text,
                position=item.start,
                mention=_place(self.last),
            ),
            self.last,
        )
        if literal.mention is not None:
            self.draft.used_mentions.add(literal.mention)
        self.draft.ignored |= set(range(item.end, literal.end))
        self.skip_to = self._position(literal) + 1

    # ---- numbers and periods

    def _number(self, item: Item) -> None:
        assert item.number is not None
        following = self._next(item)
        before = self._before(item)
        if (
            following is not None
            and following.kind in ("super_desc", "super_asc", "mention", "distinct")
            and "." not in item.number.value
        ):
            count = int(item.number.value)
            if self.sup is not None and self.sup.number is None and not self.sup.used:
                self.sup.number = count
            else:
                self.loose_number = count
            return
        if before is not None and before.kind in ("gt", "lt", "ge", "le"):
            return
        if following is not None and following.kind == "sum" and item.number.value == "2" and self.compare:
            self.skip_to = self._position(following) + 1
            return
        self.draft.fail("unexplained_number", item.norm)

    def _period(self, item: Item) -> None:
        assert item.period is not None
        subject = None
        if (
            self.last is not None
            and self.last.candidate is not None
            and item.start - self.last.end <= 2
        ):
            view = self._view(self.last.candidate)
            if view is not None and view.is_date and self.last.candidate.kind == "column":
                subject = self.last.candidate
                self._forget(self.last)
        self.draft.periods.append(PeriodDraft(item.period, subject, item.start))
        self.last_role = "period"

    # ---- mentions

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
        if comparison and self._usable_comparison(item, comparison):
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

    def _literal_in(self, item: Item) -> bool:
        """ "'M5' in its VIN number": the quoted text is part of the column's value."""
        if self.literal is None or item.candidate is None:
            return False
        view = self._view(item.candidate)
        if view is None or view.column.family != "text" or item.start - self.literal.end > 4:
            return False
        text = self.frame.words(self.literal.start, self.literal.end).strip("'\"`“”«»")
        self.draft.ignored.add(self.literal.start)
        self._add_filter(
            FilterDraft(
                "contains",
                item.candidate,
                [text],
                "text",
                self.neg,
                literal=text,
                position=item.start,
                mention=_place(item),
            ),
            item,
        )
        self.literal, self.mode = None, None
        return True

    def _usable_comparison(self, item: Item, comparison: tuple[str, list[str], int]) -> bool:
        assert item.candidate is not None
        view = self._view(item.candidate)
        if item.candidate.kind == "formula":
            return True
        return view is not None and (view.numeric or view.column.family == "time")

    def _names_next_value(self, item: Item) -> bool:
        """ "the city of New York", "New York city": the column only says what the value is."""
        assert item.candidate is not None
        if self.mode in ("group",) and self.last_role != "filter":
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

    def _role(self, item: Item) -> str:
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

    def _starts_side(self) -> bool:
        wanted = {"numerator": 1, "denominator": 2}.get(self.ratio_side, 0)
        return sum(m.label == "side" for m in self.draft.measures) < wanted

    def _continues(self, item: Item) -> bool:
        return self.last is not None and item.start - self.last.end <= 3

    def _as_measure(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        agg, self.agg, distinct = self.agg or "count", None, self.distinct
        self.mode, self.distinct = None, False
        view = self._view(candidate)
        side = self.ratio_side in ("numerator", "denominator") and self._starts_side()
        if (
            self.ratio_side
            and self.agg is None
            and agg == "count"
            and view is not None
            and view.numeric
            and not view.is_key_like
        ):
            agg = "value" if side else agg
        if candidate.kind == "table" and agg == "sum":
            money = self._money(candidate.table)
            following = self._next(item)
            if following is not None and following.kind == "count_after" or not money:
                agg = "count"
            elif (
                "amount" in self.agg_text or following is not None and following.norm in MONEY_WORDS
            ):
                if len(money) > 1:
                    self.draft.fail("ambiguous_amount", *(c.column.name for c in money))
                candidate = Candidate(
                    "column", candidate.table, money[0].column.name, score=candidate.score
                )
                if following is not None and following.norm in MONEY_WORDS:
                    self.draft.ignored.add(following.start)
            else:
                self.draft.fail("ambiguous_total", item.norm, *(c.column.name for c in money))
        if candidate.kind == "table" and agg in ("avg", "min", "max", "median", "stddev"):
            self.agg, self.mode = (
                agg,
                "agg",
            )  # "the average of sales by amount": the column comes later
            self.draft.context.append(candidate)
            self._used(item, "context")
            return
        if agg == "count" and view is not None and view.numeric and not view.is_key_like:
            if view.counts or candidate.how == "comment":
                agg = "sum"
            else:
                candidate = Candidate("table", candidate.table, score=candidate.score)
                self.draft.penalty += 0.5
        if agg in ("count", "percent", "ratio") and view is not None and view.is_date:
            candidate = Candidate("table", candidate.table, score=candidate.score)
        if agg in ("sum", "avg", "median", "stddev") and view is not None and not view.numeric:
            self.draft.fail("not_a_number", item.norm)
        measure = MeasureDraft(agg, candidate, distinct, label="side" if side else "")
        self._add_measure(measure, item)

    def _money_word(self, item: Item) -> None:
        """ "total revenue": the one column of money among the tables the question speaks of."""
        tables = list(dict.fromkeys(c.table for _, c in self.choice if c.table))
        columns = [
            c for t in tables for c in self._money(t) if not set(c.words) & {"cost", "costo"}
        ]
        known = next((m for m in self.draft.measures if m.label == item.norm), None)
        if len(columns) != 1 and known is None:
            self.draft.fail("ambiguous_amount", item.norm, *(c.column.name for c in columns))
            return
        target = (
            known.target
            if known is not None
            else Candidate("column", columns[0].table, columns[0].column.name, score=0.6)
        )
        agg, self.agg, self.mode = self.agg or "sum", None, None
        self.draft.ignored.add(item.start)
        self._add_measure(MeasureDraft(agg, target), item)

    def _money(self, table: str) -> list[ColumnView]:
        """The columns of a table that are amounts of money."""
        return [
            c
            for c in self.schema.tables[table].columns.values()
            if c.numeric and set(c.words) & MONEY_COLUMNS
        ]

    def _add_measure(self, measure: MeasureDraft, item: Item) -> None:
        known = next(
            (
                i
                for i, m in enumerate(self.draft.measures)
                if m.same(measure) and not self.ratio_side
            ),
            None,
        )
        waiting = next((i for i, m in enumerate(self.draft.measures) if m.agg == "count" and m.target is None), None)
        if known is None and waiting is not None and measure.agg == "count" and measure.target is not None and measure.target.kind == "table":
            self.draft.measures[waiting].target = measure.target
            known = waiting
        if known is None and self.draft.explicit_output and measure.agg == "count":
            known = next(
                (
                    i
                    for i, m in enumerate(self.draft.measures)
                    if m.agg == "count" and _same_rows(m, measure, self.draft)
                ),
                None,
            )
        if known is None:
            self.draft.measures.append(measure)
            known = len(self.draft.measures) - 1
            if measure.label == "side":
                measure.when += self.pending_when
                self.pending_when = []
        if (
            measure.agg == "count"
            and self.draft.entity is None
            and measure.target is not None
            and not self.draft.dimensions
        ):
            self.draft.entity = measure.target
        self.draft.measures[known].shown = True
        if self.sup is not None and not self.sup.used:
            self.sup.measure, self.sup.used = known, True
        if self.mode == "order" or self.ordering:
            self.ordering = False
            self.draft.orders.append(OrderDraft(self.direction or "asc", measure=known))
        elif ("m", known) not in self.draft.outputs:
            self.draft.outputs.append(("m", known))
        self._used(item, "measure")

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
        self._add_dimension(DimensionDraft(candidate, entity=candidate.kind == "table"))
        self._used(item, "dim")
        self.mode = "group" if self._list_goes_on(item) else None

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

    def _add_dimension(self, dimension: DimensionDraft) -> None:
        if dimension.entity and dimension.target is not None:
            labels = [c.full for c in self.schema.tables[dimension.target.table].labels]
            known = [
                i
                for i, d in enumerate(self.draft.dimensions)
                if d.target is not None and d.target.target in labels
            ]
            if known and not self.draft.explicit_output:
                self._show("d", known[0])
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
            ):
                if ("d", index) not in self.draft.outputs:
                    self.draft.dimensions[index] = dimension
                    return index
        return None

    def _show(self, kind: str, index: int) -> None:
        if (kind, index) not in self.draft.outputs:
            self.draft.outputs.append((kind, index))

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

    def _as_super(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None and self.sup is not None
        view = self._view(candidate)
        ordered = (
            view is not None
            and (view.numeric or view.is_date or view.column.family == "time")
            and not view.is_key_like
            or candidate.kind == "formula"
        )
        if ordered:
            self.sup.target, self.sup.used = candidate, True
            self.mode = None
            self._used(item, "super")
            return
        asked_already = bool(self.draft.dimensions or self.draft.entity)
        if (
            candidate.kind == "table"
            and (asked_already or self.last_role in ("out", "dim"))
            and (self.sup.number is None or self.sup.loose)
            and not self._same_entity(candidate)
        ):
            self._add_measure(MeasureDraft("count", candidate, shown=False), item)
            self.sup.used = True
            self.mode = None
            return
        if (
            candidate.kind == "table"
            and self.last_role == "out"
            and self.conj is None
            and self.draft.entity is not None
        ):
            self._as_context(item)
            return
        self._as_output(item)
        self.mode = "sup"

    def _same_entity(self, candidate: Candidate) -> bool:
        return self.draft.entity is not None and self.draft.entity.target == candidate.target

    def _as_order(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        if self.agg:
            self._as_measure(item)
            return
        self.draft.orders.append(OrderDraft(self.direction or "asc", target=candidate))
        self._used(item, "order")
        self.mode = "order" if self._list_goes_on(item) else None

    def _as_exists(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        view = self._view(candidate)
        if candidate.kind == "table":
            if self.neg or not self._same_entity(candidate):
                self._add_exists(item)
            else:
                self.draft.context.append(candidate)
                self._used(item, "context")
            return
        if view is not None and view.is_date and not self.neg and self._period_follows(item):
            self._as_context(item)
            return
        if view is not None and view.numeric and not view.is_key_like:
            if set(view.words) & MONEY_COLUMNS or view.column.family != "integer":
                self.draft.fail("unplaced_words", item.norm)
            self._add_filter(
                FilterDraft(
                    "=" if self.neg else ">",
                    candidate,
                    ["0"],
                    "number",
                    position=item.start,
                    mention=_place(item),
                ),
                item,
            )
            self.neg = False
            return
        none = self._none_code(view) if view is not None else None
        if view is not None and none is not None:
            self._some(item, candidate, none)
            return
        if view is not None:
            op = FilterDraft(
                "is_null",
                candidate,
                negated=not self.neg,
                position=item.start,
                mention=_place(item),
            )
            self._add_filter(op, item)
            self.neg = False

    @staticmethod
    def _none_code(view: ColumnView) -> str | None:
        """The code by which a column says that there is none (`N = nessuna`)."""
        words = {"nessuna", "nessuno", "none", "no", "assente", "absent"}
        return next((c.value for c in view.codes if set(c.words) & words and len(c.words) <= 2), None)

    def _some(self, item: Item, candidate: Candidate, none: str) -> None:
        """"with complications": any code but the one for none; unknown rows are no part of a share."""
        target = Candidate("value", candidate.table, candidate.column, none, score=candidate.score, how="code", method="comment")
        literal = self.frame.words(item.start, item.end)
        op = "=" if self.neg else "!="
        self._add_filter(FilterDraft(op, target, [none], "text", literal=literal, position=item.start, mention=_place(item)), item)
        if any(m.agg == "percent" for m in self.draft.measures):
            known = Candidate("column", candidate.table, candidate.column, score=1.0)
            self.draft.filters.append(FilterDraft("is_null", known, negated=True, position=item.start))
        self.neg = False

    def _period_follows(self, item: Item) -> bool:
        following = self._next(item)
        return following is not None and following.kind == "period"

    def _add_exists(self, item: Item) -> None:
        self.draft.filters.append(FilterDraft("exists", item.candidate, negated=self.neg, position=item.start, mention=_place(item),
                                              any_of=self._or_group()))  # fmt: skip
        if self.neg:
            self.neg_exists = len(self.draft.filters) - 1
        self.neg = False
        self._used(item, "filter")
        if not self._list_goes_on(item):
            self.mode = None

    def _as_context(self, item: Item) -> None:
        assert item.candidate is not None
        if self.stays is not None and item.candidate.table == self.stays:
            self._used(item, "subject")
            return
        self.draft.context.append(item.candidate)
        self._used(item, "context")

    def _value(self, item: Item) -> None:
        candidate = item.candidate
        assert candidate is not None
        negated = self.neg
        if item.norm.startswith("non-"):
            negated = not negated
        literal = self.frame.words(item.start, item.end).strip("'\"`“”«»")
        kind = "boolean" if candidate.kind == "flag" else "text"
        op = candidate.op if candidate.kind == "flag" else "="
        filter_ = FilterDraft(
            op,
            candidate,
            [candidate.value or ""] if kind == "text" else [],
            kind,
            negated,
            literal,
            position=item.start,
            mention=_place(item),
        )
        if self.neg_exists is not None and self._belongs(candidate):
            filter_.within, filter_.negated = self.neg_exists, False
        if self.mode == "agg" and self.agg in ("count", "percent") and not self.draft.measures:
            position = self._position(item)
            following = self.items[position + 1] if position + 1 < len(self.items) else None
            names_rows = (
                following is not None
                and following.kind == "mention"
                and following.candidate is not None
                and following.candidate.kind in ("table", "column")
            )
            if not names_rows:
                self.draft.entity = Candidate("table", candidate.table, score=candidate.score)
                self.draft.measures.append(
                    MeasureDraft(
                        self.agg,
                        self.draft.entity,
                        self.distinct,
                        label="side" if self.ratio_side else "",
                    )
                )
                self.draft.outputs.append(("m", len(self.draft.measures) - 1))
                self.agg, self.mode, self.distinct = None, None, False
        if self.mode == "group" and candidate.kind == "flag" and candidate.how == "name":
            self._add_dimension(DimensionDraft(replace(candidate, kind="column")))
            self._used(item, "dim")
            self.mode = None
            return
        if self.mode in ("group", "exist"):
            self.mode = None
        if self.mode == "out" and self.draft.outputs:
            self.mode = None
        self._add_filter(filter_, item)
        if self.compare:
            self._compare_last()
        self.neg = False

    def _belongs(self, candidate: Candidate) -> bool:
        exists = self.draft.filters[self.neg_exists or 0].target
        return exists is not None and candidate.table == exists.table

    def _compare_last(self) -> None:
        """In a comparison the compared values are the groups."""
        values = [f for f in self.draft.filters if f.kind == "text" and f.target is not None]
        for filter_ in values:
            same = [
                f
                for f in values
                if f.target is not None
                and filter_.target is not None
                and f.target.target == filter_.target.target
            ]
            if len(same) > 1 and filter_.target is not None:
                target = Candidate("column", filter_.target.table, filter_.target.column, score=1.0)
                if not any(
                    d.target is not None and d.target.target == target.target
                    for d in self.draft.dimensions
                ):
                    self.draft.dimensions.append(DimensionDraft(target))
                    self.draft.outputs.insert(0, ("d", len(self.draft.dimensions) - 1))

    def _or_group(self) -> str | None:
        if self.conj != "or" or not self.draft.filters:
            return None
        previous = self.draft.filters[-1]
        previous.any_of = previous.any_of or f"g{len(self.draft.filters)}"
        return previous.any_of

    def _add_filter(self, filter_: FilterDraft, item: Item) -> None:
        if filter_.any_of is None and self.last_role in (
            "filter",
            "subject",
            "measure",
            "context",
            "out",
            "exists",
            "period",
        ):
            filter_.any_of = self._or_group()
        if self.ratio_side in ("numerator", "denominator") and self._starts_side():
            self.pending_when.append(len(self.draft.filters))
        elif (
            self.ratio_side in ("numerator", "denominator")
            and self.draft.measures
            and self.draft.measures[-1].label == "side"
        ):
            self.draft.measures[-1].when.append(len(self.draft.filters))
        elif (
            any(m.agg == "percent" for m in self.draft.measures)
            and self.ratio_side != "whole"
            and self.after_verb
        ):
            next(m for m in self.draft.measures if m.agg == "percent").when.append(
                len(self.draft.filters)
            )
        self.draft.filters.append(filter_)
        self._used(item, "filter")

    def _used(self, item: Item, role: str) -> None:
        if item.mention is not None:
            self.draft.used_mentions.add(item.mention)
        self.last, self.last_role = item, role
        if role not in ("context", "subject"):
            self.conj = None


def _place(item: Item) -> int:
    """The index of the item's mention, -1 when it is none."""
    return -1 if item.mention is None else item.mention


def _same_rows(known: MeasureDraft, new: MeasureDraft, draft: Draft) -> bool:
    entity = draft.entity.target if draft.entity else None
    one = known.target.target if known.target else entity
    other = new.target.target if new.target else entity
    return one == other
