"""From a word as typed to the stored words it may mean, each with a similarity in 0..1."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from thoth.warehouse.valueindex.normal import Token, has_digit
from thoth.warehouse.valueindex.vocabulary import Vocabulary

_FUZZY_MIN_LETTERS = 4
INFLECTION = 0.92
_JOINED = 0.95
_MISREAD = 0.85
_UNREADABLE = 0.75  # below this a word is rather two words written as one
BESIDE_EXACT = 0.8  # what an edited word is worth when the typed one exists
_EXPANSIONS_MAX = 24
_OCR = str.maketrans("01583", "olsbe")
_OCR_BACK = str.maketrans("olsb", "0158")


@dataclass(slots=True)
class QueryWord:
    """A token, its stored readings and its weight (idf of the best reading)."""

    token: Token
    matches: dict[str, float] = field(default_factory=dict)
    weight: float = 0.0
    everyday: bool = False

    @property
    def word(self) -> str:
        return self.token.word


def edits_allowed(word: str) -> int:
    """Short words and anything with a digit match exactly: TIN is not TIA, 123 is not 124."""
    if len(word) < _FUZZY_MIN_LETTERS or has_digit(word):
        return 0
    if len(word) <= 5:
        return 1
    return 2 if len(word) <= 10 else 3


def stem(word: str) -> str:
    """The word without the ending that number and gender change, in Italian and English."""
    for ending in ("zioni", "zione"):
        if word.endswith(ending):
            return word[:-5] + "zion"
    if len(word) < 4:
        return word
    if word.endswith("ies"):
        return word[:-3]
    if word.endswith("es"):
        word = word[:-1]
    elif word.endswith("s") and not word.endswith("ss"):
        return word[:-1].rstrip("e")
    word = word.rstrip("aeiouy") if word[-1] in "aeiouy" else word
    return word[:-1] if word.endswith(("ch", "gh")) else word


def _similarity(typed: str, stored: str, distance: int) -> float:
    if distance == 0:
        return 1.0
    if distance <= 2 and stem(typed) == stem(stored):
        return INFLECTION
    longer = max(len(typed), len(stored))
    same_start = typed[0] == stored[0]
    return (1 - distance / longer) * (1.0 if same_start else 0.94)


def _misread(word: str, vocabulary: Vocabulary) -> dict[str, float]:
    """Letters read as digits, and the other way round: c0lon, I5O."""
    if len(word) < _FUZZY_MIN_LETTERS or word.isdigit() or not has_digit(word):
        return {}
    turned = (
        word.translate(_OCR),
        word.translate(_OCR_BACK),
        word.replace("1", "i"),
        word.removesuffix("s"),
    )
    return {other: _MISREAD for other in turned if other != word and other in vocabulary.position}


def readings(word: str, vocabulary: Vocabulary, *, exact_only: bool) -> dict[str, float]:
    """Stored words that `word` may mean → similarity. The word itself, when stored, is 1.0."""
    known = word in vocabulary.position
    found = {word: 1.0} if known else {}
    if exact_only:
        return found
    edits = edits_allowed(word)
    if edits:
        factor = BESIDE_EXACT if known else 1.0
        for near, distance in vocabulary.near(word, max(edits - known, 1)):
            if near != word and not has_digit(near):
                found[near] = factor * _similarity(word, near, distance)
        if not known:
            _add_prefixed(word, vocabulary, found)
    elif not known:
        found |= _misread(word, vocabulary)
    if len(found) <= _EXPANSIONS_MAX:
        return found
    best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(best[:_EXPANSIONS_MAX])


def _add_prefixed(word: str, vocabulary: Vocabulary, found: dict[str, float]) -> None:
    """An abbreviation: the fewer letters are missing, the likelier."""
    for longer in vocabulary.starting(word):
        worth = 0.6 + 0.3 * len(word) / len(longer)
        found[longer] = max(found.get(longer, 0.0), worth)


def _splits(token: Token, vocabulary: Vocabulary) -> list[Token]:
    """Two stored words written as one, or the token as it is."""
    word = token.word
    best: tuple[float, int] = (0.0, 0)
    for cut in range(3, len(word) - 2):
        left = vocabulary.position.get(word[:cut])
        right = vocabulary.position.get(word[cut:])
        if left is not None and right is not None:
            rarest = min(vocabulary.df[left], vocabulary.df[right])
            best = max(best, (float(rarest), cut))
    if not best[1]:
        return [token]
    return [
        Token(word[: best[1]], token.start, token.end),
        Token(word[best[1] :], token.start, token.end),
    ]


def expand(
    tokens: list[Token], vocabulary: Vocabulary, everyday: frozenset[str]
) -> list[QueryWord]:
    """One QueryWord per token; an unreadable token that two stored words make up becomes two.

    Words of `everyday` match exactly only; give the empty set to expand all of them.
    """
    words: list[QueryWord] = []
    for token in tokens:
        common = token.word in everyday
        matches = readings(token.word, vocabulary, exact_only=common)
        if max(matches.values(), default=0.0) < _UNREADABLE and not common:
            parts = _splits(token, vocabulary)
            if len(parts) > 1:
                words += [QueryWord(part, {part.word: _JOINED}) for part in parts]
                continue
        words.append(QueryWord(token, matches, everyday=common))
    _join_neighbours(words, vocabulary)
    for word in words:
        word.weight = _weight(word, vocabulary)
    return words


def _join_neighbours(words: list[QueryWord], vocabulary: Vocabulary) -> None:
    """One stored word written as two: both halves stand for it."""
    for left, right in pairwise(words):
        whole = left.word + right.word
        if len(whole) >= _FUZZY_MIN_LETTERS and whole in vocabulary.position:
            for half in (left, right):
                half.matches[whole] = max(half.matches.get(whole, 0.0), _JOINED)


def _weight(word: QueryWord, vocabulary: Vocabulary) -> float:
    if not word.matches:
        # Nothing like it is stored: it counts against a value, a short word hardly so.
        return vocabulary.max_idf * (0.5 if len(word.word) > 3 else 0.2)
    best = max(word.matches, key=lambda stored: (word.matches[stored], stored))
    return vocabulary.idf[vocabulary.position[best]]
