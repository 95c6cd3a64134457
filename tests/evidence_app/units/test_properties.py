"""Reading what was written gives what was there, whatever it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_app.manifest import Manifest, SourceEntry, manifest_dump, manifest_parse
from evidence_app.units.document import unit_dump, unit_parse
from evidence_app.units.model import KINDS, CuratedEvidence
from evidence_app.units.slugs import SLUG, id_allocate, slug_of
from evidence_app.units.text import normalise
from tests.evidence_app.builders import document

# What the model takes: no control, bidirectional or zero-width characters; no credential by chance.
TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp"), include_characters="\n\t"),
    min_size=1,
    max_size=120,
).filter(lambda text: bool(text.strip()) and "://" not in text)
LINES = st.lists(TEXT, max_size=4)
SOME = st.lists(TEXT, min_size=1, max_size=4)
NAME = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
COLUMNS = st.lists(st.tuples(NAME, NAME, NAME).map(".".join), min_size=1, max_size=3, unique=True)
PAYLOADS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "glossary": {"term": TEXT, "definition": TEXT, "synonyms": LINES},
    "domain": {"summary": TEXT},
    "enum": {
        "column": COLUMNS.map(lambda columns: columns[0]),
        "entries": st.lists(
            st.fixed_dictionaries({"value": TEXT, "meaning": TEXT}),
            min_size=1, max_size=4, unique_by=lambda entry: entry["value"].split().__str__(),
        ),
    },
    "example": {"question": TEXT, "sql": TEXT},
    "mapping": {"concept": TEXT, "columns": COLUMNS, "rule": TEXT},
    "normalization": {"inputs": SOME, "canonical": TEXT},
    "formula": {
        "concept": TEXT,
        "columns": COLUMNS,
        "sql": COLUMNS.map(lambda columns: " + ".join(f"coalesce({c}, 0)" for c in columns)),
    },
    "reference": {
        "url": NAME.map(lambda name: f"https://{name.replace('_', 'x')}.example.org/{name}"),
        "label": TEXT,
        "description": TEXT,
    },
}  # fmt: skip


@st.composite
def units(draw: st.DrawFn, kind: str) -> CuratedEvidence:
    value: dict[str, Any] = document()
    value["kind"] = kind
    value["title"] = draw(TEXT)
    value["scope"]["concepts"] = draw(LINES)
    value["payload"] = draw(st.fixed_dictionaries(PAYLOADS[kind]))
    value["limitations"] = draw(st.none() | TEXT)
    value["provenance"]["supporting_excerpts"] = draw(st.lists(TEXT, min_size=1, max_size=5))
    return CuratedEvidence.of(value, draw(TEXT) if kind == "domain" else "")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_parse_of_dump_is_the_unit_and_dump_is_stable(kind: str, data: st.DataObject) -> None:
    unit = data.draw(units(kind))
    text = unit_dump(unit)
    again = unit_parse(text.encode(), "curated/x/x.md")
    assert again == unit
    assert unit_dump(again) == text


PATHS = st.from_regex(r"source/[a-zà-ù0-9_ ]{1,8}(/[a-z]{1,5})?\.(md|txt|sql\.md)", fullmatch=True)
IDS = st.from_regex(r"evidence:[a-z0-9]{1,12}(-[0-9]{1,3})?", fullmatch=True)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(PATHS, st.lists(IDS, max_size=3), max_size=4), st.lists(IDS, max_size=3))
def test_the_manifest_round_trips(sources: dict[str, list[str]], orphans: list[str]) -> None:
    seen: set[str] = set()

    def fresh(ids: list[str]) -> tuple[str, ...]:
        kept = tuple(dict.fromkeys(x for x in ids if x not in seen))
        seen.update(kept)
        return kept

    entries = {
        path: SourceEntry(sha256="sha256:" + "0" * 64, units=fresh(ids))
        for path, ids in sources.items()
    }
    manifest = Manifest(sources=entries, orphans=fresh(orphans))
    text = manifest_dump(manifest)
    assert manifest_parse(text.encode()) == manifest
    assert manifest_dump(manifest_parse(text.encode())) == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=150))
def test_a_slug_is_plain_and_an_id_is_free(title: str) -> None:
    slug = slug_of(title)
    assert SLUG.match(slug)
    assert id_allocate(title, {f"evidence:{slug}", f"evidence:{slug}-2"}) == f"evidence:{slug}-3"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=150))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
