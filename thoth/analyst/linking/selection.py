"""Which of the competing places are kept."""

from __future__ import annotations

from dataclasses import replace

from thoth.analyst.language.frame import Frame
from thoth.analyst.linking.candidates import NONE, Candidate, Hit, Mention
from thoth.analyst.linking.schema_view import SchemaView

MAX_CANDIDATES = 10
_LEAST = 0.4


def select(frame: Frame, hits: list[Hit]) -> tuple[Mention, ...]:
    """Strongest places first; weaker readings of the same words stay as alternatives."""
    hits = sorted(hits, key=lambda h: (-h.strength, h.start, h.candidate.key))
    chosen: list[tuple[int, int]] = []
    for hit in hits:
        free = all(hit.end <= s or hit.start >= e for s, e in chosen)
        if free and hit.candidate.score >= _LEAST and _says_something(frame, hit):
            chosen.append((hit.start, hit.end))
    found = [_mention(frame, hits, start, end) for start, end in sorted(chosen)]
    return tuple(mention for mention in found if mention is not None)


def _mention(frame: Frame, hits: list[Hit], start: int, end: int) -> Mention | None:
    """The readings of one place, best first; those that cover less of it count less."""
    best: dict[str, Candidate] = {}
    for hit in hits:
        if hit.start < start or hit.end > end or not _covers(frame, hit, start, end):
            continue
        candidate = hit.candidate
        share = (hit.end - hit.start) / (end - start)
        if share < 1:
            candidate = replace(candidate, score=candidate.score * (0.55 + 0.45 * share))
        known = best.get(candidate.key)
        if known is None or candidate.score > known.score:
            best[candidate.key] = candidate
    ranked = sorted(best.values(), key=lambda c: (-c.score, c.key))
    return Mention(start, end, tuple(ranked[:MAX_CANDIDATES])) if ranked else None


def _says_something(frame: Frame, hit: Hit) -> bool:
    """Not only words that are analytic phrases by themselves."""
    places = range(hit.start, hit.end)
    if all(i in frame.stop for i in places):
        return hit.candidate.kind == "value" and frame.tokens[hit.start].text.isupper()
    if all(frame.mark_at(i) or i in frame.stop for i in places):
        marks = {m.kind for i in places if (m := frame.mark_at(i))}
        return (
            hit.candidate.kind == "column"
            and hit.candidate.full
            and bool(
                marks
                <= {
                    "max",
                    "min",
                    "sum",
                    "daily",
                    "monthly",
                    "yearly",
                    "diff",
                    "count_after",
                    "rate",
                    "super_asc",
                    "super_desc",
                }
            )
            and (
                len(places) > 1
                or frame.tokens[min(hit.end, len(frame.tokens) - 1)].norm in ("and", "e")
            )
        )
    return True


def _covers(frame: Frame, hit: Hit, start: int, end: int) -> bool:
    """Whether the words of the place that the hit leaves out are empty ones."""
    left_out = [i for i in range(start, end) if not hit.start <= i < hit.end]
    return all(i in frame.stop or i in frame.light or frame.mark_at(i) for i in left_out)


def _names_table(frame: Frame, schema: SchemaView, mention: Mention) -> bool:
    """Whether the very word, or its plural, is the name of a table."""
    said = {frame.tokens[i].norm for i in range(mention.start, mention.end)}
    tables = {c.table for c in mention.candidates if c.kind == "table" and c.full}
    words = {w for t in tables for w in schema.tables[t].words}
    return bool(said & (words | {w + "s" for w in words} | {w.removesuffix("s") for w in words}))


_ASKED = frozenset({"name", "names", "nome", "nomi", "id", "ids"})


def with_silent(
    frame: Frame, schema: SchemaView, mentions: tuple[Mention, ...]
) -> tuple[Mention, ...]:
    """Add the reading "says nothing of its own" where a word is empty or a comment explains it."""
    result = []
    for position, mention in enumerate(mentions):
        if _explained_in_parentheses(frame, mention, mentions[position + 1 : position + 2]):
            result.append(
                Mention(mention.start, mention.end, (replace(NONE, score=0.9, value="alias"),))
            )
            continue
        others = [c for i, m in enumerate(mentions) if i != position for c in m.candidates]
        if (
            mention.best.kind == "value"
            and mention.best.method == "exact"
            and mention.end - mention.start == 1
            and frame.tokens[mention.start].text.isupper()
        ):
            result.append(mention)
        elif _empty(frame, mention) or _commented(frame, schema, mention, others):
            light = _empty(frame, mention) and not _names_table(frame, schema, mention)
            lowered = tuple(
                replace(c, score=min(c.score, 0.5)) if light and c.kind in ("value", "table") else c
                for c in mention.candidates
            )
            result.append(Mention(mention.start, mention.end, (*lowered, NONE)))
        else:
            result.append(mention)
    return tuple(result)


def _explained_in_parentheses(
    frame: Frame, mention: Mention, following: tuple[Mention, ...]
) -> bool:
    """ "Los Angeles (LAX)": the code says it again, more exactly."""
    if not following or mention.best.kind != "value" or following[0].best.kind != "value":
        return False
    other = following[0]
    inside = frame.tokens[mention.end].text == "(" and other.start == mention.end + 1
    return inside and other.end < len(frame.tokens) and frame.tokens[other.end].text == ")"


def _empty(frame: Frame, mention: Mention) -> bool:
    if any(frame.tokens[i].norm in _ASKED for i in range(mention.start, mention.end)):
        return False
    places = range(mention.start, mention.end)
    return all(i in frame.stop or i in frame.light or frame.mark_at(i) for i in places)


def _commented(frame: Frame, schema: SchemaView, mention: Mention, others: list[Candidate]) -> bool:
    words = [t for t in frame.tokens[mention.start : mention.end] if t.index in frame.content]
    after_rank = any(
        m.end >= mention.start - 1 and m.start < mention.start and m.kind.startswith("super")
        for m in frame.marks
    )
    if not words or after_rank or any(t.kind == "quoted" for t in words):
        return False
    for other in others:
        view = (
            schema.column(other.target)
            if other.column and other.kind in ("column", "flag", "formula")
            else None
        )
        if (
            view is not None
            and (view.numeric or view.boolean)
            and not view.is_key_like
            and all(t.stems & view.comment_stems for t in words)
        ):
            return True
    return False
