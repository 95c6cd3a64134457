"""The ledger at 10 000 rows: folding it, appending to it, verifying it.

    python benchmarks/ledger.py
    python benchmarks/ledger.py --rows 50000

Fold is the pure function that every page, prerequisite and task document reads the session by. Its
goal is well under 50 ms for 10 000 rows. Append takes the row lock, judges the decision by the view
and signs the row, on a real PostgreSQL; verify reads and re-signs every row.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.builders import clarifications, decide, session_new
from benchmarks.harness import installation
from benchmarks.timing import Timing, machine, met, table, timed

if TYPE_CHECKING:
    from sessions_app.models import Session
    from sessions_app.types import Row

FOLD_GOAL_MS = 50.0
_SHORT = 100
_ROWS_PER_REOPENING, _ROWS_PER_RETRACTION = 1_000, 50
Line = tuple[object, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=20)
    arguments = parser.parse_args()
    with installation():
        print(machine())
        print(report(arguments.rows, arguments.repeat))
    return 0


def report(count: int, repeat: int) -> str:
    """Medians, and each beside the least that the same work can cost."""
    short, long = session_new(), session_new()
    decide(short, clarifications(_SHORT))
    decide(long, clarifications(count))
    lines = [
        _fold_line("fold, nothing taken back", _plain(count), repeat),
        _fold_line("fold, retractions and reopenings", _taken_back(count), repeat),
        *_append_lines(short, long, repeat),
        _verify_line(long, max(3, repeat // 5)),
    ]
    return table(
        (f"{count} rows", "CPU ms", "median ms", "p95 ms", "beside", "ratio", "goal"), lines
    )


def _line(name: str, timing: Timing, beside: str, base: Timing, goal: str = "") -> Line:
    ratio = f"{timing.median_ms / base.median_ms:.1f}"
    return (
        name,
        f"{timing.cpu_median_ms:.1f}",
        f"{timing.median_ms:.1f}",
        f"{timing.p95_ms:.1f}",
        beside,
        ratio,
        goal,
    )


def _fold_line(name: str, rows: list[Row], repeat: int) -> Line:
    from sessions_app import workflow
    from sessions_app.view import effective

    flow = workflow.default()
    fold = timed(lambda: effective(flow, rows), repeat=repeat)
    one_pass = timed(lambda: {row.seq: row for row in rows}, repeat=repeat)
    holds = fold.median_ms <= FOLD_GOAL_MS * len(rows) / 10_000
    return _line(name, fold, "one dict of the rows", one_pass, met(holds=holds))


def _plain(count: int) -> list[Row]:
    from sessions_app.types import Row

    return [
        Row(seq=n, type="concept_clarified", phase="F1", stage="clarification", subject=f"c{n}")
        for n in range(1, count + 1)
    ]


def _taken_back(count: int) -> list[Row]:
    """Every 50th row takes back the one before it, every 1 000th goes back to the first phase."""
    from dataclasses import replace

    rows = _plain(count)
    for place in range(_ROWS_PER_RETRACTION - 1, count, _ROWS_PER_RETRACTION):
        rows[place] = replace(rows[place], type="decision_retracted", subject=f"seq:{place}")
    for place in range(_ROWS_PER_REOPENING - 1, count, _ROWS_PER_REOPENING):
        rows[place] = replace(rows[place], type="phase_reopened", subject="phase:F1")
    return rows


def _append_lines(short: Session, long: Session, repeat: int) -> list[Line]:
    from sessions_app import ledger

    numbers = iter(range(1_000_000, 2_000_000))

    def one(session: Session) -> Timing:
        return timed(lambda: decide(session, clarifications(1, first=next(numbers))), repeat=repeat)

    base, appended = one(short), one(long)
    read = timed(lambda: ledger.rows(long), repeat=repeat)
    batch = timed(
        lambda: decide(long, clarifications(200, first=next(numbers) * 1_000)), repeat=3, warm_up=0
    )
    return [
        _line("reading all rows", read, "append of 1", appended),
        _line("append of 1", appended, f"append at {_SHORT} rows", base),
        _line("append of 200 at once", batch, "append of 1", appended),
    ]


def _verify_line(session: Session, repeat: int) -> Line:
    from sessions_app.verify import verify

    assert verify(session) == []
    checked = timed(lambda: verify(session), repeat=repeat, warm_up=0)
    signed = timed(lambda: _signatures(session.ledger_count), repeat=repeat)
    return _line("verify", checked, "HMAC of 1 KiB per row", signed)


def _signatures(count: int) -> None:
    message = b"x" * 1024
    for _ in range(count):
        hmac.new(b"key", message, hashlib.sha256).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
