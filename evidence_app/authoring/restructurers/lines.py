"""List items, paragraphs and fences: spellings, addresses, formulas, terms, mappings, queries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidence_app.authoring.restructurers.blocks import Block
from evidence_app.authoring.restructurers.drafts import Draft, one_line
from evidence_app.authoring.restructurers.shapes import (
    ARROW,
    DEFINED,
    GLOSSARY_HEADING,
    LINK,
    URL,
    columns_in,
    is_formula,
    is_query,
    sql_columns,
)

TERM_MAX_WORDS = 7


def draft_of_line(block: Block) -> Iterator[Draft]:
    """At most one unit per line, but one per address; none: it is prose."""
    if URL.search(block.text):
        yield from _references(block)
        return
    for rule in (_normalization, _formula, _mapping, _glossary):
        draft = rule(block)
        if draft is not None:
            yield draft
            return


def _references(block: Block) -> Iterator[Draft]:
    links = {url: label for label, url in LINK.findall(block.text)}
    urls = list(dict.fromkeys([*links, *URL.findall(LINK.sub(" ", block.text))]))
    rest = one_line(URL.sub(" ", LINK.sub(" ", block.text)).strip(" -–—:()"), 2_000)
    for url in urls:
        label = links.get(url) or one_line(rest or url, 100)
        asks = () if rest else ("description_missing",)
        payload = {"url": url, "label": label, "description": rest or label}
        yield Draft("reference", label, payload, (block.raw,), asks, _about(block))


def _normalization(block: Block) -> Draft | None:
    parts = ARROW.split(block.text)
    if len(parts) != 2 or not parts[0] or not parts[1] or len(parts[0]) > 200:
        return None
    inputs = list(dict.fromkeys(x.strip(" \"'«»`*") for x in re.split(r"[,;/]| o ", parts[0])))
    canonical, _, note = _cut(parts[1])
    if not canonical or len(canonical.split()) > 10:
        return None
    payload: dict[str, object] = {"inputs": [x for x in inputs if x], "canonical": canonical}
    if note:
        payload["rule"] = note
    return Draft("normalization", canonical, payload, (block.raw,), (), (canonical,))


def _cut(text: str) -> tuple[str, str, str]:
    """The first words, and a note in parentheses or after a semicolon."""
    found = re.match(r"([^(;]+)([(;])\s*(.*?)\)?$", text)
    if not found:
        return text.strip(" .\"'«»`*"), "", ""
    return found[1].strip(" .\"'«»`*"), found[2], found[3].strip()


def _formula(block: Block) -> Draft | None:
    """`concept = expression` or `concept: expression`, also in backticks."""
    found = re.match(r"(?:\*\*)?([^=:`*]{2,120}?)(?:\*\*)?\s*[:=]\s*`?(.+?)`?\.?$", block.text)
    if not found or not is_formula(found[2]):
        return None
    return _formula_draft(found[1].strip(), found[2].strip("` "), block)


def _formula_draft(concept: str, sql: str, block: Block) -> Draft:
    payload = {"concept": concept, "columns": list(sql_columns(sql)), "sql": sql}
    return Draft("formula", concept, payload, (block.raw,), (), (concept,))


def _mapping(block: Block) -> Draft | None:
    columns = columns_in(block.text)
    found = DEFINED.match(block.text)
    if not columns or not found:
        return None
    concept = found[1].strip(" *`")
    if columns_in(concept):
        concept = columns[0].rpartition(".")[2].replace("_", " ")
    asks = () if len(concept.split()) <= TERM_MAX_WORDS else ("kind_unclear",)
    payload = {"concept": one_line(concept, 200), "columns": list(columns), "rule": block.text}
    return Draft("mapping", concept, payload, (block.raw,), asks, (concept,))


def _glossary(block: Block) -> Draft | None:
    found = DEFINED.match(block.text)
    if not found or len(found[1].split()) > TERM_MAX_WORDS:
        return None
    term, definition = one_line(found[1], 200), one_line(found[2], 4_000)
    bold = block.text.startswith(("**", "__"))
    plain = bold or GLOSSARY_HEADING.search(block.heading)
    synonyms: list[str] = []
    listed = re.match(r"(.+?)\s*\(([^)]{1,60})\)$", term)
    if listed:
        term, synonyms = listed[1], [x.strip() for x in re.split(r"[,;/]", listed[2]) if x.strip()]
    payload = {"term": term, "definition": definition, "synonyms": synonyms}
    asks = () if plain else ("kind_unclear",)
    return Draft("glossary", term, payload, (block.raw,), asks, (term,))


def draft_of_fence(block: Block) -> Iterator[Draft]:
    """A query is an example, an expression a formula; the text above says of what."""
    sql = block.text.strip().rstrip(";").strip()
    asked = block.before or block.heading
    if is_query(sql):
        question = one_line(block.heading if block.heading.endswith("?") else asked, 1_000)
        asks = () if question.endswith("?") else ("question_missing",)
        payload = {"question": question or "?", "sql": sql}
        if block.before and block.before not in question:
            payload["notes"] = block.before
        yield Draft("example", question or "SQL", payload, (block.raw,), asks, _about(block))
    elif is_formula(sql):
        yield _formula_draft(one_line(block.heading or asked, 200) or "Formula", sql, block)
    elif block.text:
        yield Draft(
            "domain",
            asked or block.text,
            {"summary": one_line(asked or block.text, 300) or "SQL"},
            (block.raw,),
            ("sql_unclear",),
            body=f"```{block.language}\n{block.text}\n```",
        )


def _about(block: Block) -> tuple[str, ...]:
    return (block.heading,) if block.heading else ()
