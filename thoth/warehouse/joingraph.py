"""How the tables of a catalog can be joined: declared foreign keys and likely ones.

Third-party databases often declare no foreign key at all. Where names and types leave little
doubt, a join is inferred; it is marked and costs more than any declared one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from thoth.contracts.schema import Catalog, Column, Table
from thoth.contracts.tools import JoinEdge
from thoth.warehouse.wordforms import words_of

_DECLARED = 1.0
_INFERRED = 1.5  # plus what the names leave in doubt
_SHARED = 3.0  # two tables that merely hold the same code
Cardinality = Literal["one_to_one", "many_to_one", "one_to_many", "many_to_many"]
_KEY_WORDS = ("id", "code", "cod", "codice", "key", "no", "num", "name", "nome", "number")
_GENERIC = frozenset({*_KEY_WORDS, "pk", "uuid", "description", "descrizione", "type", "tipo"})
_SHORTEST_GLUED = 5
_SHORTEST_NAME = 3
_CARDINALITIES: dict[tuple[bool, bool], Cardinality] = {
    (True, True): "one_to_one",
    (False, True): "many_to_one",
    (True, False): "one_to_many",
    (False, False): "many_to_many",
}
_FAMILIES = frozenset({"integer", "text", "decimal", "other"})


@dataclass(frozen=True, slots=True)
class Link:
    """A possible join; `a` holds the reference. Sorting is by name: the order is everybody's."""

    a: str
    a_columns: tuple[str, ...]
    b: str
    b_columns: tuple[str, ...]
    cost: float
    declared: bool

    def other(self, table: str) -> str:
        return self.b if table == self.a else self.a

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The compared columns, whichever side is named first."""
        return frozenset(
            (min(x, y), max(x, y))
            for x, y in zip(
                (f"{self.a}.{c}" for c in self.a_columns),
                (f"{self.b}.{c}" for c in self.b_columns),
                strict=True,
            )
        )


class JoinGraph:
    """All links of a catalog by table."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.links: dict[str, list[Link]] = defaultdict(list)
        seen: set[frozenset[tuple[str, str]]] = set()
        declared = sorted(_declared(catalog), key=_order)
        for link in [*declared, *sorted(_inferred(catalog, declared), key=_order)]:
            if link.pairs not in seen:
                seen.add(link.pairs)
                self.links[link.a].append(link)
                if link.a != link.b:
                    self.links[link.b].append(link)

    def edge(self, link: Link, left: str) -> JoinEdge:
        """The link as read from `left`, with its cardinality."""
        sides = ((link.a, link.a_columns), (link.b, link.b_columns))
        (l_name, l_columns), (r_name, r_columns) = sides if left == link.a else sides[::-1]
        one_left, one_right = self._unique(l_name, l_columns), self._unique(r_name, r_columns)
        if not link.declared and not one_left and not one_right:
            # No key is declared: an inferred reference points at the table it is named after.
            one_left, one_right = (False, True) if left == link.a else (True, False)
            if link.cost >= _SHARED:
                one_left = one_right = False
        return JoinEdge(
            left=l_name,
            left_columns=l_columns,
            right=r_name,
            right_columns=r_columns,
            cardinality=_CARDINALITIES[one_left, one_right],
            declared=link.declared,
        )

    def _unique(self, table_name: str, columns: tuple[str, ...]) -> bool:
        table = self.catalog.by_name[table_name]
        keys = [key for key in (table.primary_key, *table.unique_keys) if key]
        return any(set(key) <= set(columns) for key in keys)


def _order(link: Link) -> tuple[float, str, tuple[str, ...], str, tuple[str, ...]]:
    return (link.cost, link.a, link.a_columns, link.b, link.b_columns)


def _declared(catalog: Catalog) -> Iterator[Link]:
    for table in catalog.tables:
        for key in table.foreign_keys:
            if catalog.table(key.ref_table):
                yield Link(
                    table.full_name,
                    key.columns,
                    key.ref_table,
                    key.ref_columns,
                    _DECLARED,
                    declared=True,
                )


# ---------- inferred links -----------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Key:
    """A column that identifies a table's rows, declared or by its name."""

    table: Table
    column: Column
    names: tuple[str, ...]  # how other tables may call this table, in the singular too


def _inferred(catalog: Catalog, declared: list[Link]) -> Iterator[Link]:
    keys = [key for table in catalog.tables for key in _keys(table)]
    taken = {(link.a, column) for link in declared for column in link.a_columns}
    owned: set[str] = set()
    prefix = _common_prefix(catalog)
    for table in catalog.tables:
        for column in table.columns:
            if column.family not in _FAMILIES or column.hidden:
                continue
            if (table.full_name, column.name) in taken:
                continue
            for doubt, key in _targets(table, column, keys, prefix):
                owned.add(column.name)
                yield Link(
                    table.full_name, (column.name,), key.table.full_name, (key.column.name,),
                    _INFERRED + doubt, declared=False,
                )  # fmt: skip
    yield from _shared(catalog, owned, taken)


def _names(table: Table) -> tuple[str, ...]:
    """`dim_pazienti` → dim_pazienti, pazienti, paziente, pazient…: forms that a reference uses."""
    words = words_of(table.name)
    whole = "_".join(words)
    found = [whole, words[-1]] if len(words) > 1 else [whole]
    if len(words) > 1:
        found.append("_".join(words[1:]))
    return tuple(dict.fromkeys(form for name in found for form in (name, *_singular(name))))


def _singular(name: str) -> list[str]:
    forms = []
    for ending, one in (("ies", "y"), ("sses", "ss"), ("es", "e"), ("es", ""), ("s", "")):
        if name.endswith(ending) and len(name) > len(ending) + 2:
            forms.append(name[: -len(ending)] + one)
    for ending, ones in (("i", "oe"), ("e", "a"), ("he", "a"), ("hi", "o")):
        if name.endswith(ending) and len(name) > len(ending) + 3:
            forms += [name[: -len(ending)] + one for one in ones]
    return forms


def _keys(table: Table) -> list[_Key]:
    names = _names(table)
    declared = [key[0] for key in (table.primary_key, *table.unique_keys) if len(key) == 1]
    if not declared:
        declared = _named_keys(table, names)[:1]
    return [_Key(table, table.by_name[name], names) for name in dict.fromkeys(declared)]


def _named_keys(table: Table, names: tuple[str, ...]) -> list[str]:
    """Columns that are called like the key of this table, the likeliest first."""
    wanted = [form for word in _KEY_WORDS for name in names for form in _reference(name, word)]
    by_form = {_form(column.name): column.name for column in table.columns}
    found = [by_form[form] for form in wanted if form in by_form]
    return found or [by_form[word] for word in ("id", "code", "codice") if word in by_form]


def _reference(name: str, word: str) -> tuple[str, ...]:
    return (f"{name}_{word}", f"{name}{word}", f"{word}_{name}")


def _form(name: str) -> str:
    return "_".join(words_of(name))


def _targets(
    table: Table, column: Column, keys: list[_Key], prefix: str
) -> list[tuple[float, _Key]]:
    """Keys that the column may refer to, with the doubt its name leaves (0 = none)."""
    form = _form(column.name)
    if form in _GENERIC:
        return []
    found = []
    for key in keys:
        if key.table is table or key.column.family != column.family:
            continue
        doubt = _doubt(form, key, prefix)
        if doubt is not None:
            found.append((doubt, key))
    least = min((doubt for doubt, _ in found), default=0.0)
    return [(doubt, key) for doubt, key in found if doubt == least]


def _doubt(form: str, key: _Key, prefix: str) -> float | None:
    """How doubtful it is that a column of this name refers to the key; None when it does not."""
    target = _form(key.column.name)
    if target not in _GENERIC:
        if form == target:
            # Best is a column that its table is named after, not a reference of its own.
            return 0.0 if any(name in target for name in key.names) else 0.2
        if form.endswith("_" + target):
            return 0.2
    doubts = [doubt for name in key.names if (doubt := _doubt_of_name(form, name, target))]
    if doubts:
        return min(doubts)
    bare = target.removeprefix(prefix).lstrip("_")
    if target in _GENERIC or len(bare) < _SHORTEST_GLUED:
        return None
    glued = "_" not in form and form.endswith(bare)
    return 0.4 if glued or (prefix and form.endswith("_" + bare)) else None


def _doubt_of_name(form: str, name: str, target: str) -> float | None:
    """The same for references that say the table's name: car_id, origin_city_id, from_airport."""
    word = target if target in _GENERIC else target.rsplit("_", 1)[-1]
    exact = _reference(name, word)
    if form in exact:
        return 0.1
    if any(form.endswith("_" + one) for one in exact):
        return 0.3
    bare = len(name) > _SHORTEST_NAME and (form == name or form.endswith("_" + name))
    return 0.5 if bare else None


def _common_prefix(catalog: Catalog) -> str:
    """Letters that every table's name begins with: `sb` of sbcustomer, sbticker, …"""
    names = [table.name.lower() for table in catalog.tables]
    if len(names) < 2:
        return ""
    return os.path.commonprefix(names)  # noqa: RUF071 - letters are what we compare


def _shared(catalog: Catalog, owned: set[str], taken: set[tuple[str, str]]) -> Iterator[Link]:
    """Tables that hold the same code although no table is named after it."""
    holders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for table in catalog.tables:
        for column in table.columns:
            words = words_of(column.name)
            coded = len(words) > 1 and (words[-1] in _KEY_WORDS or words[0] in _KEY_WORDS)
            free = column.name not in owned and (table.full_name, column.name) not in taken
            if coded and free and not column.hidden and column.family in _FAMILIES:
                holders[column.name, column.family].append(table.full_name)
    many = 8
    for (name, _), tables in holders.items():
        for place, one in enumerate(tables[:many]):
            for other in tables[place + 1 : many]:
                yield Link(one, (name,), other, (name,), _SHARED, declared=False)
