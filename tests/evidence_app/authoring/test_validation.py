"""What blocks publication, each with its code."""

from __future__ import annotations

import pytest

from evidence_app.authoring.batch import batch_build
from evidence_app.authoring.resolution import resolution_build
from evidence_app.authoring.restructurers.scripted import ScriptedRestructurer
from evidence_app.units.findings import FINDINGS_MAX
from evidence_app.validation import validate
from tests.evidence_app.builders import after, candidate
from thoth.lib.errors import ThothError

Files = dict[str, bytes]
SOURCE, UNIT = "source/note.md", "curated/glossary/ablazione.md"


@pytest.fixture
def files() -> Files:
    start = {
        SOURCE: b"Ablazione: procedura.\n",
        "source/b.md": b"Flutter.\nAblazione: procedura.\n",
    }
    script = ScriptedRestructurer(
        {
            SOURCE: [candidate("Ablazione", "Ablazione: procedura.")],
            "source/b.md": [candidate("Flutter", "Flutter.")],
        }
    )
    return after(start, batch_build(start, script).changes)


def codes(files: Files) -> set[str]:
    return {finding.code for finding in validate(files).findings}


def test_a_sound_tree_is_publishable(files: Files) -> None:
    found = validate(files)
    assert (found.findings, found.publishable, len(found.tree.units)) == ((), True, 2)


def test_each_fault_has_its_code(files: Files) -> None:
    text = files[UNIT]
    assert codes({**files, SOURCE: b"Altro.\n"}) == {
        "source_changed", "source_hash_mismatch", "excerpt_not_found",
    }  # fmt: skip
    assert codes({**files, "curated/glossary/copia.md": text}) == {"id_duplicate"}
    assert codes({**files, "curated/enum/x.md": text}) >= {"directory_kind_mismatch"}
    assert codes({**files, "curated/glossary/note.txt": b"x"}) == {"curated_file_unexpected"}
    assert codes({**files, "curated/concept/x.md": text}) == {"directory_unknown"}
    assert codes({**files, "curated/glossary/X.md": text}) == {"file_name_invalid"}
    assert codes({**files, "curated/glossary/-x.md": text}) == {"path_leading_dash"}
    assert codes({**files, "source/c.md": b"x\n"}) == {"source_not_prepared"}
    assert validate({**files, "source/c.md": b"x\n"}).publishable
    assert codes({path: x for path, x in files.items() if path != UNIT}) == {"unit_missing"}
    assert codes({path: x for path, x in files.items() if path != "manifest.yaml"}) == {
        "manifest_missing"
    }
    assert "unit_not_in_manifest" in codes(
        {**files, "curated/glossary/x.md": text.replace(b"evidence:ablazione", b"evidence:x")}
    )
    moved = text.replace(b"source/note.md", b"source/b.md")
    assert "source_claimed_twice" in codes({**files, UNIT: moved})


def test_findings_are_bounded_and_say_how_many_are_missing(files: Files) -> None:
    many = {f"curated/glossary/X{n}.md": b"x" for n in range(FINDINGS_MAX + 50)}
    findings = validate({**files, **many}).findings
    assert len(findings) == FINDINGS_MAX
    assert findings[-1].code == "findings_omitted"


def test_retiring_and_relinking(files: Files) -> None:
    gone = after(files, resolution_build(files, "evidence:ablazione", retire=True, source=None))
    assert UNIT not in gone
    assert validate(gone).publishable
    changes = resolution_build(files, "evidence:ablazione", retire=False, source="source/b.md")
    moved = after(files, changes)
    assert validate(moved).publishable
    assert b"source_file: source/b.md" in moved[UNIT]


@pytest.mark.parametrize(
    ("unit", "retire", "source", "code"),
    [
        ("evidence:ablazione", True, "source/b.md", "resolution_choice"),
        ("evidence:ablazione", False, None, "resolution_choice"),
        ("evidence:nessuno", True, None, "evidence_unknown"),
        ("evidence:ablazione", False, "source/../x.md", "source_unknown"),
        ("evidence:flutter", False, SOURCE, "excerpt_not_found"),
    ],
)
def test_refused_resolutions(
    files: Files, unit: str, source: str | None, code: str, *, retire: bool
) -> None:
    with pytest.raises(ThothError) as caught:
        resolution_build(files, unit, retire=retire, source=source)
    assert caught.value.code == code


@pytest.mark.parametrize("other", ["source/NOTE.md", "source/caffe\u0300.md"])
def test_files_that_are_one_on_some_machines_collide(files: Files, other: str) -> None:
    files["source/caff\u00e8.md"] = b"Altro.\n"
    assert "path_collision" not in codes(files)
    assert "path_collision" in codes({**files, other: b"Altro.\n"})
