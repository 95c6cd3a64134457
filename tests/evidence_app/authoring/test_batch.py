"""The incremental rules, each on a tree of files in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evidence_app.authoring.batch import batch_build
from evidence_app.authoring.port import RestructureFailed
from evidence_app.authoring.report import Batch, BatchRefused
from evidence_app.authoring.restructurers.scripted import ScriptedRestructurer
from evidence_app.manifest import manifest_parse
from evidence_app.units.document import unit_parse
from evidence_app.validation import validate
from tests.evidence_app.builders import after, candidate
from thoth.lib.errors import Conflict

Files = dict[str, bytes]
TWO = b"Ablazione: procedura.\n\nFlutter: aritmia.\n"
A = candidate("Ablazione", "Ablazione: procedura.")
F = candidate("Flutter", "Flutter: aritmia.")
SOURCE = "source/note.md"


def prepared(files: Files, answers: dict[str, Any], **options: Any) -> tuple[Files, Batch, int]:
    script = ScriptedRestructurer(answers)
    batch = batch_build(files, script, **options)
    return after(files, batch.changes), batch, len(script.requests)


def codes(act: Callable[[], object]) -> list[str]:
    with pytest.raises(BatchRefused) as caught:
        act()
    return [finding.code for finding in caught.value.findings]


@pytest.fixture
def files() -> Files:
    return prepared({SOURCE: TWO}, {SOURCE: [A, F]})[0]


def test_a_new_source_gives_units_in_one_call() -> None:
    files, batch, calls = prepared({SOURCE: TWO}, {SOURCE: [A, F]})
    assert calls == batch.report.model_calls == 1
    assert batch.report.created == ("evidence:ablazione", "evidence:flutter")
    assert validate(files).publishable
    assert manifest_parse(files["manifest.yaml"]).sources[SOURCE].units == batch.report.created


def test_nothing_changed_is_no_call_and_no_write(files: Files) -> None:
    again, batch, calls = prepared(files, {})
    assert (calls, batch.changes, batch.report.unchanged) == (0, {}, (SOURCE,))
    assert again == files


@pytest.mark.parametrize(
    "same", [TWO.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + TWO, TWO + b"\n\n", TWO.rstrip()]
)
def test_line_ends_and_byte_order_marks_are_no_change(files: Files, same: bytes) -> None:
    _, batch, calls = prepared({**files, SOURCE: same}, {})
    assert (calls, batch.changes) == (0, {})


def test_ids_of_one_title_are_numbered_in_source_order() -> None:
    texts = {f"source/{name}.md": f"Polso: {name}.\n".encode() for name in "abc"}
    answers = {f"source/{name}.md": [candidate("Polso", f"Polso: {name}.")] for name in "abc"}
    _, batch, _ = prepared(texts, answers)
    assert batch.report.created == ("evidence:polso", "evidence:polso-2", "evidence:polso-3")


def test_a_changed_source_is_asked_once_with_its_previous_units(files: Files) -> None:
    script = ScriptedRestructurer(
        {
            SOURCE: [
                A.model_copy(update={"existing_id": "evidence:ablazione"}),
                F.model_copy(update={"existing_id": "evidence:flutter"}),
            ]
        }
    )
    batch = batch_build({**files, SOURCE: TWO + b"Altro.\n"}, script)
    [request] = script.requests
    assert [unit.id for unit in request.previous_units] == [
        "evidence:ablazione", "evidence:flutter",
    ]  # fmt: skip
    assert batch.report.created == ()
    assert validate(after({**files, SOURCE: TWO + b"Altro.\n"}, batch.changes)).publishable


def test_units_of_a_removed_source_stay_as_orphans_and_block(files: Files) -> None:
    del files[SOURCE]
    again, batch, calls = prepared(files, {})
    assert calls == 0
    assert batch.report.orphaned == ("evidence:ablazione", "evidence:flutter")
    assert again["curated/glossary/flutter.md"] == files["curated/glossary/flutter.md"]
    found = validate(again)
    assert (found.has_errors, found.publishable, len(found.orphans)) == (False, False, 2)
    assert prepared(again, {})[1].changes == {}


def test_orphans_go_home_when_their_source_comes_back(files: Files) -> None:
    gone = {path: text for path, text in files.items() if path != SOURCE}
    orphaned, _, _ = prepared(gone, {})
    both = [c.model_copy(update={"existing_id": f"evidence:{c.title.lower()}"}) for c in (A, F)]
    home, batch, _ = prepared({**orphaned, SOURCE: TWO}, {SOURCE: both})
    assert batch.report.created == ()
    assert home == files


def test_a_renamed_source_keeps_ids_without_a_call(files: Files) -> None:
    moved = {**files, "source/nuovo/note.md": files[SOURCE]}
    del moved[SOURCE]
    again, batch, calls = prepared(moved, {})
    assert (calls, batch.report.renamed) == (0, {SOURCE: "source/nuovo/note.md"})
    unit = unit_parse(again["curated/glossary/flutter.md"], "x")
    assert (unit.id, unit.provenance.source_file) == ("evidence:flutter", "source/nuovo/note.md")
    assert validate(again).publishable


def test_two_copies_of_a_removed_source_are_no_rename(files: Files) -> None:
    moved = {**files, "source/a.md": TWO, "source/b.md": TWO}
    del moved[SOURCE]
    _, batch, calls = prepared(moved, {"source/a.md": [A], "source/b.md": [F]})
    assert (calls, batch.report.renamed) == (2, {})
    assert batch.report.orphaned == ("evidence:ablazione", "evidence:flutter")


def test_a_unit_that_its_source_no_longer_supports_stays_with_a_question(files: Files) -> None:
    files[SOURCE] = b"Ablazione: procedura.\n"
    keep = A.model_copy(update={"existing_id": "evidence:ablazione"})
    again, _, _ = prepared(files, {SOURCE: [keep]})
    unit = unit_parse(again["curated/glossary/flutter.md"], "x")
    assert [item.code for item in unit.review_items] == ["source_no_longer_supports_unit"]
    assert unit.payload == unit_parse(files["curated/glossary/flutter.md"], "x").payload
    found = validate(again)
    assert (found.has_errors, found.publishable) == (False, False)


def test_a_change_of_kind_keeps_the_id_and_moves_the_file(files: Files) -> None:
    files[SOURCE] = TWO + b"Altro.\n"
    kind = candidate(
        "Flutter", "Flutter: aritmia.", existing_id="evidence:flutter", kind="normalization",
        payload={"inputs": ["FLA"], "canonical": "flutter"},
    )  # fmt: skip
    keep = A.model_copy(update={"existing_id": "evidence:ablazione"})
    again, batch, _ = prepared(files, {SOURCE: [keep, kind]})
    assert batch.changes["curated/glossary/flutter.md"] is None
    assert unit_parse(again["curated/normalization/flutter.md"], "x").id == "evidence:flutter"
    assert validate(again).publishable


def test_a_split_has_new_ids_and_the_old_unit_waits_for_a_decision(files: Files) -> None:
    files[SOURCE] = TWO + b"Flutter tipico: destro.\n"
    keep = A.model_copy(update={"existing_id": "evidence:ablazione"})
    parts = [candidate(f"Flutter {x}", "Flutter tipico: destro.") for x in ("tipico", "atipico")]
    again, batch, _ = prepared(files, {SOURCE: [keep, *parts]})
    assert batch.report.created == ("evidence:flutter-tipico", "evidence:flutter-atipico")
    old = unit_parse(again["curated/glossary/flutter.md"], "x")
    assert [item.code for item in old.review_items] == ["retirement_candidate"]
    assert not validate(again).publishable


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ([candidate("X", "non c'è")], "excerpt_not_found"),
        ([A.model_copy(update={"existing_id": "evidence:altrove"})], "existing_id_unknown"),
        ([candidate("X", "Flutter: aritmia.", payload={"term": "X"})], "field_missing"),
        ([candidate("X", "Flutter: aritmia.", kind="formula",
                    payload={"concept": "x", "columns": [], "sql": "SELECT 1"})],
         "formula_not_an_expression"),
        ([candidate("X", "Flutter: aritmia.",
                    payload={"term": "X", "definition": "password: Cuore2023", "synonyms": []})],
         "credential_found"),
    ],
)  # fmt: skip
def test_a_wrong_offer_for_one_source_refuses_the_whole_batch(answer: Any, code: str) -> None:
    files = {SOURCE: TWO, "source/z.md": TWO}
    assert codes(lambda: prepared(files, {SOURCE: [A, F], "source/z.md": answer})) == [code]


def test_one_previous_unit_is_continued_once(files: Files) -> None:
    files[SOURCE] = TWO + b"Altro.\n"
    twice = [A.model_copy(update={"existing_id": "evidence:ablazione"})] * 2
    assert codes(lambda: prepared(files, {SOURCE: twice})) == ["existing_id_twice"]


def test_a_failing_model_refuses_the_whole_batch() -> None:
    with pytest.raises(RestructureFailed) as caught:
        prepared({SOURCE: TWO, "source/z.md": TWO}, {SOURCE: [A, F], "source/z.md": "timeout"})
    assert (caught.value.code, caught.value.extra["source_file"]) == ("timeout", "source/z.md")


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("source/a.pdf", b"x", "source_type_unknown"),
        ("source/a.md", b"\xff\xfe", "text_not_utf8"),
        ("source/a.md", b"a\x00b", "text_nul"),
        ("source/a.md", b"x" * (1024 * 1024 + 1), "file_too_large"),
        ("source/-a.md", b"x", "path_leading_dash"),
        ("source/a.md", b"postgresql://lettore:cuore@db/dw", "credential_found"),
    ],
)
def test_a_bad_source_is_refused_before_any_call(path: str, content: bytes, code: str) -> None:
    script = ScriptedRestructurer({SOURCE: [A, F]})
    assert codes(lambda: batch_build({SOURCE: TWO, path: content}, script)) == [code]
    assert script.requests == []


def test_another_version_of_the_pipeline_needs_a_word(files: Files) -> None:
    files["manifest.yaml"] = files["manifest.yaml"].replace(b"authoring-v1", b"authoring-v0")
    script = ScriptedRestructurer({})
    with pytest.raises(Conflict) as caught:
        batch_build(files, script)
    assert (caught.value.code, script.requests) == ("pipeline_version_mismatch", [])
    both = [c.model_copy(update={"existing_id": f"evidence:{c.title.lower()}"}) for c in (A, F)]
    again, batch, calls = prepared(files, {SOURCE: both}, upgrade=True)
    assert (calls, batch.report.changed) == (1, (SOURCE,))
    assert validate(again).publishable


def test_units_without_a_manifest_are_refused(files: Files) -> None:
    del files["manifest.yaml"]
    assert codes(lambda: prepared(files, {})) == ["manifest_missing"]
