"""`tht evidence`: its grammar, its exit codes, and standard output that is JSON and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class

from tests.evidence_app.builders import clone_make, commit_all, shell_git, snapshot

ROOT = Path(__file__).parents[3]
SURE = "# Glossario\n- **Ablazione**: procedura che elimina il tessuto\n"
UNSURE = SURE + "- redo: boh, forse la seconda?\n"
LEGACY = """---
concept: Giorni di degenza
columns:
  - a.b.uscita
  - a.b.ingresso
sql: a.b.uscita - a.b.ingresso
status: {status}
sources:
  - verbale
---
Si contano le notti.
"""


def tht(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    command: Any = load_command_class(get_commands()["evidence"], "evidence")
    status = 0
    try:
        command.run_from_argv(["tht", "evidence", *words])
    except SystemExit as ended:
        status = int(ended.code or 0)
    out = capsys.readouterr()
    return status, out.out, out.err


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return clone_make(tmp_path / "clone", {"source/note.md": SURE})


def test_prepare_then_validate(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = tht(capsys, "prepare", str(clone), "--json")
    report = json.loads(out)
    assert (status, report["created"], report["model_calls"]) == (0, ["evidence:ablazione"], 0)
    status, out, _ = tht(capsys, "validate", str(clone), "--json")
    assert (status, json.loads(out)["publishable"]) == (0, True)


def test_open_questions_are_exit_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clone = clone_make(tmp_path / "c", {"source/note.md": UNSURE})
    assert tht(capsys, "prepare", str(clone))[0] == 3
    assert tht(capsys, "validate", str(clone))[0] == 3


def test_errors_are_exit_1_and_change_nothing(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone / "evidence/source/bad.md").write_bytes(b"\xff")
    before = snapshot(clone)
    status, out, _ = tht(capsys, "prepare", str(clone), "--json")
    assert (status, json.loads(out)["code"]) == (1, "text_not_utf8")
    assert snapshot(clone) == before
    assert tht(capsys, "validate", str(clone))[0] == 1


def test_resolve_retires_without_a_commit(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tht(capsys, "prepare", str(clone))
    status, out, _ = tht(capsys, "resolve", str(clone), "evidence:ablazione", "--retire", "--json")
    assert (status, json.loads(out)["code"]) == (1, "worktree_dirty")
    commit_all(clone)
    assert tht(capsys, "resolve", str(clone), "evidence:ablazione", "--retire")[0] == 0
    changed = shell_git(clone, "status", "--short").split()
    assert changed == ["D", "evidence/curated/glossary/ablazione.md", "M", "evidence/manifest.yaml"]


@pytest.mark.parametrize(
    "words",
    [
        ["prepare"],
        ["prepare", "{clone}", "--nope"],
        ["prepare", "{clone}", "--upgrade", "--upgrade"],
        ["prepare", "{clone}", "--restructurer", "other"],
        ["prepare", "{clone}/../link"],
        ["prepare", "{clone}/../plain"],
        ["prepare", "{clone}/missing"],
        ["validate", "{clone}/.git"],
        ["resolve", "{clone}", "evidence:ablazione"],
        ["resolve", "{clone}", "evidence:ablazione", "--retire", "--source", "source/note.md"],
    ],
    ids=" ".join,
)
def test_misuse_is_exit_2(
    clone: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (clone.parent / "link").symlink_to(clone)
    (clone.parent / "plain/evidence").mkdir(parents=True)
    status, out, err = tht(capsys, *(word.format(clone=clone) for word in words))
    assert (status, out) == (2, "")
    assert err
    assert "Traceback" not in err


@pytest.mark.parametrize("place", ["evidence/source/link.md", "evidence/curated", "evidence"])
def test_symbolic_links_inside_are_refused(
    clone: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    link = clone / place
    if link.exists():
        link.rename(clone / "elsewhere")
    link.symlink_to(clone.parent)
    status, out, _ = tht(capsys, "validate", str(clone), "--json")
    assert (status, json.loads(out)["code"]) == (2, "symlink_refused")


def test_hooks_of_the_clone_do_not_run(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marker = clone.parent / "ran"
    shell_git(clone, "config", "core.fsmonitor", f"touch {marker}; false")
    shell_git(clone, "config", "diff.external", f"touch {marker}")
    assert tht(capsys, "prepare", str(clone))[0] == 0
    assert not marker.exists()


def test_migrated_formulas_are_unchanged_sources(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    legacy = clone.parent / "concept_formulas"
    legacy.mkdir()
    (legacy / "a.md").write_text(LEGACY.format(status="approved"))
    draft = LEGACY.format(status="draft").replace("degenza", "attesa")
    (legacy / "b.md").write_text(draft)
    tht(capsys, "prepare", str(clone))
    commit_all(clone)
    words = ["migrate-formulas", str(legacy), "--root", str(clone), "--json"]
    status, out, _ = tht(capsys, *words)
    done = json.loads(out)
    assert (status, done["migrated"]) == (0, ["evidence:giorni-di-degenza"])
    assert [(p["concept"], p["status"]) for p in done["proposals"]] == [
        ("Giorni di attesa", "draft")
    ]
    commit_all(clone)
    before = snapshot(clone)
    status, out, _ = tht(capsys, "prepare", str(clone), "--json")
    assert (status, json.loads(out)["changed"]) == (0, [])
    assert json.loads(tht(capsys, *words)[1])["skipped"] == ["a.md"]
    assert snapshot(clone) == before


def test_neither_keys_nor_database_are_needed(clone: Path) -> None:
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("THOTH_", "DJANGO_"))}
    done = subprocess.run(
        [sys.executable, "-m", "thoth", "evidence", "validate", str(clone), "--json"],
        cwd=ROOT,
        env=plain | {"THOTH_HOME": str(clone.parent / "home"), "THOTH_DB_PORT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["units"] == 0
