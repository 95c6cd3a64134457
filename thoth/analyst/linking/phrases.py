"""Which words of the question stand together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from thoth.analyst.language.frame import Frame
from thoth.analyst.language.tokens import fold, stems
from thoth.analyst.linking.ages import unit_places
from thoth.analyst.linking.vocabulary import is_generic, similarity


def usable_tokens(frame: Frame) -> frozenset[int]:
    """Tokens that may be part of a name: content, light words, and words inside some phrases."""
    inside = {i for _, r in frame.periods for i in r}
    soft = {"count_after", "super_desc", "super_asc", "order", "named", "rate", "min", "max", "sum", "diff",
            "daily", "monthly", "yearly", "weekly", "avg", "lt", "gt", "light", "list", "count", "within",
            "readmitted", "distinct", "percent", "again", "contains", "weekdayly", "started"}  # fmt: skip
    units = unit_places(frame)
    marked = {i for m in frame.marks if m.kind not in soft for i in range(m.start, m.end)}
    return frozenset(
        t.index for t in frame.tokens
        if t.kind in ("word", "quoted", "number") and t.index not in inside and t.index not in marked
        and t.index not in units
    )  # fmt: skip


def name_clusters(
    frame: Frame, words: tuple[str, ...], usable: frozenset[int]
) -> list[tuple[int, int, dict[int, float], set[int]]]:
    """Places where words of a name stand together: (start, end, name word -> similarity, tokens)."""
    clusters: list[tuple[int, int, dict[int, float], set[int]]] = []
    for index, position, score in _matches(frame, words, usable):
        last = clusters[-1] if clusters else None
        if last and index - last[1] <= _gap(frame, last[1], index) and position not in last[2]:
            last[2][position] = score
            last[3].add(index)
            clusters[-1] = (last[0], index + 1, last[2], last[3])
        elif last and index < last[1]:
            last[2].setdefault(position, score)
        else:
            clusters.append((index, index + 1, {position: score}, {index}))
    return clusters


def _matches(
    frame: Frame, words: tuple[str, ...], usable: frozenset[int]
) -> Iterator[tuple[int, int, float]]:
    """(token, name word, similarity); small words match only as they are."""
    for token in frame.tokens:
        if token.index not in usable or token.kind == "quoted":
            continue
        for position, word in enumerate(words):
            score = similarity(token.norm, word)
            if score and (token.index not in frame.stop or token.norm == word):
                yield token.index, position, score


def _gap(frame: Frame, end: int, index: int) -> int:
    """How far the next word of a name may stand: only over words like "of the"."""
    between = range(end, index)
    joins = {
        "of",
        "the",
        "di",
        "del",
        "della",
        "dei",
        "delle",
        "degli",
        "da",
        "for",
        "to",
        "a",
        "ad",
        "s",
    }
    return (
        len(between)
        if all(frame.tokens[i].norm in joins or frame.tokens[i].text in ("-", "_") for i in between)
        and len(between) <= 2
        else 0
    )


def glued(frame: Frame, words: tuple[str, ...], usable: frozenset[int]) -> list[tuple[int, int]]:
    """Places where the question's words, written together, are the name (`first name`, `firstname`)."""
    name = "".join(words)
    found = []
    for start in range(len(frame.tokens)):
        text = ""
        for end in range(start, min(start + 4, len(frame.tokens))):
            if end not in usable and frame.tokens[end].text not in ("-", "_"):
                break
            text += frame.tokens[end].norm.strip("_-")
            if text in (name, name + "s") and (
                end > start or len(words) > 1 or "_" in frame.tokens[end].norm
            ):
                found.append((start, end + 1))
    return found


def weight(word: str, own: frozenset[str]) -> float:
    if is_generic(word):
        return 0.45
    return 0.3 if stems(word) & own else 1.0


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(text))


def clause_end(frame: Frame, start: int) -> int:
    """Where the counted thing ends: at a grouping, a comma, the other side of a ratio."""
    ratio = any(m.kind == "ratio" for m in frame.marks)
    stops = ("to", "per") if ratio else ("per",)
    for index in range(start, len(frame.tokens)):
        mark = frame.mark_at(index)
        if (
            mark
            and mark.start == index
            and mark.kind
            in (
                "group",
                "order",
                "desc",
                "asc",
                "count",
                "yearly",
                "monthly",
                "out_of",
                "exist",
                "neg",
            )
        ):
            return index
        if frame.tokens[index].norm in (",", "?", ".", *stops) or any(
            index in r for _, r in frame.periods
        ):
            return index
    return len(frame.tokens)


def repeated(frame: Frame, start: int, end: int) -> list[tuple[int, int]]:
    """Other places of the question where the same words stand."""
    words = [t.norm for t in frame.tokens[start:end]]
    return [
        (i, i + len(words))
        for i in range(len(frame.tokens) - len(words) + 1)
        if i != start and [t.norm for t in frame.tokens[i : i + len(words)]] == words
    ]
