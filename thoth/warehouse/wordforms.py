"""Words of names, comments and questions, cut to forms that inflection does not change.

Two light stemmers, Italian and English, both applied to every word: schemas and questions mix the
languages, and two words match when either stemmer makes them equal.
"""

from __future__ import annotations

import re
import unicodedata

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_DIGIT_EDGE = re.compile(r"(?<=[^\W\d_])(?=\d{2,})")
_SHORTEST_STEM = 3
# Longest first; what stands after the arrow stays.
_IT = (
    ("azioni", "az"), ("azione", "az"), ("uzioni", "uz"), ("uzione", "uz"), ("amenti", "a"),
    ("amento", "a"), ("imenti", "i"), ("imento", "i"), ("atrici", "a"), ("atrice", "a"),
    ("atori", "a"), ("atore", "a"), ("mente", ""), ("logie", "log"), ("logia", "log"),
    ("ate", "a"), ("ati", "a"), ("ata", "a"), ("ato", "a"), ("are", "a"), ("ite", "i"), ("iti", "i"),
    ("ita", "i"), ("ito", "i"), ("ire", "i"), ("che", "c"), ("chi", "c"), ("ghe", "g"), ("ghi", "g"),
    ("ie", ""), ("ia", ""), ("io", ""), ("ii", ""), ("a", ""), ("e", ""), ("i", ""), ("o", ""),
)  # fmt: skip
_EN = (
    ("ations", "at"), ("ation", "at"), ("izing", "iz"), ("ising", "iz"), ("ments", ""), ("ment", ""),
    ("nesses", ""), ("ness", ""), ("ating", "at"), ("ated", "at"), ("ates", "at"), ("ate", "at"),
    ("ities", ""), ("ity", ""), ("ings", ""), ("ing", ""), ("ied", "y"), ("ies", "y"), ("sses", "ss"),
    ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("ers", ""), ("er", ""), ("ed", ""), ("es", ""),
    ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", ""), ("e", ""),
)  # fmt: skip
FUNCTION_WORDS = frozenset(
    [
        "a",
        "ad",
        "al",
        "allo",
        "alla",
        "ai",
        "agli",
        "alle",
        "d",
        "da",
        "dal",
        "dallo",
        "dalla",
        "dai",
        "dagli",
        "dalle",
        "di",
        "del",
        "dello",
        "della",
        "dei",
        "degli",
        "delle",
        "dell",
        "e",
        "ed",
        "o",
        "in",
        "nel",
        "nello",
        "nella",
        "nei",
        "negli",
        "nelle",
        "nell",
        "su",
        "sul",
        "sulla",
        "sui",
        "sugli",
        "sulle",
        "con",
        "col",
        "per",
        "tra",
        "fra",
        "il",
        "lo",
        "la",
        "i",
        "gli",
        "le",
        "l",
        "un",
        "uno",
        "una",
        "non",
        "si",
        "ci",
        "che",
        "chi",
        "cui",
        "come",
        "cosa",
        "quale",
        "quali",
        "qual",
        "quanto",
        "quanta",
        "quanti",
        "quante",
        "quando",
        "dove",
        "perche",
        "se",
        "ma",
        "anche",
        "piu",
        "meno",
        "sono",
        "e",
        "era",
        "ha",
        "hanno",
        "stato",
        "stata",
        "stati",
        "state",
        "avuto",
        "essere",
        "avere",
        "ogni",
        "tutti",
        "tutte",
        "tutto",
        "mostrami",
        "mostra",
        "elenca",
        "dammi",
        "dimmi",
        "trova",
        "calcola",
        "vorrei",
        "sapere",
        "fammi",
        "loro",
        "suo",
        "sua",
        "suoi",
        "sue",
        "questo",
        "questa",
        "questi",
        "queste",
        "quello",
        "quella",
        "the",
        "an",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "with",
        "and",
        "or",
        "not",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "how",
        "what",
        "which",
        "who",
        "whom",
        "whose",
        "where",
        "when",
        "why",
        "all",
        "each",
        "every",
        "any",
        "some",
        "show",
        "list",
        "give",
        "get",
        "find",
        "tell",
        "me",
        "us",
        "my",
        "our",
        "their",
        "its",
        "it",
        "that",
        "this",
        "these",
        "those",
        "there",
        "than",
        "then",
        "as",
        "into",
        "over",
        "per",
        "many",
        "much",
        "please",
        "would",
        "could",
        "can",
        "should",
        "will",
        "i",
        "we",
        "you",
        "they",
        "there",
    ]
)


def folded(text: str) -> str:
    """Lower case without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def words_of(text: str) -> list[str]:
    """The folded words of a sentence or an identifier: snake_case and camelCase come apart."""
    apart = _DIGIT_EDGE.sub(" ", _CAMEL.sub(" ", text))
    return [folded(word) for word in _WORD.findall(apart)]


def _cut(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, kept in endings:
        if word.endswith(ending) and len(word) - len(ending) + len(kept) >= _SHORTEST_STEM:
            return word[: len(word) - len(ending)] + kept
    return word


def stems(word: str) -> frozenset[str]:
    """The forms by which a folded word is looked up. Codes and short words stay as they are."""
    if len(word) <= _SHORTEST_STEM or not word.isalpha():
        return frozenset({"i:" + word, "e:" + word})
    english = _cut(word, _EN)
    if len(english) > _SHORTEST_STEM and english[-1] == english[-2] and english[-1] in "bdgmnprt":
        english = english[:-1]
    return frozenset({"i:" + _cut(word, _IT), "e:" + english})
