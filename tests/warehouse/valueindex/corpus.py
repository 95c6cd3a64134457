"""A synthetic corpus with known answers: 100 000 (column, value) pairs in 60 columns.

Words are made of syllables with a skewed frequency, so that some are in thousands of values and
most in a few, and values recur in several columns in other spellings. Everything follows from the
seed.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from thoth.warehouse.valueindex.normal import norm

_ONSETS = [
    "b",
    "c",
    "d",
    "f",
    "g",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "z",
    "br",
    "cr",
    "dr",
    "fr",
    "gr",
    "pr",
    "tr",
    "st",
    "sc",
    "sp",
    "gl",
]
_NUCLEI = ["a", "e", "i", "o", "u", "ia", "io"]
_CODAS = ["ite", "osi", "oma", "ico", "ale", "ina", "ano", "ivo", "aria", "ezza", "ione", "ello"]
_FRAMES = (
    "quanti ricoveri con {} ci sono stati nel 2021?",
    "mostrami il numero di pazienti che hanno avuto {} per anno e reparto",
    "how many patients were admitted with {} in the last two years?",
    "qual è la durata media della degenza quando compare {}?",
)
_NO_LITERAL = (
    "quanti ricoveri ci sono stati nel 2021?",
    "mostrami il numero di pazienti per anno e reparto",
    "how many patients were admitted in the last two years?",
    "qual è l'età media dei pazienti dimessi nel primo trimestre?",
    "elenca i dieci reparti con il maggior numero di accessi, dal più alto al più basso",
    "which department had the longest average stay last month?",
)


@dataclass(frozen=True, slots=True)
class Query:
    kind: str
    text: str
    gold: frozenset[str]  # normalised values that answer it


@dataclass(frozen=True, slots=True)
class Corpus:
    values: dict[str, list[str]]  # column → raw values
    columns_of: dict[str, frozenset[str]]  # normalised value → columns
    queries: list[Query]


def make_corpus(size: int, per_kind: int, seed: int = 17) -> Corpus:
    """`size` pairs and `per_kind` queries of each kind."""
    chance = random.Random(seed)
    pool = _pool(chance, size)
    columns: dict[str, dict[str, None]] = defaultdict(dict)
    total = 0
    while total < size:
        column = f"dw.t{chance.randrange(20)}.c{chance.randrange(3)}"
        raw = _style(column, pool[int(chance.random() ** 1.5 * len(pool))])
        if raw not in columns[column]:
            columns[column][raw] = None
            total += 1
    places: dict[str, set[str]] = defaultdict(set)
    for column, raws in columns.items():
        for raw in raws:
            places[norm(raw)].add(column)
    queries = _queries(chance, places, per_kind)
    return Corpus(
        {column: list(raws) for column, raws in sorted(columns.items())},
        {value: frozenset(where) for value, where in places.items()},
        queries,
    )


def _pool(chance: random.Random, size: int) -> list[str]:
    """Distinct values of one to four words, and codes."""
    words = sorted({_word(chance) for _ in range(14_000)})
    chance.shuffle(words)
    weights = list(accumulate(1 / (place + 8) ** 0.8 for place in range(len(words))))
    made: dict[str, None] = {}
    while len(made) < size * 0.7:
        if chance.random() < 0.15:
            made[f"{chance.choice('ABCDE')}{chance.randrange(100):02d}.{chance.randrange(100)}"] = (
                None
            )
            made[f"{chance.randrange(1000):03d}.{chance.randrange(100):02d}"] = None
        count = chance.choice((1, 2, 2, 3, 3, 4))
        made[" ".join(chance.choices(words, cum_weights=weights, k=count))] = None
    return list(made)


def _word(chance: random.Random) -> str:
    middle = "".join(
        chance.choice(_ONSETS) + chance.choice(_NUCLEI) for _ in range(chance.choice((1, 2, 2, 3)))
    )
    return middle + chance.choice(_ONSETS) + chance.choice(_CODAS)


def _style(column: str, value: str) -> str:
    kind = sum(map(ord, column)) % 4
    return (value, value.upper(), value.capitalize(), value.title())[kind]


def _typo(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word) - 1)
    other = chance.choice("aeiorstlnc")
    return chance.choice(
        (
            word[:place] + word[place + 1 :],
            word[:place] + other + word[place + 1 :],
            word[:place] + other + word[place:],
            word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :],
        )
    )


def _queries(chance: random.Random, places: dict[str, set[str]], per_kind: int) -> list[Query]:
    texts = sorted(value for value in places if value[0].isalpha() and not value[1].isdigit())
    codes = sorted(value for value in places if value[1].isdigit())
    of_word: dict[str, set[str]] = defaultdict(set)
    for value in texts:
        for word in value.split():
            of_word[word].add(value)
    rare = sorted(word for word, held in of_word.items() if len(held) <= 8 and len(word) >= 6)
    long = [value for value in texts if len(value) >= 10]
    several = [value for value in long if len(set(value.split())) >= 3]

    def same_words(value: str) -> frozenset[str]:
        return frozenset(
            v
            for v in of_word[value.split(maxsplit=1)[0]]
            if sorted(v.split()) == sorted(value.split())
        )

    def reordered(value: str) -> Query:
        return Query("order", " ".join(reversed(value.split())), same_words(value))

    def part(value: str) -> Query:
        words = value.split()[:2]
        held = of_word[words[0]] & of_word[words[1]]
        wanted = {v for v in held if f" {' '.join(words)} " in f" {v} "}
        return Query("substring", " ".join(words), frozenset(wanted))

    def edited(value: str, times: int) -> str:
        for _ in range(times):
            words = value.split()
            place = max(range(len(words)), key=lambda p: (len(words[p]), chance.random()))
            words[place] = _typo(words[place], chance)
            value = " ".join(words)
        return value

    def salient(word: str) -> Query:
        return Query("salient", word, frozenset(of_word[word]))

    def misspelt_word(word: str) -> Query:
        typed = _typo(word, chance)
        while typed in of_word:
            typed = _typo(word, chance)
        return Query("salient_typo", typed, frozenset(of_word[word]))

    def asked(kind: str, text: str, gold: frozenset[str]) -> Query:
        return Query(kind, chance.choice(_FRAMES).format(text), gold)

    def one(value: str) -> frozenset[str]:
        return frozenset({value})

    makers: list[tuple[list[str], Callable[[str], Query]]] = [
        (texts, lambda v: Query("exact", v, one(v))),
        (texts, lambda v: Query("case", v.swapcase().replace("E ", "È "), one(v))),
        (long, lambda v: Query("typo1", edited(v, 1), one(v))),
        (long, lambda v: Query("typo2", edited(v, 2), one(v))),
        (several, reordered),
        (several, part),
        (rare, salient),
        (rare, misspelt_word),
        (codes, lambda v: Query("code", v.replace(" ", ""), one(v))),
        (long, lambda v: asked("in_question", v, one(v))),
        (long, lambda v: asked("typo_in_question", edited(v, 1), one(v))),
        (codes, lambda v: asked("code_in_question", v.replace(" ", ".").upper(), one(v))),
        (rare, lambda w: asked("salient_in_question", w, frozenset(of_word[w]))),
    ]
    made = [maker(chance.choice(source)) for source, maker in makers for _ in range(per_kind)]
    return made + [Query("none", text, frozenset()) for text in _NO_LITERAL]
