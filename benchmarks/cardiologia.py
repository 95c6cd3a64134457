"""The example workspace's own questions on its synthetic warehouse.

python benchmarks/cardiologia.py                     both policies, one tenth of the data
python benchmarks/cardiologia.py --scale 1 --verbose
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.harness import ROOT, installation

if TYPE_CHECKING:
    from sessions_app.evaluation.outcomes import Outcome

FOLDER = ROOT / "workspaces" / "cardiologia"
NAME = "cardiologia"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=20_240_601)
    parser.add_argument("--policy", action="append", choices=("recommended", "oracle"))
    parser.add_argument("--question", action="append", help="only this id; repeatable")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    with installation() as made:
        _load(made, arguments)
        for policy in arguments.policy or ("recommended", "oracle"):
            _measure(policy, arguments)
    return 0


def _load(made: object, arguments: argparse.Namespace) -> None:
    import os

    from benchmarks.harness import Installation
    from thoth.embedded.demo_data import SCHEMA, load
    from thoth.warehouse.valueindex.facade import values_preprocess
    from thoth.workspaces.facade import workspace_write

    assert isinstance(made, Installation)
    dsn = made.database(
        NAME,
        lambda admin: load(admin, arguments.seed, arguments.scale, replace=True) and None,
        schemas=[SCHEMA],
    )
    os.environ["THOTH_CARDIOLOGIA_DSN"] = dsn
    workspace_write(document=(FOLDER / "workspace.yaml").read_text(encoding="utf-8"))
    values_preprocess(NAME)


def _measure(policy: str, arguments: argparse.Namespace) -> None:
    from sessions_app.evaluation.questions import questions_load
    from sessions_app.evaluation.run import line_of, questions_run, summary_text
    from sessions_app.evaluation.session import evaluation_of

    def say(outcome: Outcome) -> None:
        if arguments.verbose:
            print(line_of(outcome), flush=True)
            if outcome.message:
                print("    " + outcome.message.replace("\n", " "))
            if outcome.kind in ("wrong", "superset"):
                print("    " + outcome.sql.replace("\n", "\n    "), flush=True)

    asked = questions_load(FOLDER / "questions.jsonl")
    if arguments.question:
        asked = [q for q in asked if q.id in arguments.question]
    done = questions_run(evaluation_of(NAME, policy, "benchmark"), asked, on_outcome=say)
    print(f"\npolicy {policy}\n{summary_text(done)}")


if __name__ == "__main__":
    raise SystemExit(main())
