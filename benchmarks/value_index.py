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
SCALES = {"100k": 100_000, "200k": 200_000, "1m": 1_000_000}
WORKSPACE = "bench"
QUESTIONS = (
    "sent",
    "sent_typo",
    "sent_code",
    "sent_salient",
    "none",
    "two",
    "unseen",
    "unseen_none",
)
GOALS = {
    "exact": 0.995, "case_accent": 0.995, "typo1": 0.995, "code_fmt": 0.995, "sent": 0.995,
    "sent_code": 0.995, "sent_salient": 0.99, "typo2": 0.99, "order": 0.99, "salient": 0.99,
    "salient_common": 0.99, "partial_typo": 0.99, "plural": 0.98, "substring": 0.98,
    "sent_typo": 0.98, "salient_typo": 0.95, "two": 0.98, "stress": 0.95,
}  # fmt: skip
TRIPLE = tuple[str, str, str]


# ---------- data ---------------------------------------------------------------------------------
def generated(corpus: Path) -> Path:
    """The folder of the generator's output, made on first use (about half a minute)."""
    folder = Path(tempfile.gettempdir()) / f"thoth-value-bench-{os.getuid()}"
    if not (folder / "done").exists():
        folder.mkdir(exist_ok=True)
        print(f"generating the corpus in {folder} …", flush=True)
        environment = {**os.environ, "VALUES_DATA": str(folder)}
        subprocess.run(
            [sys.executable, str(corpus / "gen.py")],
            env=environment, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        (folder / "done").touch()
    return folder


def triples(data: Path, scale: int, queries: list[dict[str, Any]]) -> list[TRIPLE]:
    """A part of the corpus that keeps every value a query is about, as the generator's own does."""
    size = 1_000_000 if scale > 200_000 else 200_000
    with (data / f"corpus_{size}.pkl").open("rb") as file:
        whole: list[TRIPLE] = pickle.load(file)["trip"]
    if scale >= len(whole):
        return whole
    from thoth.warehouse.valueindex.normal import norm

    few = 10
    needed = {gold for query in queries if len(query["gold"]) <= few for gold in query["gold"]}
    kept = [triple for triple in whole if norm(triple[2]) in needed]
    rest = [triple for triple in whole if norm(triple[2]) not in needed]
    random.Random(5).shuffle(rest)
    return kept + rest[: max(scale - len(kept), 0)]


def queries_of(data: Path, name: str, count: int | None) -> list[dict[str, Any]]:
    """The generator's queries; with `count`, that many, every type in its share."""
    with (data / f"queries_{name}.pkl").open("rb") as file:
        everything: list[dict[str, Any]] = pickle.load(file)
    if count is None or count >= len(everything):
        return everything
    step = len(everything) / count
    return [everything[int(place * step)] for place in range(count)]


# ---------- our own harder queries ---------------------------------------------------------------
FRAMES = (
    "fammi sapere a quante persone è stata attribuita la voce {} negli ultimi due trimestri",
    "nel 2021 qual era, in media, l'età di chi presentava {}?",
    "ci interessa l'andamento settimanale di {} nelle sedi della provincia",
    "which share of the elderly visitors ended up with {} during winter?",
    "break down {} by gender and quarter, newest first, please",
    "di tutti gli assistiti visti a maggio, quanti avevano {} e quanti no?",
)
FILLERS = (
    "un esito peggiore del previsto", "più di tre visite nello stesso anno", "at least two stays",
    "un costo sopra la media", "nessuna dimissione registrata", "a longer stay than usual",
)  # fmt: skip
TWO = (
    "quanti ricoveri con {} risultano anche associati a {} nel 2022?",
    "compare the number of cases with {} against those with {} per year",
)


def harder(
    queries: list[dict[str, Any]], present: set[str], count: int, seed: int
) -> list[dict[str, Any]]:
    """Unseen frames, two literals, and the stress kinds, made from the values of other queries."""
    chance = random.Random(seed)
    exact = [q for q in queries if q["type"] in ("exact", "case_accent") and len(q["q"]) >= 8]
    exact = [q for q in exact if len(q["q"].split()) <= 6 and set(q["gold"]) <= present]
    found: list[dict[str, Any]] = []
    for _ in range(count):
        one, other = chance.sample(exact, 2)
        frame = chance.choice(FRAMES)
        found += [
            {**one, "type": "unseen", "q": frame.format(one["q"].lower())},
            {
                "type": "unseen_none",
                "q": frame.format(chance.choice(FILLERS)),
                "gold": [],
                "cols": [],
            },
            {
                "type": "two",
                "q": chance.choice(TWO).format(one["q"].lower(), other["q"].lower()),
                "gold": sorted({*one["gold"], *other["gold"]}),
                "cols": sorted({*map(tuple, one["cols"]), *map(tuple, other["cols"])}),
            },
        ]
        found += [
            {**one, "type": "stress", "q": text} for text in _stressed(one["gold"][0], chance)
        ]
    return found


def _stressed(value: str, chance: random.Random) -> list[str]:
    """Abbreviated words, misread letters, three edits, extra words, a wrong first letter."""
    words = value.split()
    longest = max(range(len(words)), key=lambda place: len(words[place]))
    word = words[longest]
    kinds: list[str] = []
    if len(word) > 7 and word.isalpha():
        swap = lambda new: " ".join([*words[:longest], new, *words[longest + 1 :]])  # noqa: E731
        middle = chance.randrange(2, len(word) - 2)
        kinds = [
            swap(word[:6] + "."),
            swap(word.replace("o", "0", 1).replace("l", "1", 1)),
            swap(chance.choice("bdfgmprt") + word[1:]),
            swap(word[:middle] + word[middle + 1 :]) + " da verificare",
        ]
        if len(word) > 10:
            kinds.append(swap(word[1:4] + word[5:8] + word[9:]))
    return kinds


# ---------- phases -------------------------------------------------------------------------------
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


# ---------- report -------------------------------------------------------------------------------
def report(queries: list[dict[str, Any]], figures: dict[str, Any], present: set[TRIPLE]) -> None:
    answers = figures["search"]["answers"]
    by_type: dict[str, list[tuple[float, float]]] = defaultdict(list)
    columns: list[float] = []
    answered: dict[str, list[bool]] = defaultdict(list)
    spans_per: list[int] = []
    for query, (_, groups) in zip(queries, answers, strict=True):
        kind = query["type"]
        if kind.endswith("none"):
            answered[kind].append(bool(groups))
            continue
        if kind in QUESTIONS:
            answered["literal questions kept"].append(bool(groups))
            spans_per.append(len(groups))
        gold = {value for _, _, value in present.intersection(map(tuple, query["cols"]))}
        if gold:
            by_type[kind].append(_recalls(groups, gold))
            columns += _column_recall(query, groups, gold, present)
    print(f"\n{'type':16}{'n':>5}{'R@1':>8}{'R@10':>8}{'goal':>8}")
    for kind, pairs in by_type.items():
        goal = GOALS.get(kind, 0.0)
        ten = _mean(r for _, r in pairs)
        mark = "" if ten >= goal else "  below"
        print(
            f"{kind:16}{len(pairs):5}{_mean(r for r, _ in pairs):8.3f}{ten:8.3f}{goal:8.3f}{mark}"
        )
    every = [pair for kind, pairs in by_type.items() if kind != "stress" for pair in pairs]
    print(
        f"{'overall':16}{len(every):5}{_mean(a for a, _ in every):8.3f}{_mean(b for _, b in every):8.3f}"
    )
    print(f"columns of multi-column values {_mean(columns):.3f} (goal 0.990)")
    for kind, flags in answered.items():
        print(f"{kind}: answered {sum(flags)} of {len(flags)}")
    print(f"spans per question with a literal: {_mean(spans_per):.2f}")
    _report_speed(queries, figures)


def _report_speed(queries: list[dict[str, Any]], figures: dict[str, Any]) -> None:
    times: dict[str, list[float]] = {"literal": [], "question": []}
    for query, (took, _) in zip(queries, figures["search"]["answers"], strict=True):
        times["question" if query["type"] in QUESTIONS else "literal"].append(took * 1000)
    built, found = figures["build"], figures["search"]
    print(f"build {built['build_s']:.1f} s (≤ 15 at 1m); refresh of a table with 10 000 new values "
          f"{built['add_s']:.2f} s, 10 000 gone {built['remove_s']:.2f} s (≤ 0.5); of all tables, nothing "
          f"changed, {built['unchanged_s']:.2f} s; vocabulary load {found['load_s']:.2f} s; "
          f"+{found['rss_mb']:.0f} MB (≤ 40)")  # fmt: skip
    goals = {"literal": (2, 5, 40), "question": (3, 8, 100)}
    base = figures.get("baseline")
    for kind, values in times.items():
        p50, p95, ratio = goals[kind]
        line = (
            f"{kind}: p50 {_at(values, 0.5):.2f} (≤ {p50}) p95 {_at(values, 0.95):.2f} ms (≤ {p95})"
        )
        if base:
            slow = [t * 1000 for t in base[kind]]
            line += (
                f"; datasketch as CHESS at {base['triples']} triples p50 {_at(slow, 0.5):.1f} p95 "
                f"{_at(slow, 0.95):.1f} ms (n={len(slow)}): {_at(slow, 0.5) / _at(values, 0.5):.0f}× "
                f"(≥ {ratio}× at 200 000)"
            )
        print(line)
    if base:
        print(f"datasketch build {base['build_s']:.0f} s")


def _recalls(groups: list[list[tuple[str, str]]], gold: set[str]) -> tuple[float, float]:
    """(a first hit is right, share of the gold among the first ten values of each span)."""
    from thoth.warehouse.valueindex.normal import norm

    want = {norm(value) for value in gold}
    firsts = {group[0][0] for group in groups if group}
    tops = {value for group in groups for value in list(dict.fromkeys(v for v, _ in group))[:10]}
    return float(bool(firsts & want)), len(tops & want) / min(10, len(want))


def _column_recall(
    query: dict[str, Any], groups: list[list[tuple[str, str]]], gold: set[str], present: set[TRIPLE]
) -> list[float]:
    from thoth.warehouse.valueindex.normal import norm

    few = 10
    wanted = {
        (norm(v), f"dw.{t}.{c}") for t, c, v in map(tuple, query["cols"]) if (t, c, v) in present
    }
    if len(gold) > few or len(wanted) <= len({v for v, _ in wanted}):
        return []
    got = {hit for group in groups for hit in group}
    return [len(got & wanted) / len(wanted)]


def _mean(numbers: Iterable[float]) -> float:
    values = list(numbers)
    return sum(values) / len(values) if values else 0.0


def _at(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)] if values else 0.0


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


# ---------- the run ------------------------------------------------------------------------------
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
        queries += _relabelled(harder(everything, present, 40, seed=11), rows)
    queries = _relabelled(queries, rows)
    base_rows = min(scale, SCALES["200k"]) if scale > SCALES["100k"] else 25_000
    files = {
        "triples": rows, "queries": queries, "catalog": _catalog(rows), "corpus_path": corpus,
        "baseline": rows[:base_rows], "budget": 30 if scale > SCALES["100k"] else 4,
    }  # fmt: skip
    for name, value in files.items():
        _save(folder / f"{name}.pkl", value)
    phases = ["build", "search"] + ([] if options.no_baseline else ["baseline"])
    return {phase: _run_phase(phase, folder) for phase in phases}, queries, rows


def _relabelled(queries: list[dict[str, Any]], rows: list[TRIPLE]) -> list[dict[str, Any]]:
    """The generator names gold (table, column, normal form): put the raw values of `rows` in."""
    from thoth.warehouse.valueindex.normal import norm

    raws: dict[tuple[str, str, str], list[TRIPLE]] = defaultdict(list)
    wanted = {tuple(gold) for query in queries for gold in query["cols"]}
    for row in rows:
        key = (row[0], row[1], norm(row[2]))
        if key in wanted:
            raws[key].append(row)
    held = {row for part in raws.values() for row in part}
    return [
        {
            **query,
            "cols": [
                row
                for gold in map(tuple, query["cols"])
                for row in ([gold] if gold in held else raws.get(gold, []))
            ],
        }
        for query in queries
    ]


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
