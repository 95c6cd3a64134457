"""The value index against its goals, and against MinHash LSH as CHESS uses it, in one run.

    python benchmarks/value_index.py                  100 000 triples, 600 queries, under a minute
    python benchmarks/value_index.py --scale 1m       the full corpus and all queries, minutes

The corpus generator and the baseline are not part of the product: they are read from
`../shared/bench/values` (or --corpus). Generated data is kept in the system's temporary directory
and made again when missing. Each phase is a process of its own, so memory is what a process that
only searches needs.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks.value_corpus import (  # noqa: E402 - after the path
    TRIPLE,
    generated,
    harder,
    queries_of,
    relabelled,
    triples,
)
from benchmarks.value_report import QUESTIONS, report  # noqa: E402

SCALES = {"100k": 100_000, "200k": 200_000, "1m": 1_000_000}
WORKSPACE = "bench"


class ListSource:
    """The corpus as a warehouse; every column is stored, its rows counted as one each."""

    def __init__(self, rows: Iterable[TRIPLE]) -> None:
        self._values: dict[str, dict[str, int]] = defaultdict(dict)
        for table, column, value in rows:
            held = self._values[f"dw.{table}.{column}"]
            held[value] = held.get(value, 0) + 1

    def columns(self) -> list[Any]:
        from thoth.warehouse.valueindex.source import SourceColumn

        return [SourceColumn(name, policy="index") for name in sorted(self._values)]

    def distinct_values(self, column: str, limit: int) -> list[Any]:
        from thoth.warehouse.valueindex.source import DistinctValue

        return [DistinctValue(*pair) for pair in list(self._values[column].items())[:limit]]

    def count_value(self, column: str, value: str) -> int:
        return self._values[column].get(value, 0)


def _catalog(rows: Iterable[TRIPLE]) -> Any:
    from thoth.contracts.schema import Catalog, Column, Table

    tables: dict[str, dict[str, Column]] = defaultdict(dict)
    for table, column, _ in rows:
        tables[table][column] = Column(name=column, type="text", family="text")
    return Catalog(
        workspace=WORKSPACE,
        version="bench",
        tables=tuple(
            Table(schema_name="dw", name=name, columns=tuple(columns.values()))
            for name, columns in sorted(tables.items())
        ),
    )


def build(folder: Path) -> dict[str, float]:
    """Migrate, index everything, then change 10 000 values and refresh."""
    from django.core.management import call_command

    from thoth.warehouse.valueindex.facade import index_refresh

    call_command("migrate", "warehouse", verbosity=0)
    rows = _load(folder / "triples.pkl")
    source = ListSource(rows)
    figures = {"build_s": _timed(lambda: index_refresh(WORKSPACE, source))}
    table, column, _ = rows[0]
    held = source._values[f"dw.{table}.{column}"]
    held.update({f"valore aggiunto {n} variante": 1 for n in range(10_000)})
    tables = {f"dw.{table}"}
    figures["add_s"] = _timed(lambda: index_refresh(WORKSPACE, source, tables=tables))
    for n in range(10_000):
        del held[f"valore aggiunto {n} variante"]
    figures["remove_s"] = _timed(lambda: index_refresh(WORKSPACE, source, tables=tables))
    figures["unchanged_s"] = _timed(lambda: index_refresh(WORKSPACE, source))
    return figures


def search(folder: Path) -> dict[str, Any]:
    """Every query once after a short warm-up; memory is the growth of this process."""
    from thoth.warehouse.valueindex.facade import values_search
    from thoth.warehouse.valueindex.normal import norm

    catalog, queries = _load(folder / "catalog.pkl"), _load(folder / "queries.pkl")
    from django.db import connection

    connection.ensure_connection()
    before = _resident_mb()
    load_s = _timed(lambda: values_search(WORKSPACE, "riscaldamento", catalog=catalog))
    for query in queries[:20]:
        values_search(WORKSPACE, query["q"], catalog=catalog)
    answers = []
    for query in queries:
        start = time.perf_counter()
        spans = values_search(WORKSPACE, query["q"], catalog=catalog)
        took = time.perf_counter() - start
        answers.append((took, [[(norm(h.value), h.column) for h in span.hits] for span in spans]))
    return {"answers": answers, "load_s": load_s, "rss_mb": _resident_mb() - before}


def baseline(folder: Path) -> dict[str, Any]:
    """One MinHash per triple, threshold .01, top ten by Jaccard: what CHESS does."""
    corpus = _load(folder / "corpus_path.pkl")
    sys.path.insert(0, str(corpus))
    from datasketch import MinHash, MinHashLSH
    from m_datasketch import Method  # type: ignore[import-not-found]

    rows, queries = _load(folder / "baseline.pkl"), _load(folder / "queries.pkl")
    method = Method.__new__(Method)
    method.H, method.lsh = {}, MinHashLSH(threshold=Method.thr, num_perm=100)
    start = time.perf_counter()
    for number, (table, column, value) in enumerate(rows):
        # The same sketch as the baseline's own build, updated in one call: only faster to make.
        sketch = MinHash(num_perm=100)
        sketch.update_batch([value[i : i + 3].encode() for i in range(len(value) - 2)])
        key = f"{table}_{column}_{number}"
        method.H[key] = (sketch, table, column, value)
        method.lsh.insert(key, sketch, check_duplication=False)
    figures: dict[str, Any] = {"build_s": time.perf_counter() - start, "triples": len(rows)}
    for kind in ("literal", "question"):
        chosen = [q for q in queries if (q["type"] in QUESTIONS) == (kind == "question")]
        random.Random(1).shuffle(chosen)
        times, seconds = [], 0.0
        for query in chosen:
            if seconds > figures_budget(folder) or len(times) >= 100:
                break
            times.append(_timed(lambda q=query: method.lit(q["q"])))  # type: ignore[misc]
            seconds += times[-1]
        figures[kind] = times
    return figures


def figures_budget(folder: Path) -> float:
    return float(_load(folder / "budget.pkl"))


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _load(path: Path) -> Any:
    return pickle.loads(path.read_bytes())


def _save(path: Path, value: object) -> None:
    path.write_bytes(pickle.dumps(value, 5))


def main() -> int:
    options = _options()
    if options.phase:
        return _phase(options.phase, Path(options.folder))
    corpus = Path(options.corpus)
    if not (corpus / "gen.py").exists():
        print(f"{corpus} has no gen.py: this benchmark needs the value corpus. Nothing measured.")
        return 0
    import django

    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: timings are of a quiet "
          "machine only below 1", flush=True)  # fmt: skip
    scale = SCALES[options.scale]
    data = generated(corpus)
    server = _server()
    django.setup()
    with tempfile.TemporaryDirectory(prefix="thoth-value-bench-") as name:
        folder = Path(name)
        try:
            server.start()
            figures, queries, rows = _measure(options, corpus, data, scale, folder)
        finally:
            server.stop_leftover()
            shutil.rmtree(server.root.parent, ignore_errors=True)
    report(queries, figures, set(rows))
    return 0


def _measure(
    options: argparse.Namespace, corpus: Path, data: Path, scale: int, folder: Path
) -> tuple[dict[str, Any], list[dict[str, Any]], list[TRIPLE]]:
    from thoth.warehouse.valueindex.normal import norm

    everything = queries_of(data, options.queries, None)
    rows = triples(data, scale, everything)
    queries = queries_of(data, options.queries, 600 if scale <= SCALES["100k"] else None)
    if not options.plain:
        present = {norm(value) for _, _, value in rows}
        queries += relabelled(harder(everything, present, 40, seed=11), rows)
    queries = relabelled(queries, rows)
    base_rows = min(scale, SCALES["200k"]) if scale > SCALES["100k"] else 25_000
    files = {
        "triples": rows, "queries": queries, "catalog": _catalog(rows), "corpus_path": corpus,
        "baseline": rows[:base_rows], "budget": 30 if scale > SCALES["100k"] else 4,
    }  # fmt: skip
    for name, value in files.items():
        _save(folder / f"{name}.pkl", value)
    phases = ["build", "search"] + ([] if options.no_baseline else ["baseline"])
    return {phase: _run_phase(phase, folder) for phase in phases}, queries, rows


def _server() -> Any:
    from thoth.embedded.postgres import THROW_AWAY, PostgresServer
    from thoth.embedded.processes import free_port, service_user

    root = Path(tempfile.mkdtemp(prefix="thoth-value-bench-pg-"))
    root.chmod(0o711)
    settings = {**THROW_AWAY, "shared_buffers": "512MB", "jit": "off"}
    server = PostgresServer(
        root=root / "pg", port=free_port(), password="bench",  # noqa: S106
        user=service_user(), settings=tuple(settings.items()),
    )  # fmt: skip
    os.environ.update(
        {
            "DJANGO_SETTINGS_MODULE": "thoth.settings.test",
            "THOTH_DB_HOST": "127.0.0.1",
            "THOTH_DB_PORT": str(server.port),
            "THOTH_DB_USER": "postgres",
            "THOTH_DB_NAME": "postgres",
            "THOTH_DB_PASSWORD": "bench",
        }
    )
    return server


def _run_phase(phase: str, folder: Path) -> Any:
    command = [sys.executable, __file__, "--phase", phase, "--folder", str(folder)]
    subprocess.run(command, check=True)
    return _load(folder / f"{phase}.out")


def _phase(phase: str, folder: Path) -> int:
    if phase != "baseline":
        import django

        django.setup()
    result = {"build": build, "search": search, "baseline": baseline}[phase](folder)
    _save(folder / f"{phase}.out", result)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", choices=SCALES, default="100k")
    parser.add_argument("--corpus", default=str(ROOT.parent / "shared" / "bench" / "values"))
    parser.add_argument("--queries", choices=("test", "dev"), default="test")
    parser.add_argument("--no-baseline", action="store_true")
    parser.add_argument("--plain", action="store_true", help="without our own harder queries")
    parser.add_argument("--phase", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
