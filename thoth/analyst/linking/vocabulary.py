"""General words: synonyms, generic parts of names, abbreviations. Nothing of any one database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import yaml

from thoth.analyst.language.tokens import fold, stems

SYNONYM = 0.85  # how alike two general synonyms are


@dataclass(frozen=True)
class Vocabulary:
    groups: dict[str, frozenset[int]]  # stem -> synonym groups it belongs to
    members: tuple[tuple[str, ...], ...]  # the words of each group
    generic: frozenset[str]
    segments: frozenset[str]
    abbreviations: dict[str, str]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    text = resources.files("thoth.analyst.linking").joinpath("synonyms.yaml").read_text("utf-8")
    raw = yaml.load(text, Loader=yaml.CSafeLoader)
    groups: dict[str, set[int]] = {}
    for number, words in enumerate(raw["groups"]):
        for word in words:
            for stem in stems(fold(_plain(word))):
                groups.setdefault(stem, set()).add(number)
    return Vocabulary(
        {stem: frozenset(numbers) for stem, numbers in groups.items()},
        tuple(tuple(fold(_plain(word)) for word in words) for words in raw["groups"]),
        frozenset(_plain(w) for w in raw["generic"]),
        frozenset(_plain(w) for w in raw["segments"]),
        {str(k): str(v) for k, v in raw["abbreviations"].items()},
    )


def _plain(word: object) -> str:
    # YAML reads a bare `no` or `on` as a boolean
    return {True: "on", False: "no"}.get(word, "") if isinstance(word, bool) else str(word)


@lru_cache(maxsize=20_000)
def groups_of(word: str) -> frozenset[int]:
    known = vocabulary().groups
    found: set[int] = set()
    for stem in stems(word):
        found |= known.get(stem, frozenset())
    return frozenset(found)


def expanded(words: Iterable[str]) -> tuple[str, ...]:
    """The general synonyms of the words, in a stable order, without the words themselves."""
    numbers = sorted({number for word in words for number in groups_of(word)})
    return tuple(dict.fromkeys(w for n in numbers for w in vocabulary().members[n]))


def similarity(word: str, other: str) -> float:
    """1 same stem, .85 general synonym, .9 abbreviation, 0 else."""
    if word == other or not stems(word).isdisjoint(stems(other)):
        return 1.0
    if len(other) >= 3 and vocabulary().abbreviations.get(other, "") == word:
        return 0.95
    if not groups_of(word).isdisjoint(groups_of(other)):
        return SYNONYM
    return 0.0


def is_generic(word: str) -> bool:
    return word in vocabulary().generic


def stems_of(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for word in words for stem in stems(word))
