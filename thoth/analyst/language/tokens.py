"""Words of a text with their places, and the stems by which words are compared.

A stem is no dictionary form: it is what stays the same between singular and plural, masculine and
feminine, noun, verb and participle. Two words match when they share a stem of either language, so
that an English question meets an Italian schema wherever the words are cognates.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["word", "number", "quoted", "punct"]

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"\n]{1,80}"|«[^»\n]{1,80}»|“[^”\n]{1,80}”|`[^`\n]{1,80}`|(?<!\w)'[^'\n]{1,80}'(?!\w))
    |(?P<date>\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{4})
    |(?P<number>[$€£]?\d+(?:[.,]\d+)*(?![\w]))
    |(?P<word>[^\W_]+(?:[.&+][^\W_]+)*)
    |(?P<punct><=|>=|!=|<>|[^\w\s])""",
    re.VERBOSE,
)
_ELISION = re.compile(
    r"^(?:l|d|un|dell|all|nell|sull|dall|c|s|quest|quell|quant|com|dov|n|v|m|t)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, quoted text or sign; `norm` is folded, characters [start, end) hold it."""

    index: int
    text: str
    norm: str
    start: int
    end: int
    kind: Kind

    @property
    def stems(self) -> frozenset[str]:
        return stems(self.norm)


def fold(text: str) -> str:
    """Lower case without accents; typographic apostrophes become plain."""
    text = text.replace("’", "'").replace("‘", "'")
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of `text`, Italian elisions and English genitives taken apart."""
    text = text.replace("’", "'").replace("‘", "'")
    found: list[tuple[str, int, int, Kind]] = []
    for match in _TOKEN.finditer(text):
        kind: Kind = "number" if match.lastgroup == "date" else match.lastgroup  # type: ignore[assignment]
        found.append((match.group(), match.start(), match.end(), kind))
    return tuple(
        Token(index, raw, _norm(raw, kind), start, end, kind)
        for index, (raw, start, end, kind) in enumerate(_without_apostrophes(found))
    )


def _norm(raw: str, kind: Kind) -> str:
    if kind == "quoted":
        return fold(raw[1:-1])
    return fold(raw)


def _without_apostrophes(
    found: list[tuple[str, int, int, Kind]],
) -> list[tuple[str, int, int, Kind]]:
    """Drop the apostrophe of `l'anno` and the genitive of `patient's`."""
    kept: list[tuple[str, int, int, Kind]] = []
    skip = -1
    for position, item in enumerate(found):
        if position <= skip:
            continue
        if item[0] == "'" and kept and kept[-1][2] == item[1]:
            following = found[position + 1] if position + 1 < len(found) else None
            glued = following is not None and following[1] == item[2]
            if (
                glued
                and following is not None
                and fold(following[0]) in {"s", "re", "ve", "d", "ll"}
            ):
                skip = position + 1
                continue
            if glued and following is not None and fold(following[0]) == "t":
                kept[-1] = (kept[-1][0] + "'t", kept[-1][1], following[2], "word")
                skip = position + 1
                continue
            continue
        kept.append(item)
    return kept


_IRREGULAR = {
    "children": "child", "people": "person", "persons": "person", "men": "man", "women": "woman",
    "sold": "sale", "sell": "sale", "sells": "sale", "selling": "sale", "bought": "buy", "purchased": "purchase",
    "taught": "teach", "paid": "pay", "payment": "pay", "payments": "pay", "written": "write",
    "wrote": "write", "given": "give", "gave": "give", "taken": "take", "took": "take",
    "made": "make", "done": "do", "has": "have", "had": "have", "having": "have", "was": "be",
    "were": "be", "been": "be", "is": "be", "are": "be", "does": "do", "did": "do",
    "uomini": "uomo", "anni": "anno", "cities": "city", "countries": "country",
    "dead": "death", "died": "death", "dying": "death", "deceased": "death",
    "deceduti": "decesso", "deceduto": "decesso", "decedute": "decesso", "deceduta": "decesso",
    "morti": "decesso", "morto": "decesso", "morte": "decesso", "mortalita": "decesso",
    "criteria": "criterion", "data": "data", "lives": "live", "living": "live", "lived": "live",
    "signups": "signup", "cheapest": "cheap", "longest": "long", "highest": "high",
    "shipped": "ship", "spent": "spend", "held": "hold", "held by": "hold", "left": "leave",
}  # fmt: skip


@lru_cache(maxsize=20_000)
def stems(word: str) -> frozenset[str]:
    """All stems of a folded word; never empty for a word of one letter or more."""
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or any(char.isdigit() for char in word):
        return frozenset(
            {word[:-1] if len(word) == 3 and word.endswith("s") and word != "gas" else word}
        )
    return frozenset({_english(word), _italian(word)})


def _english(word: str) -> str:
    for suffix, replacement in (
        ("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("ss", "ss"),
        ("us", "us"), ("is", "is"), ("s", ""),
    ):  # fmt: skip
        if word.endswith(suffix):
            word = word[: len(word) - len(suffix)] + replacement
            break
    for suffix in (
        "fully",
        "ful",
        "ants",
        "ant",
        "ations",
        "ation",
        "ating",
        "ated",
        "ates",
        "ate",
        "ings",
        "ing",
        "ied",
        "ed",
        "ion",
        "ment",
        "ally",
        "ly",
        "ure",
    ):
        if (
            word.endswith(suffix)
            and len(word) - len(suffix) >= (5 if suffix == "ion" else 3)
            and _has_vowel(word[: -len(suffix)])
        ):
            word = word[: -len(suffix)] + ("y" if suffix == "ied" else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word


_ITALIAN_SUFFIXES = (
    ("missione", "mess"), ("missioni", "mess"), ("messo", "mess"), ("messi", "mess"), ("messa", "mess"), ("messe", "mess"),
    ("azioni", ""), ("azione", ""), ("ativa", ""), ("ative", ""), ("ativo", ""), ("ativi", ""),
    ("amento", ""), ("amenti", ""), ("imento", ""), ("imenti", ""),
    ("ati", ""), ("ato", ""), ("ata", ""), ("ate", ""), ("iti", ""), ("ito", ""), ("ita", ""), ("ite", ""),
    ("uti", ""), ("uto", ""), ("uta", ""), ("ute", ""), ("ono", ""), ("ano", ""), ("are", ""), ("ere", ""), ("ire", ""),
)  # fmt: skip


def _least(suffix: str, replacement: str) -> int:
    """How much of a word must be left for a suffix to be one."""
    if replacement:
        return 0
    return 3 if suffix.startswith(("azion", "ativ")) else 4


def _italian(word: str) -> str:
    for suffix, replacement in _ITALIAN_SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _least(suffix, replacement):
            word = word[: len(word) - len(suffix)] + replacement
            break
    while len(word) > 3 and word[-1] in "aeiou":
        word = word[:-1]
    if len(word) > 3 and word.endswith(("ch", "gh")):
        word = word[:-1]
    return word


def _has_vowel(text: str) -> bool:
    return any(char in "aeiouy" for char in text)


def same(left: str, right: str) -> bool:
    """Whether two folded words share a stem."""
    return left == right or not stems(left).isdisjoint(stems(right))
