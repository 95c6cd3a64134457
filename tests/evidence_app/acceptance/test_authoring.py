"""Acceptance, part one: from rough notes to publishable units in a clone, without a model.

`make acceptance-evidence` runs it. Everything goes through a real Git working tree.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evidence_app.authoring.port import RestructureFailed
from evidence_app.authoring.prepare import evidence_prepare, evidence_resolve, evidence_validate
from evidence_app.authoring.report import BatchRefused
from evidence_app.authoring.restructurers.analyst import AnalystRestructurer
from evidence_app.authoring.restructurers.scripted import ScriptedRestructurer
from evidence_app.manifest import manifest_parse
from tests.evidence_app.builders import candidate, clone_make, commit_all, shell_git, snapshot
from thoth.lib.errors import Conflict

ROUGH = (Path(__file__).parents[2] / "data/evidence/appunti.md").read_text("utf-8")
OTHER = "# Altro\n- **Flutter**: aritmia atriale\n"
ABLAZIONE = "evidence/curated/glossary/ablazione.md"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The two sources prepared by the analyst and committed."""
    root = clone_make(tmp_path / "c", {"source/appunti.md": ROUGH, "source/altro.md": OTHER})
    evidence_prepare(root, AnalystRestructurer())
    commit_all(root)
    return root


def edit(root: Path, path: str, old: str, new: str) -> None:
    file = root / path
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_rough_notes_become_typed_units_of_one_source_each(clone: Path) -> None:
    found = evidence_validate(clone)
    assert not found.has_errors
    assert len({unit.kind for unit in found.tree.units.values()}) == 8
    manifest = manifest_parse((clone / "evidence/manifest.yaml").read_bytes())
    for unit in found.tree.units.values():
        assert unit.id in manifest.sources[unit.provenance.source_file].units


def test_ambiguity_is_a_question_that_blocks(clone: Path) -> None:
    found = evidence_validate(clone)
    assert "source_uncertain" in {item.code for item in found.review_items}
    assert not found.publishable


def test_the_same_sources_again_are_no_call_and_no_write(clone: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (clone / "evidence").rglob("*")}
    script = ScriptedRestructurer({})
    assert evidence_prepare(clone, script).model_calls == 0
    assert script.requests == []
    assert {p: p.stat().st_mtime_ns for p in (clone / "evidence").rglob("*")} == before


@pytest.mark.parametrize("how", ["edited", "new", "deleted", "staged", "manifest"])
def test_what_is_not_committed_is_refused_before_any_call(clone: Path, how: str) -> None:
    edit(clone, "evidence/source/altro.md", "aritmia", "aritmia frequente")
    if how == "new":
        (clone / "evidence/curated/glossary/nuova.md").write_text("x")
    elif how == "deleted":
        (clone / ABLAZIONE).unlink()
    elif how == "manifest":
        edit(clone, "evidence/manifest.yaml", "orphans: []", "orphans: [ ]")
    else:
        edit(clone, ABLAZIONE, "elimina", "toglie")
    if how == "staged":
        shell_git(clone, "add", ".")
    before = snapshot(clone)
    script = ScriptedRestructurer({})
    with pytest.raises(Conflict) as caught:
        evidence_prepare(clone, script)
    assert (caught.value.code, script.requests) == ("worktree_dirty", [])
    assert snapshot(clone) == before


def test_a_checkout_with_crlf_asks_nothing(clone: Path) -> None:
    for path in (clone / "evidence").rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    script = ScriptedRestructurer({})
    evidence_prepare(clone, script)
    assert script.requests == []


def test_a_person_s_words_stay_in_git_and_a_proposal_is_in_the_diff(clone: Path) -> None:
    edit(clone, ABLAZIONE, "elimina il tessuto", "toglie il tessuto")
    commit_all(clone)
    edit(clone, "evidence/source/appunti.md", "- **Ablazione**: procedura", "- **Ablazione**: atto")
    evidence_prepare(clone, AnalystRestructurer())
    diff = shell_git(clone, "diff", "--", ABLAZIONE)
    assert "-  definition: procedura che toglie il tessuto" in diff
    assert "+  definition: atto che elimina il tessuto" in diff
    assert "toglie il tessuto" in shell_git(clone, "show", f"HEAD:{ABLAZIONE}")


def test_orphans_block_until_a_curator_decides(clone: Path) -> None:
    (clone / "evidence/source/altro.md").unlink()
    report = evidence_prepare(clone, AnalystRestructurer())
    assert report.orphaned == ("evidence:flutter",)
    found = evidence_validate(clone)
    assert (found.has_errors, found.publishable, found.orphans) == (
        False, False, ("evidence:flutter",),
    )  # fmt: skip
    commit_all(clone)
    assert evidence_resolve(clone, "evidence:flutter", retire=True).orphans == ()


def test_another_pipeline_needs_upgrade_and_then_reads_every_source(clone: Path) -> None:
    edit(clone, "evidence/manifest.yaml", "authoring-v1", "authoring-v0")
    commit_all(clone)
    before = snapshot(clone)
    with pytest.raises(Conflict) as caught:
        evidence_prepare(clone, AnalystRestructurer())
    assert caught.value.code == "pipeline_version_mismatch"
    assert snapshot(clone) == before
    report = evidence_prepare(clone, AnalystRestructurer(), upgrade=True)
    assert report.changed == ("source/altro.md", "source/appunti.md")
    assert report.created == ()


def test_a_rename_keeps_ids(clone: Path) -> None:
    (clone / "evidence/source/altro.md").rename(clone / "evidence/source/flutter.md")
    report = evidence_prepare(clone, ScriptedRestructurer({}))
    assert report.renamed == {"source/altro.md": "source/flutter.md"}
    assert report.validation.tree.by_id()["evidence:flutter"][1].provenance.source_file == (
        "source/flutter.md"
    )


def test_a_change_of_kind_keeps_the_id(clone: Path) -> None:
    edit(clone, "evidence/source/altro.md", "aritmia", "un'aritmia")
    new = candidate(
        "Flutter", "un'aritmia atriale", existing_id="evidence:flutter", kind="normalization",
        payload={"inputs": ["FLA"], "canonical": "flutter"},
    )  # fmt: skip
    report = evidence_prepare(clone, ScriptedRestructurer({"source/altro.md": [new]}))
    path, _ = report.validation.tree.by_id()["evidence:flutter"]
    assert path == "curated/normalization/flutter.md"
    assert not (clone / "evidence/curated/glossary/flutter.md").exists()


def test_a_split_retires_only_by_decision(clone: Path) -> None:
    edit(clone, "evidence/source/altro.md", "atriale\n", "atriale\n- tipico: destro\n")
    parts: Any = [candidate(f"Flutter {x}", "tipico: destro") for x in ("tipico", "atipico")]
    report = evidence_prepare(clone, ScriptedRestructurer({"source/altro.md": parts}))
    assert report.created == ("evidence:flutter-tipico", "evidence:flutter-atipico")
    [item] = [x for x in report.validation.review_items if x.unit == "evidence:flutter"]
    assert item.code == "retirement_candidate"
    commit_all(clone)
    after = evidence_resolve(clone, "evidence:flutter", retire=True)
    assert "evidence:flutter" not in after.tree.by_id()


@pytest.mark.parametrize("wrong", ["timeout", "bad candidate", "bad source"])
def test_one_invalid_source_leaves_every_file_as_it_was(clone: Path, wrong: str) -> None:
    edit(clone, "evidence/source/appunti.md", "boh", "mah")
    edit(clone, "evidence/source/altro.md", "aritmia", "un'aritmia")
    if wrong == "bad source":
        (clone / "evidence/source/zz.md").write_bytes(b"\x00")
    before = snapshot(clone)
    answers: dict[str, Any] = {
        "source/altro.md": [candidate("Flutter", "un'aritmia")],
        "source/appunti.md": "timeout" if wrong == "timeout" else [candidate("X", "altrove")],
    }
    with pytest.raises((BatchRefused, RestructureFailed)):
        evidence_prepare(clone, ScriptedRestructurer(answers))
    assert snapshot(clone) == before
