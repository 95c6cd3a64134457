"""A badly structured page becomes typed units without a model; what is doubtful is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evidence_app.authoring.batch import batch_build
from evidence_app.authoring.restructurers.analyst import AnalystRestructurer
from evidence_app.units.model import CuratedEvidence
from evidence_app.units.tree import directory_read
from evidence_app.validation import validate
from tests.evidence_app.builders import after
from thoth.embedded.demo_data import SCHEMA_SQL

PAGE = (Path(__file__).parents[2] / "data/evidence/appunti.md").read_bytes()


def units_of(text: str | bytes) -> dict[tuple[str, str], CuratedEvidence]:
    content = text if isinstance(text, bytes) else text.encode()
    batch = batch_build({"source/x.md": content}, AnalystRestructurer())
    assert batch.report.model_calls == 0
    return {(u.kind, u.title): u for u in batch.report.validation.tree.units.values()}


def test_the_page_is_split_into_all_the_kinds_it_holds() -> None:
    units = units_of(PAGE)
    assert {kind for kind, _ in units} == {
        "domain", "enum", "example", "formula", "glossary", "mapping", "normalization", "reference",
    }  # fmt: skip
    enum: Any = units["enum", "Esito del ricovero"].payload
    assert enum.column == "dw.fact_ricovero.esito"
    assert [(e.value, e.meaning) for e in enum.entries] == [("1", "dimesso"), ("2", "deceduto")]
    formula: Any = units["formula", "giorni di degenza"].payload
    assert formula.columns == ("dw.fact_ricovero.data_dimissione", "dw.fact_ricovero.data_ricovero")
    spelling: Any = units["normalization", "fibrillazione atriale"].payload
    assert spelling.inputs == ("FA", "f.a.", "fib. atriale")
    example: Any = units["example", "Quante ablazioni nel 2023?"].payload
    assert example.question == "Quante ablazioni nel 2023?"
    assert units["glossary", "Ablazione"].review_items == ()


def test_what_the_writer_is_not_sure_of_is_a_question() -> None:
    [unit] = [unit for (_, title), unit in units_of(PAGE).items() if title == "redo"]
    assert "source_uncertain" in {item.code for item in unit.review_items}


@pytest.mark.parametrize(
    ("text", "kind", "asks"),
    [
        ("FA -> fibrillazione atriale", "normalization", set()),
        ("FA → fibrillazione atriale (nelle visite)", "normalization", set()),
        ("## Glossary\n- ablation: removes tissue", "glossary", set()),
        ("- ablazione: toglie tessuto", "glossary", {"kind_unclear"}),
        ("vedi https://example.org/a, utile", "reference", set()),
        ("https://example.org/a", "reference", {"description_missing"}),
        ("|a|b|\n|-|-|\n|1|2|", "domain", {"table_unclear", "kind_unclear"}),
        ("codice;descrizione\nP;primo\nS;secondo", "domain", {"column_unknown"}),
        ("```\nSELECT 1\n```", "example", {"question_missing"}),
        ("# Scarti\n```sql\nUPDATE a SET b = 1\n```", "domain", {"sql_unclear"}),
        ("# Età\n```sql\na.b.c / 365\n```", "formula", set()),
        ("# Reparti\nSono sei.", "domain", set()),
        ("# Wards\nMaybe six.", "domain", {"source_uncertain"}),
    ],
)
def test_one_place(text: str, kind: str, asks: set[str]) -> None:
    [unit] = units_of(text).values()
    assert (unit.kind, {item.code for item in unit.review_items}) == (kind, asks)


def test_codes_of_several_columns_are_one_unit_each() -> None:
    text = "Tabella dw.t.sesso e dw.t.tipo.\n\ncolonna;codice;descrizione\nsesso;M;maschio\ntipo;P;primo\nsesso;F;femmina\n"
    units = units_of(text)
    sesso: Any = units["enum", "sesso"].payload
    assert (sesso.column, [e.value for e in sesso.entries]) == ("dw.t.sesso", ["M", "F"])
    assert ("enum", "tipo") in units


def test_reviewed_wording_stays_while_the_source_supports_it() -> None:
    start = {"source/x.md": PAGE}
    files = after(start, batch_build(start, AnalystRestructurer()).changes)
    path = "curated/glossary/ablazione.md"
    files[path] = files[path].replace(b"definition: procedura che", b"definition: Procedura che")
    files["source/x.md"] = PAGE + b"\nflutter -> flutter atriale\n"
    batch = batch_build(files, AnalystRestructurer())
    assert batch.report.created == ("evidence:flutter-atriale",)
    assert b"definition: Procedura che" in after(files, batch.changes)[path]
    files["source/x.md"] = PAGE.replace(b"da cui nasce", b"da cui comincia")
    batch = batch_build(files, AnalystRestructurer())
    assert batch.report.created == ()
    assert b"da cui comincia" in after(files, batch.changes)[path]


def test_the_sources_of_the_example_clinic_give_sound_drafts() -> None:
    files = directory_read(SCHEMA_SQL.parent / "evidence")
    sources = {path: text for path, text in files.items() if path.startswith("source/")}
    batch = batch_build(sources, AnalystRestructurer())
    found = validate(after(sources, batch.changes))
    assert not found.has_errors
    assert {unit.provenance.source_file for unit in found.tree.units.values()} == set(sources)
    assert len(found.tree.units) > 150
