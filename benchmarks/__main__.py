"""Run the benchmarks one after the other, each in a process of its own.

    python -m benchmarks                       all of them; make bench does this
    python -m benchmarks --list                what there is
    python -m benchmarks pages ledger          only these

Two measure on corpora that are not part of this repository: they are looked for in ../shared/bench
(--corpora) and left out, by name, where there is none.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPORA = HERE.parents[1] / "shared" / "bench"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A file of this folder; `corpus` is the folder of the third-party material it reads, if any."""

    name: str
    corpus: str = ""

    @property
    def file(self) -> Path:
        return HERE / f"{self.name}.py"

    @property
    def summary(self) -> str:
        """The first sentence of the file's own description."""
        text = ast.get_docstring(ast.parse(self.file.read_text(encoding="utf-8"))) or ""
        return text.partition("\n")[0]

    def missing(self, corpora: Path) -> Path | None:
        """The corpus that is not there."""
        folder = corpora / self.corpus
        return folder if self.corpus and not folder.is_dir() else None

    def command(self, corpora: Path) -> list[str]:
        given = ["--corpus", str(corpora / self.corpus)] if self.corpus else []
        return [sys.executable, str(self.file), *given]


# Seconds first, minutes last.
BENCHMARKS = (
    Benchmark("guard"),
    Benchmark("taskdoc"),
    Benchmark("ledger"),
    Benchmark("pages"),
    Benchmark("vector_service"),
    Benchmark("evidence_authoring"),
    Benchmark("cardiologia"),
    Benchmark("value_index", corpus="values"),
    Benchmark("nl2sql", corpus="nl2sql"),
)


def main() -> int:
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("only", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--list", action="store_true", help="say what there is, run nothing")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="folder of the corpora")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.only) - set(names)):
        parser.error(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(names)})")
    chosen = [b for b in BENCHMARKS if not arguments.only or b.name in arguments.only]
    if arguments.list:
        return _list(chosen, arguments.corpora)
    failed = [benchmark.name for benchmark in chosen if not _run(benchmark, arguments.corpora)]
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


def _list(chosen: list[Benchmark], corpora: Path) -> int:
    width = max(len(benchmark.name) for benchmark in chosen)
    for benchmark in chosen:
        missing = benchmark.missing(corpora)
        note = f" [left out: no corpus at {missing}]" if missing else ""
        print(f"{benchmark.name.ljust(width)}  {benchmark.summary}{note}")
    return 0


def _run(benchmark: Benchmark, corpora: Path) -> bool:
    """Whether it ended well; one that cannot be run here has not failed."""
    print(f"\n== {benchmark.name}: {benchmark.summary}", flush=True)
    missing = benchmark.missing(corpora)
    if missing:
        print(f"left out: its corpus is not part of this repository and not at {missing}")
        return True
    started = time.monotonic()
    code = subprocess.run(benchmark.command(corpora), cwd=HERE.parent, check=False).returncode
    print(f"-- {benchmark.name}: {time.monotonic() - started:.0f} s, exit {code}", flush=True)
    return code == 0


if __name__ == "__main__":
    raise SystemExit(main())
