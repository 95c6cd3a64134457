"""Third-party databases and questions that nobody here wrote: does the right number come out?

    python benchmarks/nl2sql.py                              all databases, both policies
    python benchmarks/nl2sql.py --db broker --policy oracle --verbose

The corpus is read from `../shared/bench/nl2sql` (or --corpus) and never copied. Golds run directly,
read-only, because they may use what the product's guard refuses; answers run as the product runs
them. Part of the golds are relative to today, so databases are loaded anew each time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.harness import SHARED, Installation, installation

if TYPE_CHECKING:
    from sessions_app.evaluation.compare import Rows
    from sessions_app.evaluation.outcomes import Outcome

CORPUS = SHARED / "nl2sql"
POLICIES = ("recommended", "oracle")


def main() -> int:
    arguments = _arguments()
    corpus: Path = arguments.corpus
    if not (corpus / "questions.jsonl").is_file():
        print(f"The corpus is not at {corpus}: nothing measured. Name it with --corpus.")
        return 0
    with installation() as made:
        databases = arguments.db or sorted(_databases(corpus))
        for name in databases:
            load(made, corpus, name)
            print(f"loaded {name}", file=sys.stderr, flush=True)
        report = measure(made, corpus, databases, arguments)
    if arguments.out:
        arguments.out.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--db", action="append", help="only this database; repeatable")
    parser.add_argument("--policy", action="append", choices=POLICIES)
    parser.add_argument("--question", action="append", help="only this id; repeatable")
    parser.add_argument("--no-unanswerable", action="store_true")
    parser.add_argument(
        "--verbose", action="store_true", help="one line per question, with the SQL"
    )
    parser.add_argument("--out", type=Path, help="file for everything as JSON")
    return parser.parse_args()


def _databases(corpus: Path) -> set[str]:
    files = (corpus / "databases").glob("*.sql")
    return {file.stem for file in files if not file.name.endswith(".comments.sql")}


def load(made: Installation, corpus: Path, name: str) -> None:
    """The database with its comments, and a workspace of the same name over it."""

    def fill(dsn: str) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for file in (f"{name}.sql", f"{name}.comments.sql"):
                connection.execute((corpus / "databases" / file).read_bytes())

    dsn = made.database(f"bench_{name}", fill, schemas=["public"])
    made.workspace(name, dsn, language="en", schemas=["public"])


def measure(
    made: Installation, corpus: Path, databases: Iterable[str], arguments: argparse.Namespace
) -> dict[str, object]:
    """Runs what was asked for and prints the tables; returns all outcomes by policy."""
    from sessions_app.evaluation.outcomes import refusals, table, totals

    report: dict[str, object] = {}
    for policy in arguments.policy or POLICIES:
        groups = [(name, _ask(made, corpus, name, policy, arguments)) for name in databases]
        done = [outcome for _, group in groups for outcome in group]
        figures = totals(done)
        print(f"\npolicy {policy}\n{table(groups, by='database')}")
        print(f"\nwrong ≤ a quarter of exact: {figures['wrong'] * 4 <= figures['exact']}")
        print("refused: " + ", ".join(f"{r} {n}" for r, n in refusals(done).items()))
        report[policy] = [outcome.as_dict() for outcome in done]
    if not arguments.no_unanswerable:
        report["unanswerable"] = _unanswerable(made, corpus, databases, arguments)
    return report


def _ask(
    made: Installation, corpus: Path, name: str, policy: str, arguments: argparse.Namespace,
    file: str = "questions.jsonl",
) -> list[Outcome]:  # fmt: skip
    from dataclasses import replace

    from sessions_app.evaluation.questions import questions_load
    from sessions_app.evaluation.run import line_of, questions_run
    from sessions_app.evaluation.session import evaluation_of

    def say(outcome: Outcome) -> None:
        if arguments.verbose:
            print(line_of(outcome), flush=True)
            if outcome.message:
                print("    " + outcome.message.replace("\n", " "))
            if outcome.kind in ("wrong", "superset", "answered"):
                print("    " + outcome.sql.replace("\n", "\n    "), flush=True)

    asked = questions_load(corpus / file, db=name)
    if arguments.question:
        asked = [q for q in asked if q.id in arguments.question]
    evaluation = evaluation_of(name, policy, "benchmark")
    evaluation = replace(evaluation, gold_rows=lambda sql: _gold_rows(made, name, sql))
    return questions_run(evaluation, asked, on_outcome=say)


def _gold_rows(made: Installation, name: str, sql: str) -> Rows:
    from sessions_app.evaluation.compare import Rows, normalise
    from thoth.lib.errors import Upstream

    try:
        with made.admin(f"bench_{name}") as connection:
            connection.execute("SET default_transaction_read_only = on")
            cursor = connection.execute(sql.encode())
            rows = tuple(
                tuple(normalise(v, "text" if isinstance(v, str) else "other") for v in row)
                for row in cursor.fetchall()
            )
            return Rows(len(cursor.description or ()), rows)
    except psycopg.Error as error:
        raise Upstream("gold_failed", str(error)) from error


def _unanswerable(
    made: Installation, corpus: Path, databases: Iterable[str], arguments: argparse.Namespace
) -> list[dict[str, object]]:
    """Questions that the data cannot answer: how many got an answer all the same."""
    done: list[Outcome] = []
    for name in databases:
        done += _ask(made, corpus, name, "recommended", arguments, "unanswerable.jsonl")
    lines = (corpus / "unanswerable.jsonl").read_text(encoding="utf-8").splitlines()
    meanings = {v["category"]: v["category_meaning"] for v in map(json.loads, lines)}
    print("\nunanswerable, policy recommended")
    for category in sorted({outcome.category for outcome in done}):
        group = [outcome for outcome in done if outcome.category == category]
        answered = sum(outcome.kind == "answered" for outcome in group)
        share = 100 * answered / len(group)
        print(f"  {meanings[category]:<40} answered {answered:>3} of {len(group)}  ({share:.0f} %)")
    return [outcome.as_dict() for outcome in done]


if __name__ == "__main__":
    raise SystemExit(main())
