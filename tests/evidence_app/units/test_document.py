"""Every kind takes what it should and refuses the rest with the code that says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from evidence_app.units.document import unit_dump, unit_parse, unit_read
from evidence_app.units.findings import UnitInvalid
from evidence_app.units.model import KINDS
from evidence_app.units.yamltext import yaml_dump
from tests.evidence_app.builders import changed, document, unit_text

DATA = Path(__file__).parents[2] / "data" / "evidence"
FILES = {kind: yaml.safe_load((DATA / f"{kind}.yaml").read_text("utf-8")) for kind in KINDS}
ENVELOPE = yaml.safe_load((DATA / "envelope.yaml").read_text("utf-8"))["refused"]
BAD = yaml.safe_load((DATA / "bad_files.yaml").read_text("utf-8"))


def file_of(data: dict[str, Any], case: dict[str, Any]) -> bytes:
    change = dict(case.get("change", {}))
    body = change.pop("body", data["body"])
    value = changed(document(data["kind"], data["payload"]), change, case.get("remove", []))
    return f"---\n{yaml_dump(value)}---\n{body}\n".encode()


def cases(which: str) -> list[Any]:
    return [
        pytest.param(data, case, id=f"{kind}: {case['name']}")
        for kind, data in FILES.items()
        for case in data[which]
    ]


def codes(content: bytes) -> set[str]:
    with pytest.raises(UnitInvalid) as caught:
        unit_parse(content, "curated/x/x.md")
    return {finding.code for finding in caught.value.findings}


@pytest.mark.parametrize(("data", "case"), cases("accepted"))
def test_accepted(data: dict[str, Any], case: dict[str, Any]) -> None:
    unit = unit_parse(file_of(data, case), "curated/x/x.md")
    assert unit.kind == data["kind"]
    text = unit_dump(unit)
    assert unit_parse(text.encode(), "curated/x/x.md") == unit
    assert unit_dump(unit_parse(text.encode(), "curated/x/x.md")) == text


@pytest.mark.parametrize(("data", "case"), cases("refused"))
def test_refused(data: dict[str, Any], case: dict[str, Any]) -> None:
    assert case["code"] in codes(file_of(data, case))


@pytest.mark.parametrize("case", ENVELOPE, ids=lambda case: case["name"])
def test_envelope_refused(case: dict[str, Any]) -> None:
    assert case["code"] in codes(file_of({**FILES["glossary"], "body": ""}, case))


@pytest.mark.parametrize("case", BAD, ids=lambda case: case["name"])
def test_bad_file(case: dict[str, Any]) -> None:
    text = case["text"]
    if "repeat" in case:
        part, times = case["repeat"]
        text += part * times + case["then"] * times + "\n---\n"
    content = text.encode("latin-1" if case.get("latin1") else "utf-8")
    assert codes(content) == {case["code"]}


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert codes(("---\n" + "\n".join(lines) + "\n---\n").encode()) == {"yaml_alias"}


def test_every_problem_of_a_file_is_named_with_its_line() -> None:
    text = b"---\nid: 0012\ncountry: NO\nversion: 1.10\n---\n"
    with pytest.raises(UnitInvalid) as caught:
        unit_parse(text, "curated/x/x.md")
    assert [(x.code, x.field, x.message[:6]) for x in caught.value.findings] == [
        ("yaml_not_text", "id", "Line 2"),
        ("yaml_not_text", "country", "Line 3"),
        ("yaml_not_text", "version", "Line 4"),
    ]


def test_a_byte_order_mark_and_crlf_are_read_and_said() -> None:
    content = b"\xef\xbb\xbf" + unit_text().replace(b"\n", b"\r\n")
    unit, notes = unit_read(content, "curated/glossary/ablazione.md")
    assert unit == unit_parse(unit_text(), "x")
    assert {(note.severity, note.code) for note in notes} == {
        ("warning", "text_bom"),
        ("warning", "text_crlf"),
    }


def test_a_finding_never_repeats_the_secret() -> None:
    content = unit_text().replace(b"Procedura.", b"password: Cuore2023x")
    with pytest.raises(UnitInvalid) as caught:
        unit_parse(content, "curated/x/x.md")
    assert "Cuore2023x" not in str(caught.value.extra) + caught.value.message


def test_a_unit_cannot_be_changed_in_place() -> None:
    unit = unit_parse(unit_text(), "x")
    with pytest.raises(ValueError, match="frozen"):
        unit.provenance.source_file = "source/other.md"  # type: ignore[misc]
