"""Authoring Evidence at 1 000 sources and 5 000 units: prepare with nothing changed, validate.

    python benchmarks/evidence_authoring.py
    python benchmarks/evidence_authoring.py --sources 200

Beside each stands reading the same files once, and the peak memory of the process. No database.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from evidence_app.authoring.prepare import evidence_prepare, evidence_validate
from evidence_app.authoring.restructurers.analyst import AnalystRestructurer
from evidence_app.units.tree import directory_read
from thoth.workspaces.git import git

UNITS_PER_SOURCE = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sources", type=int, default=1_000)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(report(Path(folder).resolve(), arguments.sources, arguments.repeat))
    return 0


def report(root: Path, sources: int, repeat: int) -> str:
    """Best of `repeat` runs, in seconds, and each as a multiple of reading the files."""
    write(root, sources)
    first = timed(lambda: evidence_prepare(root, AnalystRestructurer()), 1)
    commit(root)
    read = timed(lambda: directory_read(root / "evidence"), repeat)
    prepare = timed(lambda: evidence_prepare(root, AnalystRestructurer()), repeat)
    validate = timed(lambda: evidence_validate(root), repeat)
    units = len(evidence_validate(root).tree.units)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = [f"{sources} sources, {units} units, peak memory {peak_mib:.0f} MiB"]
    named = [("read once", read), ("prepare, nothing changed", prepare), ("validate", validate)]
    for name, seconds in [*named, ("prepare, everything new", first)]:
        lines.append(f"{name:<26} {seconds:8.2f} s {seconds / read:8.1f} x")
    return "\n".join(lines)


def timed(act: Callable[[], object], repeat: int) -> float:
    """The best of `repeat` runs, in seconds."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - start)
    return best


def write(root: Path, sources: int) -> None:
    """A clone whose sources give UNITS_PER_SOURCE terms each."""
    folder = root / "evidence/source"
    folder.mkdir(parents=True)
    for number in range(sources):
        terms = (
            f"- **Termine {number}-{index}**: definizione numero {index} della voce {number}"
            for index in range(UNITS_PER_SOURCE)
        )
        text = f"# Glossario {number}\n" + "\n".join(terms) + "\n"
        (folder / f"{number:05}.md").write_text(text, encoding="utf-8")
    git(["init", "--quiet", "."], cwd=root)
    commit(root)


def commit(root: Path) -> None:
    """Everything is committed."""
    git(["add", "--all", "."], cwd=root, timeout_s=300)
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    git([*who, "commit", "--quiet", "-m", "state"], cwd=root, timeout_s=300)


if __name__ == "__main__":
    raise SystemExit(main())
