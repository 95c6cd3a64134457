"""The candidate tables as the analyst sees them: words, codes, keys, dates, labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from thoth.analyst.language.tokens import fold, same, stems
from thoth.analyst.linking.naming import column_words, glued_prefix, schema_prefix, table_words
from thoth.contracts.schema import Column, Table
from thoth.contracts.tools import ColumnSample, SchemaSlice

_WORD = re.compile(r"[^\W_]+")
_NUMERIC = frozenset({"integer", "decimal"})
_DATES = frozenset({"date", "timestamp"})
_LABELS = (
    "name",
    "nome",
    "title",
    "titolo",
    "descrizione",
    "description",
    "label",
    "symbol",
    "nominativo",
)
_COUNTED = re.compile(
    r"^(?:the )?(?:total |maximum |minimum )?(?:number|numero|count)(?: totale)? (?:of|di|dei|delle|degli) "
)
_TECHNICAL = frozenset({"crtd", "created", "updated", "inserted", "modified", "load", "etl"})


@dataclass(frozen=True)
class Code:
    """`value` of a column, as its comment explains it (`E = elettrica (CVE)`)."""

    value: str
    words: tuple[str, ...]  # of the meaning
    aliases: tuple[tuple[str, ...], ...]  # of the explanations in parentheses


@dataclass(frozen=True)
class ColumnView:
    table: str
    column: Column
    words: tuple[str, ...]
    sample: ColumnSample | None

    @property
    def full(self) -> str:
        return f"{self.table}.{self.column.name}"

    @property
    def numeric(self) -> bool:
        return self.column.family in _NUMERIC

    @property
    def is_date(self) -> bool:
        return self.column.family in _DATES

    @property
    def boolean(self) -> bool:
        return self.column.family == "boolean"

    @property
    def is_key_like(self) -> bool:
        if {"id", "key", "code", "codice"} & set(self.words) or self.column.name.endswith("_id"):
            return True
        return len(self.words) > 1 and self.words[-1] in ("number", "num", "no", "numero")

    @cached_property
    def comment_stems(self) -> frozenset[str]:
        return comment_stems(self.column.comment)

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        return tuple(
            read_codes(self.column.comment, self.sample, integer=self.column.family == "integer")
        )

    @property
    def counts(self) -> bool:
        """Whether the column itself is a number of things."""
        return bool({"num", "number", "count", "total", "numero", "n"} & set(self.words)) or bool(
            _COUNTED.match(fold(self.column.comment))
        )

    @property
    def technical(self) -> bool:
        return bool(_TECHNICAL & set(self.words))


@dataclass(frozen=True)
class TableView:
    table: Table
    words: tuple[str, ...]
    columns: dict[str, ColumnView] = field(default_factory=dict)

    @property
    def full(self) -> str:
        return self.table.full_name

    @cached_property
    def comment_stems(self) -> frozenset[str]:
        return comment_stems(self.table.comment)

    @cached_property
    def labels(self) -> tuple[ColumnView, ...]:
        """The columns a person names a row by: a name, else a title, else first and last name."""
        texts = [
            c for c in self.columns.values() if c.column.family == "text" and not c.column.hidden
        ]
        own = set(self.words) | {stem for word in self.words for stem in stems(word)}
        for label in _LABELS:
            for column in texts:
                rest = [
                    w for w in column.words if w != label and w not in own and not own & stems(w)
                ]
                if label in column.words and not rest and not column.column.identifying:
                    return (column,)
        names = [
            c
            for c in texts
            if c.words in (("first", "name"), ("last", "name"), ("firstname",), ("lastname",))
        ]
        if len(names) == 2:
            return tuple(names)
        return ()

    @cached_property
    def key(self) -> ColumnView | None:
        """The single column that identifies a row: declared, else named after the table."""
        if len(self.table.primary_key) == 1:
            return self.columns.get(self.table.primary_key[0])
        if self.table.primary_key:
            return None
        for unique in self.table.unique_keys:
            if len(unique) == 1 and unique[0] in self.columns:
                return self.columns[unique[0]]
        named = [c for c in self.columns.values() if self._names_self(c)]
        keyed = [c for c in named if c.is_key_like]
        said = [c for c in self.columns.values() if self._said_unique(c)]
        keyed = keyed or said
        distinct = [c for c in self.columns.values() if self.is_distinct(c) and c.is_key_like]
        found = keyed or named or distinct[:1]
        return found[0] if found else None

    def _said_unique(self, column: ColumnView) -> bool:
        """Whether the comment calls the column the identifier of this table's rows."""
        words = _WORD.findall(fold(column.column.comment))[:7]
        unique = {"unique", "unico", "univoco", "identificativo"} & set(words)
        return (
            bool(unique)
            and any(same(w, own) for w in words[2:] for own in self.words[-1:])
            and column.column.family in ("integer", "text")
        )

    def _names_self(self, column: ColumnView) -> bool:
        """`course_id` in `course`, `state_name` in `state`, or a bare `id`."""
        forms = {"id", "key", "code", "name"} & set(column.words)
        rest = [w for w in column.words if w not in ("id", "key", "code", "name")]
        if not forms or column.column.family not in ("integer", "text"):
            return False
        if not rest:
            return bool(forms & {"id", "key"})
        return len(rest) == len(self.words) and all(
            same(a, b) for a, b in zip(rest, self.words, strict=True)
        )

    def is_distinct(self, column: ColumnView) -> bool:
        """Whether the column is known to hold a value of its own in every row."""
        sample, rows = column.sample, self.table.row_estimate
        return sample is not None and sample.distinct is not None and 0 < rows <= sample.distinct

    @cached_property
    def dates(self) -> tuple[ColumnView, ...]:
        """Date columns, those that are about the business before technical timestamps."""
        found = [c for c in self.columns.values() if c.is_date and not c.column.hidden]
        return tuple(sorted(found, key=lambda c: c.technical))


class SchemaView:
    """All candidate tables; immutable once built."""

    def __init__(self, slices: list[SchemaSlice]) -> None:
        tables = {t.full_name: t for part in slices for t in part.tables}
        samples = {s.column: s for part in slices for s in part.samples}
        shared = schema_prefix(list(tables.values()))
        self.tables: dict[str, TableView] = {}
        for full in sorted(tables):
            self.tables[full] = _table_view(tables[full], samples, shared)

    def column(self, full: str) -> ColumnView | None:
        table, _, name = full.rpartition(".")
        view = self.tables.get(table)
        return view.columns.get(name) if view else None

    @property
    def columns(self) -> list[ColumnView]:
        return [c for t in self.tables.values() for c in t.columns.values()]

    @property
    def described(self) -> tuple[Table, ...]:
        return tuple(view.table for view in self.tables.values())


def _table_view(table: Table, samples: dict[str, ColumnSample], shared: str) -> TableView:
    prefix = glued_prefix([c.name for c in table.columns])
    view = TableView(table, table_words(table, shared))
    for column in table.columns:
        if column.hidden:
            continue
        full = f"{table.full_name}.{column.name}"
        words = column_words(column.name, prefix)
        view.columns[column.name] = ColumnView(table.full_name, column, words, samples.get(full))
    return view


def comment_stems(comment: str) -> frozenset[str]:
    return frozenset(s for word in _WORD.findall(fold(comment)) for s in stems(word))


# Words may follow the explanation in brackets: `A = annullata (disdetta) in anticipo`.
_CODE = re.compile(
    r"(?:^|[\s(;:,])['\"«]?([A-Za-z0-9][\w+\-]{0,24}(?: [\w\-]+){0,3})['\"»]?\s*=\s*([^=;.,(]{2,60}?)\s*"
    r"(?:(\([^)]*\))[^=;.,()]{0,40})?(?=[;.,]|$)"
)
_FOR = re.compile(
    r"\b(\d+|true|false|[A-Z])\s+(?:for|means|if|per|se)\s+([\w' -]{2,40}?)(?=[,;.)]|$| and )"
)


def read_codes(comment: str, sample: ColumnSample | None, *, integer: bool = False) -> list[Code]:
    """`E = elettrica (CVE), F = …`, `1 for open, 0 for closed`: values and what they mean.

    Only codes that the column really holds are kept; booleans always.
    """
    known = {fold(value): value for value in sample.values} if sample else {}
    codes: list[Code] = []
    for match in _CODE.finditer(comment):
        code, meaning, extra = match.group(1), match.group(2), match.group(3) or ""
        partial = sample is not None and (sample.distinct or 99) > len(sample.values)
        shaped = (partial and code.isupper() and len(code) <= 5) or (integer and code.isdigit())
        if shaped or fold(code.strip()) in known or fold(code) in ("true", "false"):
            value = known.get(fold(code), code if shaped else fold(code))
            codes.append(_code(value, meaning, extra))
    for match in _FOR.finditer(comment):
        number = integer and match.group(1).isdigit()
        if number or fold(match.group(1)) in known or fold(match.group(1)) in ("true", "false"):
            codes.append(
                _code(known.get(fold(match.group(1)), fold(match.group(1))), match.group(2), "")
            )
    return codes


def _code(value: str, meaning: str, extra: str) -> Code:
    aliases = [
        tuple(_WORD.findall(fold(part))) for part in re.split(r"[,;]| o | or ", extra.strip("()"))
    ]
    return Code(value, tuple(_WORD.findall(fold(meaning))), tuple(a for a in aliases if a))
