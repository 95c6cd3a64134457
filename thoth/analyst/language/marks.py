"""From words to marks: which places of a question are analytic phrases, numbers, or plain words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal

import yaml

from thoth.analyst.language.numbers import parse_figure, parse_words
from thoth.analyst.language.tokens import Token

Language = Literal["it", "en"]
_VOCABULARY = ("stop", "light")


@dataclass(frozen=True, slots=True)
class Mark:
    """Tokens [start, end) are a phrase of `kind`; `number` is the number written in it, if any."""

    kind: str
    start: int
    end: int
    number: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    start: int
    end: int
    value: str


@dataclass(frozen=True)
class Lexicon:
    language: Language
    patterns: dict[str, list[tuple[str, tuple[tuple[frozenset[str], bool], ...]]]]
    stop: frozenset[str]
    light: frozenset[str]


@lru_cache(maxsize=4)
def lexicon(language: Language) -> Lexicon:
    """The phrases of one language, indexed by every word that can begin one."""
    text = resources.files("thoth.analyst.language").joinpath(f"{language}.yaml").read_text("utf-8")
    raw: dict[str, list[object]] = yaml.load(text, Loader=yaml.CSafeLoader)
    patterns: dict[str, list[tuple[str, tuple[tuple[frozenset[str], bool], ...]]]] = {}
    for kind, phrases in raw.items():
        if kind in _VOCABULARY:
            continue
        for phrase in phrases:
            parts = tuple(_part(word) for word in str(phrase).split())
            for first in _firsts(parts):
                patterns.setdefault(first, []).append((kind, parts))
    words = {kind: frozenset(_plain(word) for word in raw[kind]) for kind in _VOCABULARY}
    return Lexicon(language, patterns, words["stop"], words["light"])


def _plain(word: object) -> str:
    # YAML reads a bare `no` or `on` as a boolean
    return {True: "on", False: "no"}.get(word, str(word)) if isinstance(word, bool) else str(word)


def _part(word: str) -> tuple[frozenset[str], bool]:
    optional = word.endswith("?") and len(word) > 1
    return frozenset((word[:-1] if optional else word).split("|")), optional


def _firsts(parts: tuple[tuple[frozenset[str], bool], ...]) -> set[str]:
    firsts: set[str] = set()
    for words, optional in parts:
        firsts |= words
        if not optional:
            break
    return firsts


def find_numbers(tokens: tuple[Token, ...]) -> tuple[Number, ...]:
    """Numbers in figures or words, with scales ("30 thousand"); the article "one" is no number."""
    found: list[Number] = []
    index = 0
    while index < len(tokens):
        number = _number_at(tokens, index)
        if number is None:
            index += 1
        else:
            found.append(number)
            index = number.end
    return tuple(found)


def _number_at(tokens: tuple[Token, ...], index: int) -> Number | None:
    token = tokens[index]
    if token.kind == "number":
        figure = parse_figure(token.text)
        if figure is None:
            return None
        words = [t.norm for t in tokens[index + 1 : index + 2]]
        scaled = (
            parse_words(["a", *words])
            if words and words[0] in ("thousand", "million", "billion", "milioni", "mila")
            else None
        )
        if scaled:
            return Number(index, index + 2, str(int(float(figure) * scaled[0])))
        return Number(index, index + 1, figure)
    if token.kind != "word" or _hyphenated(tokens, index):
        return None
    parsed = parse_words([t.norm for t in tokens[index : index + 5]])
    return Number(index, index + parsed[1], str(parsed[0])) if parsed else None


def _hyphenated(tokens: tuple[Token, ...], index: int) -> bool:
    """ "one-way" counts nothing."""
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    return following is not None and following.text == "-" and following.start == tokens[index].end


def find_marks(
    tokens: tuple[Token, ...], numbers: tuple[Number, ...], language: Language
) -> tuple[Mark, ...]:
    """Longest phrases first at each place; a mark never overlaps another."""
    book = lexicon(language)
    by_start = {number.start: number for number in numbers}
    marks: list[Mark] = []
    index = 0
    while index < len(tokens):
        best: Mark | None = None
        keys = [tokens[index].norm] if tokens[index].kind != "quoted" else []
        if index in by_start:
            keys.append("#")
        for key in keys:
            for kind, parts in book.patterns.get(key, ()):
                match = _match(tokens, index, parts, by_start)
                if match and _more_than_number(kind, tokens, match[0], by_start):
                    continue
                if match and (best is None or match[0] > best.end):
                    best = Mark(kind, index, match[0], match[1],
                                " ".join(t.norm for t in tokens[index : match[0]]))  # fmt: skip
        if best is None:
            index += 1
        else:
            marks.append(best)
            index = best.end
    return tuple(marks)


def _more_than_number(
    kind: str, tokens: tuple[Token, ...], end: int, numbers: dict[int, Number]
) -> bool:
    """ "con più di 70": a comparison, where "con più ricoveri" is a rank."""
    return (
        kind.startswith("super")
        and tokens[end - 1].norm in ("piu", "meno")
        and end + 1 in numbers
        and tokens[end].norm == "di"
    )


def _match(
    tokens: tuple[Token, ...],
    index: int,
    parts: tuple[tuple[frozenset[str], bool], ...],
    numbers: dict[int, Number],
) -> tuple[int, str | None] | None:
    """(end, number) of the longest match of `parts` at `index`, or None."""
    if not parts:
        return index, None
    words, optional = parts[0]
    result: tuple[int, str | None] | None = None
    if index < len(tokens):
        if "#" in words and index in numbers:
            rest = _match(tokens, numbers[index].end, parts[1:], numbers)
            result = (rest[0], rest[1] or numbers[index].value) if rest else None
        elif tokens[index].norm in words and tokens[index].kind != "quoted":
            result = _match(tokens, index + 1, parts[1:], numbers)
    if result is None and optional:
        result = _match(tokens, index, parts[1:], numbers)
    return result


_ITALIAN = frozenset(
    [
        "il",
        "lo",
        "la",
        "gli",
        "le",
        "di",
        "del",
        "della",
        "dei",
        "delle",
        "che",
        "quanti",
        "quante",
        "quali",
        "quale",
        "per",
        "con",
        "nel",
        "nella",
        "sono",
        "per",
        "ogni",
        "degli",
        "delle",
        "dal",
        "al",
        "alla",
        "numero",
    ]
)
_ENGLISH = frozenset(
    [
        "the",
        "of",
        "what",
        "which",
        "how",
        "many",
        "is",
        "are",
        "in",
        "for",
        "each",
        "with",
        "and",
        "by",
        "to",
        "from",
        "have",
        "has",
        "list",
        "show",
        "return",
        "who",
        "was",
        "were",
        "number",
    ]
)


def detect_language(tokens: tuple[Token, ...], default: str) -> Language:
    """The language whose function words prevail; the workspace's when neither does."""
    words = [token.norm for token in tokens]
    italian = sum(word in _ITALIAN for word in words)
    english = sum(word in _ENGLISH for word in words)
    if italian == english:
        return "it" if default == "it" else "en"
    return "it" if italian > english else "en"
