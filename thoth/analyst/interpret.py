"""From a question to its best joint reading, with what remains unexplained or competes."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pydantic import ValidationError

from thoth.analyst.explained import unexplained
from thoth.analyst.guide import Guide, guided
from thoth.analyst.language.frame import Frame, read_frame
from thoth.analyst.language.tokens import stems
from thoth.analyst.linking.graph import JoinGraph
from thoth.analyst.linking.mentions import Candidate, Mention, segmentations
from thoth.analyst.linking.schema_view import SchemaView
from thoth.analyst.linking.vocabulary import expanded
from thoth.analyst.reading.draft import Draft
from thoth.analyst.reading.reading import Reading
from thoth.analyst.reading.resolve import Resolver, Unresolved
from thoth.analyst.reading.walk import Walker
from thoth.analyst.steering import steer, steered
from thoth.contracts.schema import Table
from thoth.contracts.tools import JoinEdge, JoinPath, SchemaSlice, ValueSearch, ValueSpan
from thoth.runtime.port import Toolbox

_BEAM = 48
_NEAR = 0.45
_MAX_TABLES = 16


@dataclass(frozen=True)
class Interpretation:
    """`readings` best first; the first may have trouble: then nothing better was found."""

    frame: Frame
    schema: SchemaView
    mentions: tuple[Mention, ...]
    readings: tuple[Reading, ...]
    guide: Guide

    @property
    def best(self) -> Reading | None:
        return self.readings[0] if self.readings else None


def interpret(
    question: str, today: dt.date, language: str, tools: Toolbox, guide: Guide | None = None
) -> Interpretation:
    """Deterministic: the same question, day, decisions and warehouse give the same interpretation.

    Texts that the decisions hold (`guide.steering`) are read first and steer how the question is.
    """
    guide = guide or Guide()
    frame = read_frame(question, today, language)
    values = _narrowed(frame, tools.search_values(question), tools)
    schema, edges = load_schema(frame, values, tools, guide.steering)
    steers = [
        steer(t, today, frame.language, schema, tools.search_values(t)) for t in guide.steering
    ]
    if any(s.period for s in steers) and not frame.periods:
        period = next(s.period for s in reversed(steers) if s.period)
        frame = read_frame(f"{question.rstrip(' ?.')} {period}?", today, language)
    counted = next((s.counted for s in reversed(steers) if s.counted), None)
    return read(frame, schema, values, edges, steered(guide, steers), counted)


_SURE = frozenset({"exact", "normalised", "glued"})


def _narrowed(frame: Frame, values: ValueSearch, tools: Toolbox) -> ValueSearch:
    """Inside long spans that only resemble a value, the names that stand there are asked for alone."""
    extra: list[ValueSpan] = []
    for span in values.spans:
        if " " not in span.text or any(hit.match in _SURE for hit in span.hits):
            continue
        for start, end in _names_in(frame, span):
            for found in tools.search_values(frame.text[start:end]).spans:
                moved = {"start": found.start + start, "end": found.end + start}
                extra.append(found.model_copy(update=moved))
    return values.model_copy(update={"spans": (*values.spans, *extra)}) if extra else values


def _names_in(frame: Frame, span: ValueSpan) -> list[tuple[int, int]]:
    """Characters of the runs of capitalised words inside the span, the span itself left out."""
    runs: list[tuple[int, int]] = []
    for token in frame.tokens:
        if token.start < span.start or token.end > span.end or not token.text[:1].isupper():
            continue
        if runs and token.start - runs[-1][1] <= 1:
            runs[-1] = (runs[-1][0], token.end)
        else:
            runs.append((token.start, token.end))
    return [run for run in runs if run != (span.start, span.end)][:3]


def load_schema(
    frame: Frame, values: ValueSearch, tools: Toolbox, texts: tuple[str, ...] = ()
) -> tuple[SchemaView, tuple[JoinEdge, ...]]:
    """The tables that may matter, described: named in words or synonyms, holding a cited value,
    referred to by those, or standing between them."""
    names = [hit.table for text in texts for hit in tools.search_schema(text).hits[:2]]
    names += _named_tables(frame, tools)
    names += [hit.column.rpartition(".")[0] for span in values.spans for hit in span.hits]
    names = list(dict.fromkeys(names))[:_MAX_TABLES]
    slices = _rendered(names, tools)
    known = {t.full_name for part in slices for t in part.tables}
    around = [k.ref_table for part in slices for t in part.tables for k in t.foreign_keys]
    tables = [t for part in slices for t in part.tables]
    paths = [] if _hang_together(tables) else _between(names, tools)
    around += [table for path in paths for table in path.tables]
    more = [name for name in dict.fromkeys(around) if name not in known]
    edges = {edge.subject: edge for path in paths for edge in path.edges}
    return SchemaView([*slices, *_rendered(more[:_MAX_TABLES], tools)]), tuple(edges.values())


def _named_tables(frame: Frame, tools: Toolbox) -> list[str]:
    words = [frame.tokens[i].norm for i in (*frame.content, *sorted(frame.light))]
    searches = [tools.search_schema(frame.text)]
    synonyms = " ".join(expanded(words))
    if synonyms:
        searches.append(tools.search_schema(synonyms))
    searches.append(tools.search_schema("id name code number date description type"))
    if any(search.omitted for search in searches):
        searches += [tools.search_schema(word) for word in dict.fromkeys(words[:12])]
    ranked = [[hit.table for hit in search.hits] for search in searches]
    return [table for found in ranked for table in found]


def _rendered(names: list[str], tools: Toolbox) -> list[SchemaSlice]:
    """Descriptions in slices of at most eight; what a slice leaves out is asked again, fewer at a time."""
    slices: list[SchemaSlice] = []
    waiting = [names[i : i + 8] for i in range(0, len(names), 8)]
    while waiting:
        asked = waiting.pop(0)
        part = tools.render_schema(tuple(asked))
        slices.append(part)
        if part.tables and part.omitted:
            waiting.append([name for name in asked if name in part.omitted])
    return slices


def _hang_together(tables: list[Table]) -> bool:
    """Whether declared foreign keys alone connect all tables."""
    links = [{t.full_name, key.ref_table} for t in tables for key in t.foreign_keys]
    reached = {tables[0].full_name} if tables else set()
    while grown := [link for link in links if link & reached and not link <= reached]:
        reached = reached.union(*grown)
    return {t.full_name for t in tables} <= reached


def _between(names: list[str], tools: Toolbox) -> list[JoinPath]:
    """The ways between the named tables."""
    if "join_paths" not in tools.names or len(names) < 2:
        return []
    found: list[JoinPath] = []
    for start in range(0, len(names), 2):
        group = list(dict.fromkeys([names[0], *names[start : start + 2]]))
        if len(group) < 2:
            continue
        found += tools.join_paths(tuple(group)).paths
    return found


def read(
    frame: Frame,
    schema: SchemaView,
    values: ValueSearch,
    edges: tuple[JoinEdge, ...] = (),
    guide: Guide | None = None,
    counted: str | None = None,
) -> Interpretation:
    """All joint readings, best first. Pure. `counted`: the table whose rows the reviewer wants counted."""
    guide = guide or Guide()
    kept = tuple(e for e in edges if {e.left, e.right} <= set(schema.tables))
    graph = JoinGraph(schema, kept, guide.banned)
    ways = [guided(frame, way, guide) for way in segmentations(frame, schema, values)]
    found = []
    for mentions in ways:
        readings = [
            _reading(frame, schema, graph, choice, counted, guide.answers)
            for choice in _choices(mentions)
        ]
        readings.sort(key=lambda r: (-r.score, r.keys))
        found.append(Interpretation(frame, schema, mentions, tuple(readings), guide))
    return min(found, key=lambda f: -f.readings[0].score if f.readings else 99.0)


def _choices(
    mentions: tuple[Mention, ...],
) -> list[list[tuple[Mention, Candidate]]]:
    """The most promising joint choices: good names, few tables."""
    beam: list[tuple[float, list[tuple[Mention, Candidate]]]] = [(0.0, [])]
    for mention in mentions:
        top = mention.best.score
        options = [c for c in mention.candidates if c.score >= top - _NEAR]
        grown = []
        for score, chosen in beam:
            tables = {c.table for _, c in chosen if c.table}
            for candidate in options:
                bonus = (
                    0.3
                    if candidate.table in tables
                    else (-0.1 if chosen and candidate.table else 0.0)
                )
                bonus += _nearness(chosen[-1] if chosen else None, mention, candidate)
                bonus += (
                    0.6
                    if mention.start
                    and any(
                        candidate.column
                        and c.target == candidate.target
                        and c.kind == candidate.kind
                        for _, c in chosen
                    )
                    else 0.0
                )
                grown.append((score + candidate.score + bonus, [*chosen, (mention, candidate)]))
        grown.sort(key=lambda item: (-item[0], [c.key for _, c in item[1]]))
        beam = grown[:_BEAM]
    return [chosen for _, chosen in beam]


def _nearness(
    before: tuple[Mention, Candidate] | None, mention: Mention, candidate: Candidate
) -> float:
    """Neighbours speak of one another: "state of California", "Computer Science program"."""
    if before is None or mention.start - before[0].end > 3:
        return 0.0
    other = before[1]
    pair = {other.kind, candidate.kind}
    if pair == {"value", "column"} and other.target == candidate.target:
        return 0.5
    if (
        pair == {"value", "table"}
        and other.table == candidate.table
        and mention.start - before[0].end <= 1
    ):
        return 0.3
    if pair == {"table", "column"} and other.table == candidate.table:
        return 0.15
    return 0.0


def _reading(
    frame: Frame,
    schema: SchemaView,
    graph: JoinGraph,
    choice: list[tuple[Mention, Candidate]],
    counted: str | None = None,
    answers: dict[str, str] | None = None,
) -> Reading:
    walker = Walker(frame, schema, choice)
    walker.answers = answers or {}
    draft = walker.run()
    if counted is not None:
        _count_instead(draft, counted)
    for filter_ in draft.filters:
        if filter_.mention >= 0:
            filter_.alternatives = list(choice[filter_.mention][0].candidates)
    resolver = Resolver(frame, schema, graph, draft)
    try:
        reading = resolver.resolve()
    except Unresolved as error:
        reading = resolver.reading
        reading.trouble = (error.code, error.words)
    except ValidationError:
        reading = resolver.reading
        reading.trouble = ("unsupported_construct", ())
    reading.ignored = draft.ignored
    reading.grains = draft.grains
    reading.keys = tuple(c.key for _, c in choice)
    reading.unexplained = unexplained(frame, schema, choice, reading)
    reading.score = _score(frame, schema, choice, reading)
    return reading


def _count_instead(draft: Draft, table: str) -> None:
    """The reviewer said whose rows to count: every row count counts those."""
    target = Candidate("table", table, score=1.0)
    for measure in draft.measures:
        if measure.agg == "count":
            if (
                measure.target is not None
                and measure.target.kind == "table"
                and measure.target.table != table
            ):
                draft.context.append(measure.target)
            measure.target = target
    draft.entity = target


def _said_table_words(frame: Frame, schema: SchemaView, reading: Reading) -> int:
    """How many words of the used tables' names the question says, in any form."""
    said = {s for t in frame.tokens if t.kind == "word" for s in t.stems}
    words = {w for t in reading.tables if t in schema.tables for w in schema.tables[t].words}
    return sum(bool(stems(w) & said) for w in words)


def _score(
    frame: Frame, schema: SchemaView, choice: list[tuple[Mention, Candidate]], reading: Reading
) -> float:
    score: float = sum(c.score * (m.end - m.start) ** 0.5 for m, c in choice)
    before = None
    for pair in choice:
        score += _nearness(before, *pair)
        before = pair
    targets = [c.target for _, c in choice if c.column and c.kind == "column"]
    score += 0.3 * (len(targets) - len(set(targets)))
    score += 0.12 * _said_table_words(frame, schema, reading)
    score -= 0.25 * reading.widened
    score -= 0.35 * max(0, len(reading.tables) - 1)
    score -= 0.4 * sum(e.cardinality == "many_to_many" for e in reading.joins)
    score -= 2.0 * len(reading.unexplained) + reading.penalty
    if reading.trouble is not None or reading.intent is None:
        score -= 50
    return score
