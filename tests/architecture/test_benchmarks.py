"""`python -m benchmarks` knows every benchmark, and says which it cannot run here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return result.stdout


def test_every_benchmark_is_listed() -> None:
    files = (ROOT / "benchmarks").glob("[!_]*.py")
    runnable = {f.stem for f in files if '__name__ == "__main__"' in f.read_text(encoding="utf-8")}
    assert runnable == {line.split()[0] for line in _run("--list").splitlines()}


def test_a_benchmark_without_its_corpus_is_left_out_by_name(tmp_path: Path) -> None:
    said = _run("value_index", "nl2sql", "--corpora", str(tmp_path))
    assert said.count("left out") == 2
    assert str(tmp_path / "values") in said


def test_every_benchmark_is_documented() -> None:
    text = (ROOT / "docs/developers/benchmarks.md").read_text(encoding="utf-8")
    for line in _run("--list").splitlines():
        assert f"| `{line.split()[0]}` |" in text
